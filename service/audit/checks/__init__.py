"""The checks of one table, a module each: from its events to findings."""
