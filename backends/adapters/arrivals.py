"""Lines of the tracks `pages` and `server`: read as they arrive, translated beside one another, answered in their order."""

import os
import select
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue


def arrivals(most):
    """Lines that have arrived, at most `most` at a time."""
    buffer, data = b"", b"?"
    while data:
        while data and (b"\n" not in buffer or select.select([0], [], [], 0)[0]):
            data = os.read(0, 1 << 16)
            buffer += data
        *lines, buffer = buffer.split(b"\n")
        for first in range(0, len(lines), most):
            yield [line.decode("utf-8", "replace") for line in lines[first : first + most]]
    if buffer:
        yield [buffer.decode("utf-8", "replace")]


class InFlight:
    """Translations under way: up to `beside` batches at a time, each of at most `most` lines.

    A batch takes its lines only when it starts, so that lines which arrive meanwhile travel together. Batches
    that could start share what waits.
    """

    def __init__(self, translate, beside, most):
        self.translate, self.most, self.free = translate, most, beside
        self.lock, self.waiting, self.in_order = threading.Lock(), deque(), SimpleQueue()
        self.workers = ThreadPoolExecutor(beside)

    def answers(self):
        """The answer to each line of standard input, in their order; an error of a translation is raised here."""
        threading.Thread(target=self.read, daemon=True).start()
        while (promise := self.in_order.get()) is not None:
            yield promise.result()

    def read(self):
        # All that a read brings waits before the first batch takes its share.
        for lines in arrivals(1 << 20):
            asked = [(line, Future()) for line in lines]
            with self.lock:
                self.waiting.extend(asked)
            for _, promise in asked:
                self.in_order.put(promise)
                self.workers.submit(self.work)
        self.in_order.put(None)

    def work(self):
        batch = self.take()
        if not batch:
            return  # another batch took the line along
        try:
            texts = self.translate([line for line, _ in batch])
            for (_, promise), text in zip(batch, texts, strict=True):
                promise.set_result(text)
        except BaseException as error:  # also the end of the program, which a thread can't bring about
            for _, promise in batch:
                if not promise.done():
                    promise.set_exception(error)
        with self.lock:
            self.free += 1

    def take(self):
        """Lines of the next batch."""
        with self.lock:
            share = -(-len(self.waiting) // max(1, self.free))
            batch = [self.waiting.popleft() for _ in range(min(self.most, share))]
            self.free -= bool(batch)
            return batch
