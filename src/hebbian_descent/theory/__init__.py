"""Theory: generalized linear models, bounds on mistakes and regret, forgetting, the paper's losses."""
