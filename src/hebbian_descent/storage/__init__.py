"""What is kept on disk: results of sweeps, and models."""
