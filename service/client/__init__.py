"""The client kit: everything that a bot or another program needs to use a server of Chiptrail, without a database."""
