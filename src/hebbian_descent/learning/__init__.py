"""How weights change: one update, one automatic rate, one vocabulary of centering, runs."""
