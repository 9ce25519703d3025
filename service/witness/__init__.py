"""A witness that anybody can run: it cosigns a checkpoint of a log only if the checkpoint continues the last one."""
