"""Puts llama.cpp's library for this processor into this Python, from the package of node-llama-cpp, once.

    python3 prepare.py         # needs npm, which unpacks nothing and runs nothing of the package

The package holds the kernels of all processors; the library itself chooses among them when it starts.
"""

import base64
import hashlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

VERSION = "3.21.1"  # llama.cpp v0.4.0, whose structures library.py knows
# Name of the package for a machine, and the hash of its archive.
PACKAGES = {
    "x86_64": ("linux-x64", "Totj6RTDMGo3FoK2yNUaz/oGmZD0olAqTrRluFUWmu0kW2i9TOzHSW0OWCAiGkzRCVX0WsU2CyUQo/W2NYtdPA=="),
    "aarch64": ("linux-arm64", "eI3anSEGzJiwF2rpMpZVTdHzw47LztbvfvuRzlu/fPO18ROnBOd+75RPUBlV6qENPpmNtbov85+3VODwEwBurg=="),
}


def main():
    if platform.machine() not in PACKAGES:
        sys.exit(f"no library for {platform.machine()}; there are: {', '.join(PACKAGES)}")
    name, digest = PACKAGES[platform.machine()]
    if not shutil.which("npm"):
        sys.exit("npm is needed once, for llama.cpp's library: install Node.js")
    folder = Path(sysconfig.get_path("purelib")) / "llama_cpp_library"
    with tempfile.TemporaryDirectory() as scratch:
        command = ["npm", "pack", "--silent", f"@node-llama-cpp/{name}@{VERSION}"]
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(scratch).glob("*.tgz")
        data = archive.read_bytes()
        if base64.b64encode(hashlib.sha512(data).digest()).decode() != digest:
            sys.exit(f"{archive.name} isn't the archive that was tried: install again")
        folder.mkdir(exist_ok=True)
        with tarfile.open(archive) as files:
            for member in files.getmembers():
                kind = Path(member.name).name
                if member.isfile() and kind.startswith(("libggml", "libllama.v")) and kind.endswith(".so"):
                    (folder / kind).write_bytes(files.extractfile(member).read())


if __name__ == "__main__":
    main()
