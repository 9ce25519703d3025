"""Problems (RFC 9457): the catalogue of their codes, and their form."""
