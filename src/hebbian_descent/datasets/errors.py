"""What can go wrong between a user and the data, told apart by what helps against it."""

from __future__ import annotations


class DatasetError(OSError):
    """Any failure to provide a dataset; an OSError, since the machine lacks something, not the call."""


class DatasetUnavailableError(DatasetError):
    """The dataset is not in the data folder and could not be, or was not to be, downloaded."""


class DatasetDamagedError(DatasetError):
    """A file of the dataset is there, but its content is not what it must be."""


class DataFolderError(DatasetError):
    """The data folder does not exist, or cannot be read or written."""


class DownloadError(DatasetError):
    """None of the addresses of a public file gave its true content."""


class UnpublishedDataWarning(UserWarning):
    """An archive holds plausible data that are not the published ones."""
