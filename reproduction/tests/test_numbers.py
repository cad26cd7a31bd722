"""Numbers of the printed paper: counted as LaTeX counts, and found from what readers write."""

from pathlib import Path

import pytest

from reproduction.figures import FIGURES
from reproduction.numbers import NUMBERS, SOURCE, described, label_of
from reproduction.tables import TABLES
from tools.number_labels import numbers

ROOT = Path(__file__).parents[2]
PAPER = r"""
\section*{Introduction}\label{sec:intro}
\section{Model}\label{sec:model} % \label{sec:comment}
\begin{eqnarray}
a &=& \begin{cases} 1 \\ 0 \end{cases} \label{eqn:cases}\\
  &=& \underbrace{b \\ c}_{d} \nonumber \\
  &\stackrel{\eqref{eqn:cases}}{=}& c \label{eqn:last}
\end{eqnarray}
\subsection{Part}
\subsubsection{Piece}\label{sec:piece}
\begin{table} no caption, so no number \end{table}
\begin{table}\label{tab:early} 50\% \caption{After its label}\end{table}
\begin{figure}
\subfigure[]{\includegraphics{ }} \subfigure[]{\includegraphics{ }\label{fig:panel}}
\caption{Two panels}\label{fig:both}
\end{figure}
\begin{equation} x \label{eqn:single} \end{equation}
\section{End}\subsection{First}
\begin{appendices}
\section{Proof}\label{appendix:proof}
\subsection{Step}\label{appendix:step}
\end{appendices}
"""


def test_labels_are_numbered_as_latex_numbers_them():
    assert numbers(PAPER) == {
        "sec:intro": "Introduction",
        "sec:model": "Section 1",
        "sec:piece": "Section 1.1.1",
        "eqn:cases": "Equation 1",
        "eqn:last": "Equation 2",
        "eqn:single": "Equation 3",
        "tab:early": "Table 1",
        "fig:panel": "Figure 1(b)",
        "fig:both": "Figure 1",
        "appendix:proof": "Appendix A",
        "appendix:step": "Appendix A.1",
    }


@pytest.mark.parametrize("command", [r"\tag{3}", r"\setcounter{table}{4}", r"\begin{subequations}"])
def test_what_counts_otherwise_is_refused(command):
    with pytest.raises(ValueError, match="rule for counting"):
        numbers(PAPER + command)


@pytest.mark.parametrize("kind", ["Table", "Figure", "Equation", "Appendix"])
def test_no_two_labels_share_a_number(kind):
    found = [number for number in NUMBERS.values() if number.startswith(kind)]
    assert len(found) == len(set(found)) > 3


def test_tables_and_figures_are_numbered_without_gaps():
    assert {f"Table {n}" for n in range(1, 17)} == {n for n in NUMBERS.values() if n.startswith("Table")}
    assert [NUMBERS[label] for label in FIGURES] == [f"Figure {n}" for n in range(1, 22)]
    assert {label for label in TABLES if label.startswith("tab:")} <= set(NUMBERS)


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("eqn:neuron_element", "Equation 1"),
        ("eqn:single_cov", "Equation 20"),
        ("eqn:example_bernoulli", "Equation 54"),
        ("tab:Hetero_online_centered_shift", "Table 3"),
        ("tab:label_learning_uncentered", "Table 16"),
        ("fig:hebb_disadvantage_example", "Figure 1"),
        ("fig:weight_decay_cov_rule", "Figure 16(d)"),
        ("sec:HD_weight_decay_experiments", "Section 4.1.5"),
        ("appendix:list_of_HD_losses", "Appendix A"),
    ],
)
def test_numbers_are_those_counted_by_hand(label, number):
    assert NUMBERS[label] == number
    assert label_of(number) == label


@pytest.mark.parametrize(
    "name", ["Figure 10(a)", "figure 10a", "Fig. 10 (a)", "FIG 10A", "fig:heteroassociative_online_centered"]
)
def test_a_number_may_be_written_in_several_ways(name):
    assert label_of(name) == "fig:heteroassociative_online_centered"
    assert label_of("Eq. (7)") == label_of("eqn 7") == label_of("Equation 7")


@pytest.mark.parametrize("name", ["", "3", "Table", "Figure 99", "text:moving_MNIST", "mini_batches"])
def test_what_has_no_number_stands_for_itself(name):
    assert label_of(name) == name


def test_a_label_is_described_by_its_number_if_it_has_one():
    assert described("tab:auto_associative") == "Table 7 (tab:auto_associative)"
    assert described("text:moving_MNIST") == "text:moving_MNIST"


def test_the_source_is_named():
    assert "arXiv" in SOURCE["version"]
    assert SOURCE["version"] in (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8").replace("\n", " ")
    assert len(SOURCE["sha256"]) == 64
