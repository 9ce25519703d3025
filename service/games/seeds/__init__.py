"""Players' seeds: decks whose order also depends on a seed of each player (G.9, deck/v1) (DECISIONS 103)."""
