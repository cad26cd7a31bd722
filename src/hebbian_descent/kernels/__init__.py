"""Compiled inner loops; Numba is imported by the compiled modules, not here."""
