"""A witness that anybody can run: it cosigns checkpoints of logs, and each only if the log was continued."""
