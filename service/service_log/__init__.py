"""The service's own stream, `service/log`: keys, imports, erasures, releases and origins (DECISIONS 99)."""
