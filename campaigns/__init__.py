"""Campaigns: promises of the package, tried against many thousands of hostile trials.

`python -m campaigns` lists them; `make test-long` runs them all; `make test` runs each in small form.
"""
