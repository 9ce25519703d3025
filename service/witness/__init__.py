"""A witness that anybody can run: it cosigns only checkpoints that continue the last cosigned checkpoint of the log."""
