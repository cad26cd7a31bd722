"""Made-up measurements for the claims: one error per cell, without a file."""

from reproduction.experiments.base import Measured
from reproduction.kept_evidence import KeptEvidence

from reproduction.claims import cells
from reproduction.printed import printed_rows


def made_up(monkeypatch, value, only="", n_draws=2):
    """Let claims see `value(label, cell)` in the tables whose labels contain `only`, and none elsewhere."""

    class MadeUp:
        kept = KeptEvidence()

        def __init__(self, *_):
            pass

        def own(self, label):
            return self.rows(label)

        def rows(self, label):
            return [
                Measured(
                    cell=row.cell,
                    results={name: value(label, row.cell) + 0.0001 * draw for name in row.results},
                    std=dict.fromkeys(row.results, 0.0001),
                    learning_rate=0.1,
                    weight_decay=0.0,
                    n_trials=2,
                    draw=draw,
                )
                for draw in range(n_draws)
                for row in (printed_rows(label) if only in label else ())
            ]

    monkeypatch.setattr(cells, "Results", MadeUp)


def data_of(cell):
    return cell.get("dataset") or cell["input"]
