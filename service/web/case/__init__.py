"""A hand as a case: what a page about a hand says, computed from the API's answers (DECISIONS 112)."""
