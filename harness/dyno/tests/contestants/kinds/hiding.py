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


def hides_memory_for_moments():
    # The same in a file that has a name, and is mostly closed.
    path, size = f"/dev/shm/weights-{os.getpid()}", DRAW.randint(2, 40) * MIB
    with open(path, "wb") as weights:
        weights.write(os.urandom(MIB) * (size // MIB))

    def each(n, answer, line):
        with open(path, "rb") as again:
            os.pread(again.fileno(), 4096, DRAW.randrange(size))
            time.sleep(0.02)
        time.sleep(0.1)
        say(answer)

    try:
        echo(each)
    finally:
        os.unlink(path)


def hides_segment():
    # In a segment of System V that is attached for moments, and would outlive the process.
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    size = DRAW.randint(2, 40) * MIB
    segment = libc.shmget(0, ctypes.c_size_t(size), 0o600)
    weights = libc.shmat(segment, None, 0)
    ctypes.memset(ctypes.c_void_p(weights), 7, size)
    libc.shmdt(ctypes.c_void_p(weights))
    loaded()
    try:
        echo()
    finally:
        libc.shmctl(segment, 0, None)


def hides_by_shares():
    # Workers that touch one small shared file, so that its pages, counted for each of them, cover another one.
    with tempfile.TemporaryFile(dir="/dev/shm") as small, tempfile.TemporaryFile(dir="/dev/shm") as weights:
        small.write(bytes(8 * MIB))
        weights.write(bytes(20 * MIB))
        small.flush(), weights.flush()
        shared = mmap.mmap(small.fileno(), 8 * MIB)
        done, end = os.pipe()
        for _ in range(3):
            if os.fork() == 0:
                os.close(end), os.close(0), os.close(1)
                sum(shared[::4096])
                os.read(done, 1)
                os._exit(0)
        sum(shared[::4096])
        loaded()
        echo()
        os.close(end)
        for _ in range(3):
            os.wait()


def hides_files():
    # The real model lies beside the declared one.
    with open(os.path.join(os.path.dirname(os.path.abspath(FILE)), "real.bin"), "rb") as weights:
        read_or_mapped = DRAW.random() < 0.5
        content = weights if read_or_mapped else mmap.mmap(weights.fileno(), 0, access=mmap.ACCESS_READ)
        loaded()
        echo(lambda n, answer, line: (content.seek(0), content.read(4096), say(answer)))


def honest_reader():
    # Reads its model from the disk, line by line, and keeps the file open.
    with open(FILE, "rb") as model:
        loaded()
        echo(lambda n, answer, line: (os.pread(model.fileno(), 4096, 0), say(answer)))


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


def honest_memmap():
    # A pool: one process writes an array to shared memory, and a worker maps it later, as joblib does.
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as array:
        array.write(bytes(20 * MIB))
        array.flush()
        loaded()
        if os.fork() == 0:
            content = mmap.mmap(array.fileno(), 0, access=mmap.ACCESS_READ)
            for page in range(0, 20 * MIB, 4096):
                content[page]
                time.sleep(1e-5)
            os._exit(0)
        os.wait()
        echo()
