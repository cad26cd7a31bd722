"""The program of a process of the local pool: take over the search path, then serve.

`python -P` runs this file by its path, so that nothing of the current folder is imported and the package need
not be installed. Everything else is imported from where the process that started this one finds it.
"""

import pickle
import signal
import sys

if __name__ == "__main__":
    # An interrupt from the keyboard reaches all processes; the one that started them ends the rest.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = pickle.load(sys.stdin.buffer)
    from hebbian_descent.sweep.executors.serving import serve

    serve()
