"""Makes an installed PyTorch start without CUDA's libraries, which take 3 GB and which a processor never calls.

The registry has PyTorch for Linux linked with CUDA alone. The dynamic linker wants each of these libraries and their
symbols. This program writes one small library that has the symbols, and gives it the names of those that aren't
installed. A call ends the program by an illegal instruction: no code for processors makes one.

    python3 prepare.py         # for the PyTorch of this Python, once, after its installation
"""

import re
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

# Symbols and libraries of NVIDIA, but not the driver's: libcudart looks for it and goes on without it.
OF_CUDA = re.compile(r"(cu|nccl|nv)[A-Za-z]")
LIBRARY = re.compile(r"lib(cu|nccl|nv).*\.so\.\d+$")
DRIVER = "libcuda.so.1"
STANDS_IN = "libnothing.so"
# The largest page, and the address of the code, beyond all tables.
PAGE, CODE = 0x10000, 0x1000000
# By the machine's number in elf(5): the first version of its libc, and an instruction that no processor has.
MACHINES = {62: ("GLIBC_2.2.5", b"\x0f\x0b"), 183: ("GLIBC_2.17", bytes(4))}
NEEDED, DYNAMIC, DYNSYM = 1, 6, 11  # elf(5): DT_NEEDED, SHT_DYNAMIC, SHT_DYNSYM


def linked(path):
    """Libraries that a shared library needs, symbols that it wants, and symbols that it has."""
    data = path.read_bytes()
    (start,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * at) for at in range(count)]

    def text(section, at):
        at += sections[section[6]][4]
        return data[at : data.index(b"\0", at)].decode()

    libraries, wanted, given = set(), set(), set()
    for section in sections:
        content = data[section[4] : section[4] + section[5]]
        if section[1] == DYNAMIC:
            libraries |= {text(section, at) for tag, at in struct.iter_unpack("<QQ", content) if tag == NEEDED}
        if section[1] == DYNSYM:
            for name, _, _, where, _, _ in list(struct.iter_unpack("<IBBHQQ", content))[1:]:
                (given if where else wanted).add(text(section, name))
    return libraries, wanted, given


def hashed(name):
    """The hash of System V's table of symbols."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value


def table(names):
    """DT_HASH: buckets, and chains of symbols with one hash."""
    buckets, chains = [0] * len(names), [0] * (len(names) + 1)
    for at, name in enumerate(names, start=1):
        bucket = hashed(name) % len(names)
        buckets[bucket], chains[at] = at, buckets[bucket]
    return struct.pack(f"<{2 + len(buckets) + len(chains)}I", len(buckets), len(chains), *buckets, *chains)


def library(machine, names):
    """A shared library whose symbols all stand for one illegal instruction.

    Who wants a symbol wants it in a version. A library that itself wants a version of another one, here of libc, and
    defines none, has its symbols in every version.
    """
    release, code = MACHINES[machine]
    strings, offsets = b"\0", {}
    for name in ["libc.so.6", release, *names]:
        offsets[name] = len(strings)
        strings += name.encode() + b"\0"
    libc, version = offsets.pop("libc.so.6"), offsets.pop(release)
    wanted = struct.pack("<HHIIIIHHII", 1, 1, libc, 16, 0, hashed(release), 0, 2, version, 0)
    versions = struct.pack(f"<{1 + len(names)}H", 0, *[1] * len(names))
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", at, 0x12, 0, 1, CODE, len(code)) for at in offsets.values())
    places, at = {}, 64 + 3 * 56
    tables = {"symbols": symbols, "hashes": table(names), "wanted": wanted, "versions": versions, "strings": strings}
    content = b""
    for name, part in tables.items():
        places[name] = at + len(content)
        content += part + bytes(-len(part) % 8)
    # DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT, DT_VERSYM, DT_VERNEED, DT_VERNEEDNUM, DT_NULL
    entries = [(1, libc), (4, places["hashes"]), (5, places["strings"]), (6, places["symbols"]), (10, len(strings)),
               (11, 24), (0x6FFFFFF0, places["versions"]), (0x6FFFFFFE, places["wanted"]), (0x6FFFFFFF, 1), (0, 0)]
    dynamic, dynamic_at = b"".join(struct.pack("<QQ", *entry) for entry in entries), at + len(content)
    end = dynamic_at + len(dynamic)
    code_at = end + -end % PAGE
    # PT_LOAD of the tables, into which the linker writes, PT_LOAD of the code, PT_DYNAMIC
    segments = [(1, 6, 0, 0, end, PAGE), (1, 5, code_at, CODE, len(code), PAGE),
                (2, 6, dynamic_at, dynamic_at, len(dynamic), 8)]
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0)
    for kind, flags, offset, address, size, align in segments:
        header += struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, size, size, align)
    return (header + content + dynamic).ljust(code_at, b"\0") + code


def main():
    site = Path(sysconfig.get_paths()["purelib"])
    torch, cuda = site / "torch/lib", site / "nvidia/cu13/lib"
    if not (torch / "libtorch_cuda.so").is_file():
        return  # a PyTorch for processors
    libraries, wanted, given = set(), set(), set()
    files = [path for path in (*torch.glob("*.so*"), *cuda.glob("*.so*")) if not path.is_symlink()]
    installed = [path for path in files if path.name != STANDS_IN]
    for path in installed:
        needed, asked, own = linked(path)
        libraries, wanted, given = libraries | needed, wanted | asked, given | own
    names = sorted(name for name in wanted - given if OF_CUDA.match(name))
    missing = {name for name in libraries if LIBRARY.match(name)} - {path.name for path in installed} - {DRIVER}
    cuda.mkdir(parents=True, exist_ok=True)
    (machine,) = struct.unpack_from("<H", (torch / "libtorch_cuda.so").read_bytes(), 18)
    (cuda / STANDS_IN).write_bytes(library(machine, names))
    for name in missing:
        (cuda / name).unlink(missing_ok=True)
        (cuda / name).symlink_to(STANDS_IN)
    started = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, text=True)
    if started.returncode != 0:
        sys.exit(f"PyTorch doesn't start without CUDA's libraries: {started.stderr.strip()}")


if __name__ == "__main__":
    main()
