"""A witness that anybody can run: it cosigns a checkpoint of a log only if it continues the last checkpoint."""
