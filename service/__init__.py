"""Card tables over REST, and one log from which every chip, card and decision can be proved."""

__version__ = "0.1.0"
