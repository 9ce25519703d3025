"""Players and hosts that are programs: clients of the public API like any other."""
