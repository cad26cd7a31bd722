"""Readers of file formats that several datasets share; none of them executes what it reads."""
