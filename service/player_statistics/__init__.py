"""Statistics of players: figures over many hands, which may point to cheating."""
