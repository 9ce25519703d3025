"""Statistics of players over many hands; they may point to cheating."""
