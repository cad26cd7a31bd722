"""The datasets, one a file: the facts of each, and how it is made or put together."""
