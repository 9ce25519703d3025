"""Dossiers: writes a file that proves a hand or a table with no network and no service, and checks such files."""
