"""Witnesses as C2SP tlog-witness and tlog-cosignature define them: the protocol, and the service's side of it."""
