"""Theory of the paper: generalized linear models, and the table of losses."""
