"""Statistics of players: the figures show trouble that is not visible in a single hand."""
