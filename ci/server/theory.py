"""Times of lines that arrive at random at servers of fixed speed, by recursion over the bench's very arrivals.

The arrivals are drawn here a second time, from their description: SplitMix64, seeded by FNV-1a of the purpose.
"""

import heapq
import math

MASK = (1 << 64) - 1


def gaps(purpose, seed=1):
    """Exponential gaps of mean 1."""
    state = 0xCBF29CE484222325 ^ seed
    for byte in purpose.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        yield -math.log(((z >> 11) + 1) / (1 << 53))


def times(purpose, rate, services_ms, servers=1):
    """Time of each line in ms, if each goes to the first server that is free (Kiefer and Wolfowitz 1955)."""
    source, now, free, found = gaps(purpose), 0.0, [0.0] * servers, []
    for service in services_ms:
        now += next(source) / rate * 1e3
        done = max(heapq.heappop(free), now) + service
        heapq.heappush(free, done)
        found.append(done - now)
    return found


def purpose(record, run):
    """Purpose of a run's arrivals."""
    kind = "confirming" if run["purpose"] == "confirm" else "searching"
    return f"{kind} arrivals of set in round {record['round']}"


def greatest_rate(keeps, capacity):
    """Greatest rate for which `keeps` is true; `capacity` is what no queue survives."""
    low, high = 1e-3 * capacity, 1.2 * capacity
    while high / low > 1.0005:
        middle = math.sqrt(low * high)
        if keeps(middle):
            low = middle
        else:
            high = middle
    return low


def rank(values, percent):
    """Percentile of the nearest rank."""
    return sorted(values)[max(1, math.ceil(percent / 100 * len(values))) - 1]


def off(found, expected):
    return abs(found / expected - 1)
