"""Events of a hand in words, from what the API returns: for the pages and for the command line (DECISIONS 112)."""
