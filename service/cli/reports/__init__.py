"""The reports that commands print."""
