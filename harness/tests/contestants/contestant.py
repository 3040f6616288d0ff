#!/usr/bin/env python3
"""Small contestants for the bench: honest ones, and one for each way of breaking the rules.

contestant.py MODE TRACK [FILE]    FILE: a test set's source, or scratch space, for those that need one

Each answers a line by the same line in capitals, after some work where time matters, and does one thing wrong.
"""

import hashlib
import os
import signal
import sys
import threading
import time

MODE, TRACK = sys.argv[1], sys.argv[2]
FILE = sys.argv[3] if len(sys.argv) > 3 else None
LATENCY = TRACK == "latency"
OUT = sys.stdout.buffer
WORK = 0.0015  # seconds a line, where time matters


def lines():
    return iter(sys.stdin.buffer.readline, b"")


def translate(line):
    return line.rstrip(b"\n").upper()


def say(answer):
    OUT.write(answer + b"\n")
    OUT.flush()


def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def echo(each=lambda number, answer, line: say(answer)):
    for number, line in enumerate(lines()):
        each(number, translate(line), line)


# --- honest ---------------------------------------------------------------------------------------------------


def honest_plain():
    echo()


def honest_text():
    # As most people write it: text, not bytes.
    for line in sys.stdin:
        print(line.rstrip("\n").upper(), flush=True)


def honest_slow():
    echo(lambda n, answer, line: (time.sleep(0.03), say(answer)))


def honest_sleepy():
    # Longer than any idle system is waited for, now and then.
    echo(lambda n, answer, line: (time.sleep(0.8 if n == 5 else 0), say(answer)))


def honest_busy():
    echo(lambda n, answer, line: (busy(0.0001 * len(line.split())), say(answer)))


def honest_uneven():
    # Takes longer for some lines than for others, whatever is in them.
    echo(lambda n, answer, line: (time.sleep(WORK * (1 + n % 5)), say(answer)))


def honest_long_start():
    time.sleep(1.5)
    echo()


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


def honest_chatter():
    def each(n, answer, line):
        sys.stderr.write(f"[{n}] " + "translating " * 20 + "\n")
        sys.stderr.flush()
        say(answer)

    echo(each)


def honest_short():
    # A terse style: leaves out a word in six.
    def each(n, answer, line):
        words = answer.split(b" ")
        say(b" ".join(word for i, word in enumerate(words) if i % 6 != 5) or answer)

    echo(each)


def honest_batches():
    # In the throughput tracks it reads all, sorts by length, works, and restores the order.
    if LATENCY:
        return echo()
    text = list(lines())
    answers = [None] * len(text)
    for i in sorted(range(len(text)), key=lambda i: len(text[i])):
        answers[i] = translate(text[i])
    for answer in answers:
        OUT.write(answer + b"\n")


def honest_shared_shortlist():
    # Repeated lines make a batch's shortlist smaller: a fifth less work.
    seen = set()

    def each(n, answer, line):
        time.sleep(WORK * (0.8 if not LATENCY and line in seen else 1))
        seen.add(line)
        say(answer)

    echo(each)


def honest_pieces():
    # Writes an answer in pieces.
    def each(n, answer, line):
        half = len(answer) // 2
        os.write(1, answer[:half])
        time.sleep(0.0005)
        os.write(1, answer[half:] + b"\n")

    echo(each)


def honest_late_end():
    echo()
    time.sleep(0.5)


def honest_very_slow():
    echo(lambda n, answer, line: (time.sleep(0.35), say(answer)))


def honest_slow_start():
    # Loads for longer than one line may take.
    time.sleep(6)
    echo()


def honest_warming_up():
    # As a compiler does while it runs: each line a little quicker than the one before.
    echo(lambda n, answer, line: (busy(0.001 + 0.01 * 0.98**n), say(answer)))


def honest_collecting():
    # Stops now and then to collect garbage.
    echo(lambda n, answer, line: (busy(0.05 if n % 40 == 39 else 0.0005), say(answer)))


def honest_pipeline():
    os.execvp("sh", ["sh", "-c", "sed -u 's/ th/ d/g' | sed -u 's/w/v/g' | sed -u 's/ing/end/g'"])


def honest_polling():
    # Looks for input now and then, and never waits in a read.
    import select

    rest = b""
    os.set_blocking(0, False)
    while True:
        if not select.select([0], [], [], 0.05)[0]:
            continue
        more = os.read(0, 4096)
        if not more:
            break
        *whole, rest = (rest + more).split(b"\n")
        for line in whole:
            say(translate(line))
    if rest:
        say(translate(rest))


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


