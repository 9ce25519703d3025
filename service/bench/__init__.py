"""Benchmarks: figures of the service on this machine, measured in the same way in every run."""
