"""The paper's figures, drawn from results computed here."""

from __future__ import annotations

from reproduction.figures import (
    autoencoder_structure,
    error_curves,
    function_plots,
    hebb_disadvantage_example,
    hidden_activity,
    moving_mnist,
    online_classification_mnist,
    scatter,
    update_rule_2d_example,
    update_rule_compare,
)
from reproduction.figures.base import NotMeasuredError, PaperFigure

_DRAWN: dict[str, PaperFigure] = {
    figure.label: figure
    for figure in (
        *error_curves.CURVE_FIGURES,
        *function_plots.FUNCTION_FIGURES,
        *scatter.SCATTER_FIGURES,
        autoencoder_structure.FIGURE,
        hebb_disadvantage_example.FIGURE,
        hidden_activity.FIGURE,
        moving_mnist.FIGURE,
        online_classification_mnist.FIGURE,
        update_rule_2d_example.FIGURE,
        update_rule_compare.FIGURE,
    )
}

FIGURES: dict[str, PaperFigure] = {
    label: _DRAWN[label]
    for label in (
        "fig:hebb_disadvantage_example",
        "fig:sigmoid_and_derivative",
        "fig:update_rule_2D_example",
        "fig:update_rule_compare",
        "fig:reg_loss_HD",
        "fig:auto_encoder_structure",
        "fig:rand_rand_sigmoid_false_online",
        "fig:rand_rand_sigmoid_true_online",
        "fig:adult_rand_sigmoid_true_online",
        "fig:heteroassociative_online_hebbian_scatter",
        "fig:learning_rate_compare_lin_sig",
        "fig:heteroassociative_online_updated_offsets_scatter",
        "fig:moving_MNIST",
        "fig:long_training_rand_adult",
        "fig:rand_adult_weightdecay",
        "fig:heteroassociative_online_weight_decay_scatter",
        "fig:heteroassociative_online_multi_epoch_scatter",
        "fig:label_learning_scatter",
        "fig:online_label_learning_MNIST",
        "fig:auto_association_compare",
        "fig:hidden_activity_GD_HD",
    )
}
"""By the paper's labels (its spelling included), in the paper's order."""

__all__ = ["FIGURES", "NotMeasuredError", "PaperFigure"]
