"""The paper on Hebbian-descent, computed anew: tables, figures, claims, studies, beside the printed numbers.

`python -m reproduction` lists the commands. The package imports the library, never the reverse.
"""
