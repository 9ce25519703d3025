"""Computes the plots: what an axis, a line or a band needs, for templates that draw it as SVG without a script."""
