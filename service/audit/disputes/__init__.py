"""Audits streams of disputes: decides each step again from the events of the disputed table (DECISIONS 109)."""
