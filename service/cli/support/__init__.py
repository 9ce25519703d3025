"""What the commands share: exit codes, flags, the open database, output, and the processes of a server."""
