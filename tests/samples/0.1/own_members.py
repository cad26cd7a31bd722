"""A user's own activation, rule and error function, as the samples were written with them.

Keys in a store are made of this text: an edit here would make the cells of the sample store unknown.
"""

import numpy as np

from hebbian_descent import Activation, Factors, Rule


def bent(a):
    return a / (1.0 + np.abs(a))


def centered_error(activity):
    error = activity.error(activity.targets, activity.output)
    return Factors(pre=activity.inputs - activity.offset, post=error)


def half_difference(t, h):
    return 0.5 * (h - t)


BENT = Activation("bent", bent)
OWN_RULE = Rule("own_rule", centered_error)
