"""The commands of `python -m reproduction`, one file each."""
