"""The rows of a table, arranged in lines."""

from reproduction.comparison import Verdict
from reproduction.layout import lines
from reproduction.printed import PrintedRow


def verdict(rule, column, printed, mean=None):
    cell = {"dataset": "adult", "activation": "sigmoid", "rule": rule}
    row = PrintedRow("file", "tab:x", cell, {column: printed}, {}, bold=False)
    return Verdict(row, column, printed) if mean is None else Verdict(row, column, printed, mean=mean, n=10)


def test_the_best_of_a_line_is_the_smallest_error_of_those_run():
    (line,) = lines(
        [
            verdict("hebb", "mae_all", 0.1),
            verdict("covariance", "mae_all", 0.2, mean=0.15),
            verdict("hebbian_descent", "mae_all", 0.1, mean=0.12),
        ],
        "mae_all",
    )
    assert line.best == ["hebbian_descent"]
    assert line.best_in_print == ["hebb", "hebbian_descent"]


def test_what_looks_the_same_is_equally_good():
    rules = {"hebb": 0.10001, "covariance": 0.10004, "hebbian_descent": 0.1002}
    (line,) = lines([verdict(rule, "mae_all", 0.1, mean) for rule, mean in rules.items()], "mae_all")
    assert line.best == ["hebb", "covariance"]


def test_no_activity_is_the_best():
    column = "mean_hidden_activity"
    (line,) = lines([verdict(rule, column, 0.1, mean=0.1) for rule in ("hebb", "covariance")], column)
    assert (line.best, line.best_in_print) == ([], [])


def test_where_nothing_was_run_only_the_print_has_a_best():
    column = "error_mean"
    (line,) = lines([verdict("hebb", column, 0.1), verdict("covariance", column, 0.2)], column)
    assert (line.best, line.best_in_print) == ([], ["hebb"])


def test_a_single_rule_is_not_the_best_of_anything():
    (line,) = lines([verdict("hebb", "error_mean", 0.1, mean=0.1)], "error_mean")
    assert (line.best, line.best_in_print) == ([], [])
