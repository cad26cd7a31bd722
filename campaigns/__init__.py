"""Campaigns: promises of the package, tested by many thousands of hostile trials.

`python -m campaigns` lists them; `make test-long` runs them all; `make test` runs each on a small scale.
"""
