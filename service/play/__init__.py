"""The write path: it takes one command and records its events. Start reading at `handler.Play.do`."""
