"""Gives the last word of a binary shortlist an entry, `shortlist.py FILE`, in place.

The file has six numbers (magic, checksum, frequent, best, offsets, entries), the offsets, and the entries. The checksum
is boost's combination of hashes over all but itself and the magic.
"""

import struct
import sys
from pathlib import Path

HEAD = 48
WORD = (1 << 64) - 1


def checksum(data):
    seed = 0
    for (value,) in struct.iter_unpack("<Q", data[: len(data) // 8 * 8]):
        seed ^= (value + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & WORD
    return seed


path = Path(sys.argv[1])
data = path.read_bytes()
magic, _, frequent, best, count, size = struct.unpack("<6Q", data[:HEAD])
offsets = data[HEAD : HEAD + 8 * (count - 1)]
body = struct.pack("<4Q", frequent, best, count, size + 1) + offsets + struct.pack("<Q", size + 1)
body += data[HEAD + 8 * count :] + struct.pack("<I", 0)
path.write_bytes(struct.pack("<2Q", magic, checksum(body)) + body)
