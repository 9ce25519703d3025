"""The checks of `chiptrail doctor`."""
