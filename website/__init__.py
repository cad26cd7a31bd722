"""The documentation as a website: `python -m website` builds it into site/, for servers and for disks."""
