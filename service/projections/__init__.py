"""Projections: tables that follow from the log, for queries. A rebuild makes them anew at any time."""
