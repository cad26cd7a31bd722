"""Learning: one update, one automatic rate, one vocabulary of centering, and runs."""
