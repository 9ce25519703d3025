"""The connection of a client to its server: what is sent, the limits of answers, and the messages of streams."""
