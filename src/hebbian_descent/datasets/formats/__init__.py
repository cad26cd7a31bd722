"""Readers of the file formats that the datasets are published in; none of them executes what it reads."""
