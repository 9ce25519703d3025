#!/bin/sh
# The command `chiptrail` of the container.
exec python -m service.cli "$@"
