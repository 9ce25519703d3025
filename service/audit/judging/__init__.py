"""Decides every recorded decision again by the rules."""
