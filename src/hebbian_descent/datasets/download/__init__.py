"""Public files fetched from the first of their homes that gives the true content."""
