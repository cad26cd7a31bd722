"""`python -m website` writes the pages to build/website and builds site/ from them, or fails."""

import subprocess
import sys

from website.pages import ROOT, write_pages

write_pages(ROOT / "build" / "website")
command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
sys.exit(subprocess.run(command, cwd=ROOT).returncode)
