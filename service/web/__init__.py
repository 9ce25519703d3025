"""The pages for people (DECISIONS 111)."""
