"""Lets the tests import the package from any working directory, and keeps them to one thread: they share machines."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
torch.set_num_threads(1)
