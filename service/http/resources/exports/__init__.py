"""Exports of tables as journals, sheets and texts, and the statement of an owner over all tables."""
