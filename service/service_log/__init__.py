"""The service's own stream, `service/log`: keys, imports, erasures, archives, releases, origins (DECISIONS 99)."""
