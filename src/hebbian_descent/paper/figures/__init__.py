"""The paper's figures, one file each, drawn from results computed here."""

from __future__ import annotations

from hebbian_descent.paper.figures import (
    adult_rand_sigmoid_true_online,
    auto_association_compare,
    auto_ecoder_structure,
    hebb_diabvantage_example,
    heteroassociative_online_hebbian_scatter,
    heteroassociative_online_multi_epoch_scatter,
    heteroassociative_online_updated_offsets_scatter,
    heteroassociative_online_weight_decay_scatter,
    hidden_activity_gd_hd,
    label_learning_scatter,
    learning_rate_compare_lin_sig,
    long_training_rand_adult,
    moving_mnist,
    online_label_learning_mnist,
    rand_adult_weightdecay,
    rand_rand_sigmoid_false_online,
    rand_rand_sigmoid_true_online,
    reg_loss_hd,
    sigmoid_and_derivative,
    update_rule_2d_example,
    update_rule_compare,
)
from hebbian_descent.paper.figures.base import NotMeasuredError, PaperFigure

FIGURES: dict[str, PaperFigure] = {
    module.FIGURE.label: module.FIGURE
    for module in (
        hebb_diabvantage_example,
        sigmoid_and_derivative,
        update_rule_2d_example,
        update_rule_compare,
        reg_loss_hd,
        auto_ecoder_structure,
        rand_rand_sigmoid_false_online,
        rand_rand_sigmoid_true_online,
        adult_rand_sigmoid_true_online,
        heteroassociative_online_hebbian_scatter,
        learning_rate_compare_lin_sig,
        heteroassociative_online_updated_offsets_scatter,
        moving_mnist,
        long_training_rand_adult,
        rand_adult_weightdecay,
        heteroassociative_online_weight_decay_scatter,
        heteroassociative_online_multi_epoch_scatter,
        label_learning_scatter,
        online_label_learning_mnist,
        auto_association_compare,
        hidden_activity_gd_hd,
    )
}
"""By the paper's labels, in the paper's order."""

__all__ = ["FIGURES", "NotMeasuredError", "PaperFigure"]
