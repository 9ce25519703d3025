"""Exports for people and for other programs: hledger journals, tables of CSV, hand histories (DECISIONS 116)."""
