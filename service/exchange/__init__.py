"""Files of exported events: reading and importing them; and backups of the whole database."""
