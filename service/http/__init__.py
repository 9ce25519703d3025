"""The REST interface: one file a resource."""
