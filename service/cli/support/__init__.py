"""Code that commands share: exit codes, flags, opening the database, output, and the processes of a server."""
