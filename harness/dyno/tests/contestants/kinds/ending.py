"""Who hangs, ends or dies before the work is done, and whom it takes with it."""

import os
import signal
import sys
import time

from kinds.contract import OUT, echo, leave_a_daemon, lines, say


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
    leave_a_daemon()
    os.kill(os.getppid(), signal.SIGKILL)
    echo()


def answers_without_line_ends():
    echo(lambda n, answer, line: (OUT.write(answer), OUT.flush()))


def answers_with_carriage_returns():
    echo(lambda n, answer, line: (OUT.write(answer + b"\r"), OUT.flush()))
