"""The checks of `chiptrail doctor` that are about one kind of installation."""
