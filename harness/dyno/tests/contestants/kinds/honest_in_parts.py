"""Honest ones that consist of several processes or threads, or choose how they are scheduled."""

import os
import threading
import time

from kinds.contract import OUT, echo, lines, say


def honest_worker():
    # All work is done by a process behind this one, which takes its time.
    to_worker, from_worker = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(to_worker[1])
        with os.fdopen(to_worker[0], "rb") as source, os.fdopen(from_worker[1], "wb") as sink:
            for line in iter(source.readline, b""):
                time.sleep(0.7 if line.startswith(b"T") and len(line) % 37 == 0 else 0.001)
                sink.write(line.upper())
                sink.flush()
        os._exit(0)
    os.close(to_worker[0]), os.close(from_worker[1])
    with os.fdopen(to_worker[1], "wb") as sink, os.fdopen(from_worker[0], "rb") as source:
        for line in lines():
            ended = line.rstrip(b"\n") + b"\n"
            sink.write(ended)
            sink.flush()
            OUT.write(source.readline())
            OUT.flush()
    os.wait()


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
    import subprocess

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
