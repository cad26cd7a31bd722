"""Many runs at once, or one long one, fast; all agree with the plain loop."""
