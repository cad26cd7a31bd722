"""Parameters of estimators that learn by the rule of the paper alone."""

PLAIN = {"scaling": None, "average": False}
