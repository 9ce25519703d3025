"""The error of backups and restores."""


class CannotBackUp(Exception):
    """No backup was made, or nothing was restored. The message is the reason, and *cure* is advice to the operator."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.cure = cure
