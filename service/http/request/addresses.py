"""Finds the subscriber behind an address: limits count subscribers, and one subscriber has many IPv6 addresses."""

# DECISIONS 23

import re
from functools import lru_cache
from ipaddress import IPv4Address, ip_address
from typing import Final

_WITH_PORT: Final = re.compile(r"\[([^]]*)\](?::[0-9]+)?|([0-9.]+):[0-9]+", re.ASCII)
"""An address with its port, as some proxies write it; an IPv6 address is in brackets."""


@lru_cache(4096)
def subscriber(text: str) -> str:
    """Return the subscriber of the address *text*: for IPv6 its network of 64 bits."""
    with_port = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((with_port[1] or with_port[2]) if with_port else text)
    except ValueError:
        return text[:64]
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped) if address.ipv4_mapped else address.packed[:8].hex()
