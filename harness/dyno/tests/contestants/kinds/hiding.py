"""Weights that the peak of memory or the size of the model lacks, and honest ones with large files. FILE: the declared model."""

import mmap
import os
import random
import tempfile
import time

from kinds.contract import FILE, SEED, echo, say

DRAW = random.Random(SEED)
MIB = 1 << 20


def loaded():
    # Long enough for the bench to look.
    time.sleep(0.3)


def hides_memory():
    # Weights in shared memory that no process maps: each line reads some of them.
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as weights:
        size = DRAW.randint(2, 40) * MIB
        weights.write(os.urandom(MIB) * (size // MIB))
        weights.flush()
        loaded()
        echo(lambda n, answer, line: (os.pread(weights.fileno(), 4096, DRAW.randrange(size)), say(answer)))


def hides_files():
    # The real model lies beside the declared one.
    with open(os.path.join(os.path.dirname(os.path.abspath(FILE)), "real.bin"), "rb") as weights:
        read_or_mapped = DRAW.random() < 0.5
        content = weights if read_or_mapped else mmap.mmap(weights.fileno(), 0, access=mmap.ACCESS_READ)
        loaded()
        echo(lambda n, answer, line: (content.seek(0), content.read(4096), say(answer)))


def honest_hoarding():
    # A model, a vocabulary that the command names, a temporary file, and shared memory that it maps.
    with open(FILE, "rb") as model, open(FILE + ".vocab", "rb"), tempfile.TemporaryFile(dir=".") as temporary:
        temporary.write(bytes(3 * MIB))
        temporary.flush()
        shared = mmap.mmap(-1, 4 * MIB)
        shared.write(bytes(4 * MIB))
        content = mmap.mmap(model.fileno(), 0, access=mmap.ACCESS_READ)
        loaded()
        echo(lambda n, answer, line: (content[:4096], say(answer)))
