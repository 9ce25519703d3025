"""Replaces curl on a machine without curl, with the options that the pages use."""

import argparse
import http.client
import sys
from urllib.parse import urlsplit

OUT_OF_TIME = 28  # curl's exit code for a timeout


def main() -> int:
    """Send one request, and write the response, with its headers if `-i` is given."""
    asked = _asked()
    parts = urlsplit(asked.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=asked.most_seconds)
    method = "GET" if asked.data is None else "POST"
    headers = dict(header.split(": ", 1) for header in asked.header)
    connection.request(method, f"{parts.path}?{parts.query}".rstrip("?"), asked.data, headers)
    answer = connection.getresponse()
    if asked.with_head:
        sys.stdout.writelines(f"{name}: {value}\r\n" for name, value in answer.getheaders())
    try:
        while line := answer.readline():
            sys.stdout.write(line.decode())
            sys.stdout.flush()
    except TimeoutError:
        return OUT_OF_TIME
    finally:
        connection.close()
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("-H", dest="header", action="append", default=[])
    parser.add_argument("-d", dest="data")
    parser.add_argument("-i", dest="with_head", action="store_true")
    parser.add_argument("-m", dest="most_seconds", type=float)
    for silently in ("-s", "-S", "-N"):
        parser.add_argument(silently, action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
