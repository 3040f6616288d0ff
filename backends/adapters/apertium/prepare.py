"""Looks for Apertium's programs, once: no registry of Python has them."""

import shutil
import sys

if not shutil.which("apertium-transfer"):
    sys.exit("Apertium is missing: `apt install apertium`, and a pair such as apertium-eng-spa")