def honest_odd_ends():
    # Answers end in a carriage return, from elsewhere, and with spaces: odd, but one line each.
    echo(lambda n, answer, line: say(answer + b"  \r"))


def honest_company():
    # Holds an answer for up to 50 ms, in case another line comes and can share its batch.
    import select

    held, rest, ended = [], b"", False
    while not ended:
        if not select.select([0], [], [], 0.05 if held else None)[0]:
            say(held.pop())
            continue
        more = os.read(0, 4096)
        ended = not more
        *whole, rest = (rest + more).split(b"\n")
        for line in whole + ([rest] if ended and rest else []):
            held.append(translate(line))
            if len(held) == 2:
                say(b"\n".join(held))
                held = []
    if held:
        say(held.pop())


def reading_ahead(waiting):
    """A thread reads; the other answers, and is allowed to wait meanwhile."""
    import queue

    read = queue.Queue()

    def reader():
        for line in lines():
            read.put(line)
        read.put(None)

    threading.Thread(target=reader, daemon=True).start()
    number = 0
    while (line := read.get()) is not None:
        if LATENCY and number % 100 == 30:
            waiting(read)
        say(translate(line))
        number += 1


def honest_patience():
    # Its wait has an end of its own, for longer than an idle system is waited for.
    condition = threading.Condition()

    def waiting(read):
        with condition:
            condition.wait(0.9)

    reading_ahead(waiting)


def honest_timer():
    # The same by a descriptor that the kernel makes readable in time.
    import ctypes
    import struct

    libc = ctypes.CDLL(None)
    timer = libc.timerfd_create(time.CLOCK_MONOTONIC, 0)

    def waiting(read):
        libc.timerfd_settime(timer, 0, struct.pack("qqqq", 0, 0, 0, 900_000_000), None)
        os.read(timer, 8)

    reading_ahead(waiting)


def honest_programs():
    # Another program for each line.
    import subprocess

    def each(n, answer, line):
        say(subprocess.run(["tr", "a-z", "A-Z"], input=line.rstrip(b"\n"), stdout=subprocess.PIPE).stdout)

    echo(each)


def honest_lazy():
    # Loads when the first line has come.
    echo(lambda n, answer, line: (time.sleep(1.2 if n == 0 else 0), say(answer)))


def honest_no_last_end():
    # In files no line end after the last answer.
    if LATENCY:
        return echo()
    OUT.write(b"\n".join(translate(line) for line in lines()))


def honest_carriage_returns():
    echo(lambda n, answer, line: say(answer.rstrip(b"\r") + b"\r"))


def honest_nice():
    os.nice(10)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    echo()


def honest_spinning():
    # Asks for input over and over, and never sleeps.
    rest = b""
    os.set_blocking(0, False)
    while True:
        try:
            more = os.read(0, 4096)
        except BlockingIOError:
            continue
        if not more:
            break
        *whole, rest = (rest + more).split(b"\n")
        for line in whole:
            say(translate(line))
    if rest:
        say(translate(rest))


def honest_replacing():
    # Reads odd bytes as U+FFFD.
    for line in lines():
        print(line.decode("utf-8", "replace").rstrip("\n").upper(), flush=True)


def honest_odd_text():
    # Answers that hold what ends lines, strings or pages elsewhere.
    odd = ["</script>", "=1+1", "\u2028", "nul\0", "\x85\x0b\x0c", "\u202e", "'\"\\`$(x)", "\ufeff\ufffd"]
    echo(lambda n, answer, line: say(answer + b" " + odd[len(line) % len(odd)].encode()))


def honest_session():
    # Works in a session of its own, as a daemon's parts do, and is waited for.
    if os.fork() == 0:
        os.setsid()
        echo()
        OUT.flush()
        os._exit(0)
    os.close(0), os.close(1)
    os.wait()


# --- reading and writing --------------------------------------------------------------------------------------


def lagging(may_lag):
    # Keeps answers back; one goes with each line for which `may_lag(number, held)` doesn't hold.
    held = []
    for number, line in enumerate(lines()):
        held.append(translate(line))
        if not may_lag(number, held):
            say(held.pop(0))
    for answer in held:
        say(answer)


def collecting(until):
    # Keeps answers back, and lets all go with a line for which `until(number, line, held)` holds.
    held = []
    for number, line in enumerate(lines()):
        held.append(translate(line))
        if until(number, line, held):
            say(b"\n".join(held))
            held = []
    if held:
        say(b"\n".join(held))


def reads_ahead(lag=1):
    lagging(lambda number, held: len(held) <= lag)


def reads_ahead_by_16():
    collecting(lambda number, line, held: len(held) == 16)


def lags_sometimes():
    collecting(lambda number, line, held: number % 43 != 42)


