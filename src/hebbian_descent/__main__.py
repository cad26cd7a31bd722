"""`python -m hebbian_descent` is the command `hebbian-descent`."""

from hebbian_descent.cli import main

if __name__ == "__main__":
    main()
