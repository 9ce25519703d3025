"""The write path: one command in, its events recorded."""
