"""Storage on disk: results of sweeps, and models."""
