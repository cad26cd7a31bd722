"""What can be wrong with the file of a model."""


class ModelFileError(ValueError):
    """A file does not hold a model, or a model cannot be put into one; the message says why.

    Words from a file may be in the message; what could steer a terminal is written as an escape.
    """

    def __init__(self, message: str) -> None:
        super().__init__("".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in message))
