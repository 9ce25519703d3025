"""One module a resource: the routes of the REST interface."""
