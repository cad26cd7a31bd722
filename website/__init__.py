"""The documentation as a website: `python -m website` builds site/, to be served or opened from disk."""
