"""Compiled inner loops: many online runs at once, without ever forming their weights.

Numba is imported by the compiled modules, not here; `run_sequence` of `kernels.sequence` is the way in.
"""
