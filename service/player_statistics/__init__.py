"""Statistics of players: figures that point to trouble that no single hand shows."""
