"""Finds the subscriber of an address: limits are for subscribers, because a subscriber has many IPv6 addresses."""

# DECISIONS 23

import re
from functools import lru_cache
from ipaddress import IPv4Address, ip_address
from typing import Final

_WITH_PORT: Final = re.compile(r"\[([^]]*)\](?::[0-9]+)?|([0-9.]+):[0-9]+", re.ASCII)
"""An address with its port, as some proxies write it; an IPv6 address is in brackets."""


@lru_cache(4096)
def subscriber(text: str) -> str:
    """Return the subscriber of the address *text*: an IPv4 address, or for IPv6 the network of 64 bits, in hex.

    An IPv6 address that stands for an IPv4 address counts as the IPv4 address. If *text* is not an address, return its
    first 64 characters.
    """
    with_port = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((with_port[1] or with_port[2]) if with_port else text)
    except ValueError:
        return text[:64]
    if isinstance(address, IPv4Address):
        return str(address)
    return str(address.ipv4_mapped) if address.ipv4_mapped else address.packed[:8].hex()
