"""The write path: decides one command and records its events. Start reading at `handler.Play.do`."""