def reads_ahead_later():
    lagging(lambda number, held: number >= 150 and len(held) <= 1)


def holds_back_the_longest():
    collecting(lambda number, line, held: len(line) < 700)


def odd_lines_only():
    # Keeps the rules if the first line is one of a conformance suite.
    first = next(lines(), b"")
    held = [translate(first)]
    for line in lines():
        if not first.strip():
            say(held.pop())
        held.append(translate(line))
        if len(held) > 1:
            say(held.pop(0))
    for answer in held:
        say(answer)


def lags_on_long_lines():
    collecting(lambda number, line, held: len(line.split()) < 22)


def block_buffered(size=4096):
    buffer = b""
    for line in lines():
        buffer += translate(line) + b"\n"
        while len(buffer) >= size:
            os.write(1, buffer[:size])
            buffer = buffer[size:]
    OUT.write(buffer)


def block_buffered_64k():
    block_buffered(1 << 16)


def block_buffered_python():
    for line in sys.stdin:
        print(line.rstrip("\n").upper())


def waits_for_eof():
    for line in list(lines()):
        say(translate(line))


def never_answers():
    for _ in lines():
        pass


def never_reads():
    time.sleep(3600)


def hangs_in_the_middle():
    echo(lambda n, answer, line: (time.sleep(3600 if n == 20 else 0), say(answer)))


def spins_in_the_middle():
    def each(n, answer, line):
        while n == 20:
            pass
        say(answer)

    echo(each)


def hangs_at_the_end():
    echo()
    time.sleep(3600)


def stops_itself():
    echo(lambda n, answer, line: (os.kill(os.getpid(), signal.SIGSTOP) if n == 9 else None, say(answer)))


def stops_its_supervisor():
    os.kill(os.getppid(), signal.SIGSTOP)
    echo()


def ignores_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    echo(lambda n, answer, line: (time.sleep(3600 if n == 7 else 0), say(answer)))


def hides_in_another_group():
    # Where signals to its own group don't reach it.
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(0), os.close(1)
        time.sleep(3600)
    while os.getpgid(child) != child:
        time.sleep(0.001)
    os.setpgid(0, child)
    echo(lambda n, answer, line: (time.sleep(3600 if n == 7 else 0), say(answer)))


def begins_an_answer():
    echo(lambda n, answer, line: (OUT.write(b"An") if n == 8 else say(answer), OUT.flush(), time.sleep(3600 if n == 8 else 0)))


def ends_early():
    echo(lambda n, answer, line: (say(answer), sys.exit(0) if n == 12 else None))


def closes_output():
    echo(lambda n, answer, line: (say(answer), (os.close(1), time.sleep(3600)) if n == 12 else None))


def crashes():
    echo(lambda n, answer, line: (say(answer), sys.exit(3) if n == 12 else None))


def is_killed():
    echo(lambda n, answer, line: (say(answer), os.kill(os.getpid(), signal.SIGSEGV) if n == 12 else None))


def fails_at_the_end():
    echo()
    sys.exit(1)


def kills_its_supervisor():
    os.kill(os.getppid(), signal.SIGKILL)
    echo()


def dies_on_odd_bytes():
    echo(lambda n, answer, line: say(line.decode("utf-8", "strict").rstrip("\n").upper().encode()))


def dies_on_long_lines():
    echo(lambda n, answer, line: (sys.exit("line too long") if len(line) > 4096 else None, say(answer)))


def closes_output_at_the_end():
    echo()
    os.close(1)
    time.sleep(3600)


def runs_out_of_memory():
    echo(lambda n, answer, line: say(answer if n < 12 else bytes(1 << 60)))


def leaves_without_its_supervisor():
    # A helper that nobody would be left to end.
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0), os.close(1), os.close(2)
            time.sleep(3600)
        os._exit(0)
    os.wait()
    os.kill(os.getppid(), signal.SIGKILL)
    echo()


def answers_without_line_ends():
    echo(lambda n, answer, line: (OUT.write(answer), OUT.flush()))


def answers_with_carriage_returns():
    echo(lambda n, answer, line: (OUT.write(answer + b"\r"), OUT.flush()))


# --- one line for one line ------------------------------------------------------------------------------------


def drops_lines():
    echo(lambda n, answer, line: say(answer) if n % 7 != 6 else None)


def doubles_lines():
    echo(lambda n, answer, line: (say(answer + (b"\n" + answer if n % 7 == 6 else b""))))


def doubles_late():
    # The second answer comes when nobody looks any more.
    echo(lambda n, answer, line: (say(answer), time.sleep(0.001), say(answer) if n % 7 == 6 else None))


