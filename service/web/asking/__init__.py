"""Who looks at a page, and how a page asks the API for what it shows."""
