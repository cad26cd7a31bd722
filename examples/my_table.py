"""A custom table: a rule, a dataset and an experiment.

`hebbian-descent run examples/my_table.py` runs it, with progress, store, `table` and `report` like the tables
of the paper. Edit the rule and run it again: only changed parts are computed again.
"""

import numpy as np

from hebbian_descent import Factors, Rule
from reproduction import Association


def sign_factors(activity):
    """Return the centered input and only the sign of the error: every wrong unit learns equally fast."""
    return Factors(activity.inputs - activity.offset, np.sign(activity.output - activity.targets))


def stripes(n, seed):
    """Return images of 8 x 8 pixels with some rows and columns lit, one image per row."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.random((2, n, 8)) < 0.25
    return (rows[:, :, None] | columns[:, None, :]).reshape(n, 64).astype(float)


TABLE = Association(
    label="tab:stripes",
    title="Does the size of the error matter?",
    pairs={("rand", "stripes"): ["sigmoid", "linear"], ("stripes", "digits"): ["sigmoid"]},
    rules=["hebbian_descent", "gradient_descent", Rule("sign_descent", sign_factors, learns_bias=True)],
    generators={"stripes": stripes},
)
