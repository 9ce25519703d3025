"""Projections: what the log says, in the shape that questions have. Disposable and rebuilt at will."""
