"""The resources with which anybody can check the log as a whole."""
