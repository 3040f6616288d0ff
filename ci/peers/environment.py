"""What the peers' scripts run: private Python environments, in the user's cache folder, and this checkout's dyno."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def cache():
    """dyno's folder in the user's cache, by the XDG base directory specification."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "dyno")


def built_dyno():
    """This checkout's program, built if it isn't."""
    command = ["cargo", "build", "--release", "--quiet", "--message-format=json-render-diagnostics"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    programs = [json.loads(line).get("executable") for line in output.splitlines()]
    return Path(next(program for program in programs if program and Path(program).name == "dyno"))


def python():
    """The interpreter for translators; its environment is built first where it isn't there."""
    return interpreter("requirements.txt", "1.3 GB", ["--no-deps"])


def encoders_python():
    """The interpreter for sentence encoders, whose packages come with their dependencies."""
    return interpreter("requirements-encoders.txt", "6 GB", [])


def interpreter(name, size, options):
    requirements = HERE / name
    key = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:8]
    folder = cache() / f"peers-{key}"
    if not folder.is_dir():
        build(folder, requirements, size, options)
    return folder / "bin/python3"


def build(folder, requirements, size, options):
    """Builds aside and renames, so that an interrupted build leaves nothing that looks finished."""
    print(f"building the peers' environment (once, about {size}) …", file=sys.stderr, flush=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    try:
        subprocess.run([sys.executable, "-m", "venv", aside / "venv"], check=True)
        pip = [aside / "venv/bin/python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options]
        subprocess.run([*pip, "--only-binary=:all:", "-r", requirements], check=True)
        os.rename(aside / "venv", folder)
    except subprocess.CalledProcessError as error:
        sys.exit(f"the peers' environment can't be built: {error}; a network is needed once")
    finally:
        shutil.rmtree(aside, ignore_errors=True)
