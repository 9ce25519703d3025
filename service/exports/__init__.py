"""Exports for people and for other programs: hledger journals, sheets of CSV, hand histories (DECISIONS 116)."""
