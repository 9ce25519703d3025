"""The service's own stream: keys, key rotations, imports, erasures, archives, releases and origins (DECISIONS 99)."""
