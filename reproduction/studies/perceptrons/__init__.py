"""Small perceptrons in PyTorch: described in `network`, trained by the others, which alone import it."""
