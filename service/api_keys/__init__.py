"""API keys, with their secrets, their repository and their cache; and the sign-ins of browsers."""
