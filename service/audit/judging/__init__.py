"""Every recorded decision, decided again by the rules."""