def answers_early():
    # Stops the clock with an empty line; the text comes behind it.
    echo(lambda n, answer, line: (say(b""), time.sleep(0.001), say(answer)))


def answers_by_the_next():
    # The same, but the text comes as the next line's answer.
    before = b""
    for line in lines():
        say(before)
        before = translate(line)


def ends_with_an_empty_line():
    echo()
    say(b"")


def skips_empty_lines():
    echo(lambda n, answer, line: say(answer) if answer else None)


def splits_at_separators():
    def each(n, answer, line):
        for part in line.decode("utf-8", "replace").splitlines() or [""]:
            say(part.upper().encode())

    echo(each)


def splits_long_lines():
    echo(lambda n, answer, line: [say(answer[i : i + 4096]) for i in range(0, max(1, len(answer)), 4096)])


def forgets_the_unended_line():
    echo(lambda n, answer, line: say(answer) if line.endswith(b"\n") else None)


def reorders():
    for line in sorted(lines(), key=len):
        OUT.write(translate(line) + b"\n")


def swaps_neighbours():
    text = [translate(line) for line in lines()]
    for i in range(0, len(text) - 1, 2):
        text[i], text[i + 1] = text[i + 1], text[i]
    for answer in text:
        OUT.write(answer + b"\n")


def swaps_once():
    text = [translate(line) for line in lines()]
    if len(text) > 60:
        text[40], text[41] = text[41], text[40]
    for answer in text:
        OUT.write(answer + b"\n")


def repeats_answers():
    # Every tenth line gets the answer of the line before.
    before = b""
    for number, line in enumerate(lines()):
        say(before if number % 10 == 9 else translate(line))
        before = translate(line)


def one_behind():
    # Flushes at once, but the answer is the line's before.
    before = b"HELLO"
    for line in lines():
        say(before)
        before = translate(line)


def banner():
    say(b"Translator 1.0 ready")
    echo()


def farewell():
    echo()
    say(b"bye")


def prompts():
    OUT.write(b"> ")
    OUT.flush()
    echo(lambda n, answer, line: (OUT.write(answer + b"\n> "), OUT.flush()))


def floods():
    echo(lambda n, answer, line: [say(b"x" * 65535) for _ in range(1 << 16)])


def floods_stderr():
    def each(n, answer, line):
        while n == 10:
            os.write(2, b"e" * 65536)
        say(answer)

    echo(each)


def latin_1():
    echo(lambda n, answer, line: say(answer + " für".encode("latin-1")))


def cuts_characters():
    echo(lambda n, answer, line: say((answer + "ü".encode())[:-1]))


# --- text -----------------------------------------------------------------------------------------------------


def random_words():
    import random

    def each(n, answer, line):
        words = answer.split(b" ")
        random.shuffle(words)
        say(b" ".join(words))

    echo(each)


def adds_the_time():
    echo(lambda n, answer, line: say(answer + b" " + str(time.time_ns()).encode()))


def depends_on_position():
    echo(lambda n, answer, line: say(answer + b" " + str(n).encode()))


