"""Honest ones that consist of several processes or threads, or choose how they are scheduled."""

import os
import subprocess
import sys
import threading
import time

from kinds.contract import LATENCY, OUT, echo, lines, say


def by_worker(work):
    # All lines go through a process behind this one, which does `work` for each.
    to_worker, from_worker = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(to_worker[1])
        with os.fdopen(to_worker[0], "rb") as source, os.fdopen(from_worker[1], "wb") as sink:
            for line in iter(source.readline, b""):
                work(line)
                sink.write(line.upper())
                sink.flush()
        os._exit(0)
    os.close(to_worker[0]), os.close(from_worker[1])
    with os.fdopen(to_worker[1], "wb") as sink, os.fdopen(from_worker[0], "rb") as source:
        for line in lines():
            sink.write(line.rstrip(b"\n") + b"\n")
            sink.flush()
            OUT.write(source.readline())
            OUT.flush()
    os.wait()


def honest_worker():
    # All work is done by a process behind this one, which takes its time.
    by_worker(lambda line: time.sleep(0.7 if line.startswith(b"T") and len(line) % 37 == 0 else 0.001))


def honest_threads():
    # A pool within the allowed cores.
    for _ in range(4):
        threading.Thread(target=lambda: time.sleep(0.2), daemon=True).start()
    echo()


def honest_own_core():
    # Sets its affinity, but only to what it has.
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    echo()


def honest_pipeline():
    os.execvp("sh", ["sh", "-c", "sed -u 's/ th/ d/g' | sed -u 's/w/v/g' | sed -u 's/ing/end/g'"])


def honest_sockets():
    # The work is done by a child, asked over the loopback device.
    import socket

    listener = socket.create_server(("127.0.0.1", 0))
    if os.fork() == 0:
        os.close(0), os.close(1)
        with listener.accept()[0].makefile("rwb") as peer:
            for line in iter(peer.readline, b""):
                peer.write(line.upper())
                peer.flush()
        os._exit(0)
    with socket.create_connection(listener.getsockname()).makefile("rwb") as peer:
        for line in lines():
            peer.write(line.rstrip(b"\n") + b"\n")
            peer.flush()
            OUT.write(peer.readline())
            OUT.flush()
    os.wait()


def honest_programs():
    # Another program for each line.
    def each(n, answer, line):
        say(subprocess.run(["tr", "a-z", "A-Z"], input=line.rstrip(b"\n"), stdout=subprocess.PIPE).stdout)

    echo(each)


def honest_nice():
    os.nice(10)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    echo()


def honest_session():
    # Works in a session of its own, as a daemon's parts do, and is waited for.
    if os.fork() == 0:
        os.setsid()
        echo()
        OUT.flush()
        os._exit(0)
    os.close(0), os.close(1)
    os.wait()


def again(*prefix):
    """Starts this program as `honest_plain` behind another one."""
    program = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "contestant.py")
    os.execvp(prefix[0], [*prefix, sys.executable, program, "honest_plain", *sys.argv[2:]])


def honest_taskset():
    again("taskset", "-c", ",".join(map(str, os.sched_getaffinity(0))))


def honest_unshare():
    # In name spaces of its own, as containers are. Without the right to it just works.
    may = subprocess.run(["unshare", "--uts", "--ipc", "true"], stderr=subprocess.DEVNULL).returncode == 0
    again("unshare", "--uts", "--ipc") if may else echo()


def honest_pool():
    # Workers that share an input and an output queue; the answers are put into order.
    import multiprocessing

    with multiprocessing.Pool(2) as pool:
        if LATENCY:
            echo(lambda n, answer, line: say(pool.apply(bytes.upper, (line.rstrip(b"\n"),))))
        else:
            for answer in pool.imap(bytes.upper, [line.rstrip(b"\n") for line in lines()], 16):
                OUT.write(answer + b"\n")


def honest_forking():
    # A process for each line, which shares what the first one has loaded.
    def each(n, answer, line):
        OUT.flush()
        if os.fork() == 0:
            say(answer)
            os._exit(0)
        os.wait()

    echo(each)


def honest_shared_arrays():
    # Workers on one large array in shared memory, as a pool on one model.
    import mmap

    weights = mmap.mmap(-1, 20 << 20)
    weights.write(bytes(20 << 20))
    by_worker(lambda line: sum(weights[:: 1 << 16]))
