"""What the paper proves: generalized linear models, and the loss of each rule."""
