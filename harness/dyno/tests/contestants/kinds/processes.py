"""Cores that were not allowed, and processes that are left behind. Helpers on a busy core start late: a contestant
answers no line before its helper has escaped."""

import os
import signal
import threading
import time

from kinds.contract import LATENCY, OUT, busy, echo, leave_a_daemon, say


def escapes():
    os.sched_setaffinity(0, range(os.cpu_count()))
    echo()


def one_thread_escapes():
    escaped = threading.Event()

    def away():
        os.sched_setaffinity(0, range(os.cpu_count()))
        escaped.set()
        time.sleep(3600)

    threading.Thread(target=away, daemon=True).start()
    escaped.wait()
    echo()
    OUT.flush()
    os._exit(0)


def a_child_escapes():
    escaped, open_in_child = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(0), os.close(1)
        os.sched_setaffinity(0, range(os.cpu_count()))
        os.write(open_in_child, b".")
        time.sleep(3600)
    os.read(escaped, 1)
    echo()
    os.kill(child, signal.SIGKILL)
    os.wait()


def burns_other_cores():
    # Hops out, works there, and hops back before anybody looks: CPU time tells.
    own = os.sched_getaffinity(0)
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            os.close(0), os.close(1)
            while True:
                os.sched_setaffinity(0, range(os.cpu_count()))
                end = time.perf_counter() + 0.02
                while time.perf_counter() < end:
                    pass
                os.sched_setaffinity(0, own)
        children.append(child)
    echo(lambda n, answer, line: (time.sleep(0.002), say(answer)))
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.wait()


def escapes_in_files():
    if not LATENCY:
        os.sched_setaffinity(0, range(os.cpu_count()))
    echo()


def late_threads_escape():
    escaped = threading.Event()

    def away():
        os.sched_setaffinity(0, range(os.cpu_count()))
        escaped.set()
        while True:
            sum(range(1000))

    def each(n, answer, line):
        if n == 60:
            threading.Thread(target=away, daemon=True).start()
            escaped.wait()
        say(answer)

    echo(each)
    OUT.flush()
    os._exit(0)


def works_elsewhere():
    # While it has a line; with the answer it is back.
    own = os.sched_getaffinity(0)

    def each(n, answer, line):
        os.sched_setaffinity(0, set(range(os.cpu_count())) - own)
        busy(0.005)
        os.sched_setaffinity(0, own)
        say(answer)

    echo(each)


def unseen_children():
    # The same by children that are gone before the answer, and whose time is added to nobody's.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    def each(n, answer, line):
        ended, open_in_children = os.pipe()
        for core in range(os.cpu_count()):
            if os.fork() == 0:
                os.sched_setaffinity(0, [core])
                busy(0.01)
                os._exit(0)
        os.close(open_in_children)
        os.read(ended, 1)
        os.close(ended)
        say(answer)

    echo(each)


def saves_up():
    # Sleeps first; then two processes work at once, on a mask that is wide while they work only.
    own = os.sched_getaffinity(0)
    time.sleep(2)
    work, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(0), os.close(1), os.close(work[1])
        while os.read(work[0], 1):
            os.sched_setaffinity(0, range(os.cpu_count()))
            busy(0.01)
            os.sched_setaffinity(0, own)
            os.write(done[1], b".")
        os._exit(0)
    os.close(work[0])
    echo(lambda n, answer, line: (os.write(work[1], b"."), busy(0.01), os.read(done[0], 1), say(answer)))
    os.close(work[1])
    os.wait()


def daemonises():
    leave_a_daemon()
    echo()


def leaves_a_crowd():
    for _ in range(30):
        if os.fork() == 0:
            os.close(0), os.close(1), os.close(2)
            time.sleep(3600)
    echo()


def leaves_a_helper():
    if os.fork() == 0:
        os.close(0), os.close(1), os.close(2)
        time.sleep(3600)
    echo()
