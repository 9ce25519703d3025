"""Dossiers: writes and checks files that prove a hand or a table; the check needs no network and no service."""
