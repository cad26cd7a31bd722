"""Fast engines for many runs at once, or one long run; all agree with the plain loop."""