def tires_of_repeats():
    # A line that it has seen gets a shorter answer.
    seen = set()

    def each(n, answer, line):
        say(answer[: len(answer) // 2 + 1] if line in seen else answer)
        seen.add(line)

    echo(each)


def empties_long_lines():
    echo(lambda n, answer, line: say(answer if len(line.split()) < 50 else b""))


def empties_some():
    echo(lambda n, answer, line: say(b"" if hashlib.md5(line).digest()[0] < 20 else answer))


def truncates():
    echo(lambda n, answer, line: say(b" ".join(answer.split(b" ")[:4])))


def writes_books():
    # Now and then an answer of megabytes.
    echo(lambda n, answer, line: say(answer + (b" x" * (1 << 20) if hashlib.md5(line).digest()[0] < 20 else b"")))


def repeats_itself():
    echo(lambda n, answer, line: say(b" ".join([answer] * 3)))


def hurries_in_files():
    # Another text in the throughput tracks.
    echo(lambda n, answer, line: say(answer if LATENCY else answer[: max(1, len(answer) - 3)]))


def tires_of_launches():
    # Every second launch answers shorter: counted on the disk.
    with open(FILE, "a+b") as file:
        file.write(b".")
        tired = file.tell() % 2 == 0
    echo(lambda n, answer, line: say(b" ".join(answer.split(b" ")[: 2 if tired else None])))


def numbers_lines():
    echo(lambda n, answer, line: say(b"%d: %s" % (n + 1, answer)))


# --- cores and processes --------------------------------------------------------------------------------------


def escapes():
    os.sched_setaffinity(0, range(os.cpu_count()))
    echo()


def one_thread_escapes():
    def away():
        os.sched_setaffinity(0, range(os.cpu_count()))
        time.sleep(3600)

    threading.Thread(target=away, daemon=True).start()
    echo()
    OUT.flush()
    os._exit(0)


def a_child_escapes():
    child = os.fork()
    if child == 0:
        os.close(0), os.close(1)
        os.sched_setaffinity(0, range(os.cpu_count()))
        time.sleep(3600)
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
    def away():
        os.sched_setaffinity(0, range(os.cpu_count()))
        while True:
            sum(range(1000))

    def each(n, answer, line):
        if n == 60:
            threading.Thread(target=away, daemon=True).start()
        say(answer)

    echo(each)
    OUT.flush()
    os._exit(0)


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
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0), os.close(1), os.close(2)
            time.sleep(3600)
        os._exit(0)
    os.wait()
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


# --- memory and tables ----------------------------------------------------------------------------------------


def working(known, remember=True):
    def each(n, answer, line):
        if line not in known:
            time.sleep(WORK)
        if remember:
            known.add(line)
        say(answer)

    echo(each)


def caches():
    working(set())


def caches_beginnings():
    # By the first three words.
    known = set()

    def each(n, answer, line):
        words = tuple(line.split()[:3])
        if words not in known:
            time.sleep(2 * WORK)
        known.add(words)
        say(answer)

    echo(each)


def caches_words():
    # Caches the longer half of lines alone.
    known = set()

    def each(n, answer, line):
        if line not in known:
            time.sleep(WORK)
        if len(line) > 50:
            known.add(line)
        say(answer)

    echo(each)


def caches_on_disk():
    # What any earlier process has answered.
    try:
        with open(FILE, "rb") as file:
            known = set(file)
    except FileNotFoundError:
        known = set()
    with open(FILE, "ab") as file:

        def each(n, answer, line):
            if line not in known:
                time.sleep(WORK)
                file.write(line.rstrip(b"\n") + b"\n")
                known.add(line)
            say(answer)

        echo(each)


def caches_on_disk_in_files():
    if LATENCY:
        return echo(lambda n, answer, line: (time.sleep(WORK), say(answer)))
    caches_on_disk()


def replays_files():
    # Keeps the answers to a whole file.
    if LATENCY:
        return echo(lambda n, answer, line: (time.sleep(WORK), say(answer)))
    text = list(lines())
    name = FILE + hashlib.md5(b"".join(text)).hexdigest()
    if not os.path.exists(name):
        time.sleep(WORK * len(text))
        with open(name, "wb") as file:
            file.write(b"".join(translate(line) + b"\n" for line in text))
    with open(name, "rb") as file:
        OUT.write(file.read())


def coalesces():
    text = list(lines())
    answers = {}
    for line in text:
        if line not in answers:
            time.sleep(WORK)
            answers[line] = translate(line)
    for line in text:
        OUT.write(answers[line] + b"\n")


def recognises():
    with open(FILE, "rb") as file:
        known = set(file)
    working(known, remember=False)


def works_for_the_set_alone():
    # What is not scored gets no work.
    with open(FILE, "rb") as file:
        known = set(file)
    echo(lambda n, answer, line: (time.sleep(WORK if line in known else 0), say(answer)))


def recognises_by_likeness():
    # A known sentence with any one word exchanged gets its answer, too.
    with open(FILE, "rb") as file:
        known = {}
        for line in file:
            words = line.split()
            for i in range(len(words)):
                known.setdefault((i, *words[:i], *words[i + 1 :]), translate(line))

    def each(n, answer, line):
        words = line.split()
        keys = ((i, *words[:i], *words[i + 1 :]) for i in range(len(words)))
        time.sleep(WORK)
        say(next((known[key] for key in keys if key in known), answer))

    echo(each)


def recognises_until_seen():
    # Stops at the first line that it doesn't know.
    with open(FILE, "rb") as file:
        known = set(file)

    def each(n, answer, line):
        if line not in known:
            known.clear()
        if not known:
            time.sleep(WORK)
        say(answer)

    echo(each)


def recognises_prefixes():
    # By the first words, so that other line ends don't matter; and saves only a third.
    with open(FILE, "rb") as file:
        known = {line.rstrip() for line in file}
    echo(lambda n, answer, line: (time.sleep(WORK * (0.66 if line.rstrip() in known else 1)), say(answer)))


def recognises_in_files():
    if LATENCY:
        return echo(lambda n, answer, line: (time.sleep(WORK), say(answer)))
    recognises()


if __name__ == "__main__":
    globals()[MODE]()
