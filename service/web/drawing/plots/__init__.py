"""Computes axes, lines and bands of plots; templates draw them as SVG, without a script."""
