"""What can be wrong with the file of a model."""


class ModelFileError(ValueError):
    """A file does not hold a model, or a model cannot be put into one; the message says why."""
