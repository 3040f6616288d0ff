"""LibreTranslate under the bench's protocol: its server as a child process, and a client.

The server gets the cores of the adapter, and ends with it. Each line is a request; where a whole file is there,
each core has one request at a time. In the track `server` requests are sent while others are in flight.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import BATCH_LINES, fail, options, serve  # noqa: E402

# The server without its search for models to download.
START = """
import logging
from libretranslate import init
logging.disable(logging.INFO)
init.boot = lambda *_, **__: None
from libretranslate.main import main
main()
"""
HOST = "127.0.0.1"
# Longest wait for the server's first answer, and the time between two tries, in seconds.
PATIENCE, PAUSE = 120, 0.1


def variables(chosen, home):
    """Argos Translate's settings. It writes below its home alone, and finds its packages in the model."""
    within, beside = (chosen.cores, 1) if chosen.track == "latency-all" else (1, chosen.cores)
    return os.environ | {
        "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime splits sentences, and would call a server
        "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home,
        "ARGOS_PACKAGES_DIR": str(Path(chosen.model).resolve()),
        "ARGOS_COMPUTE_TYPE": chosen.settings["precision"],
        "ARGOS_BEAM_SIZE": chosen.settings["beam"], "ARGOS_INTRA_THREADS": str(within),
        "ARGOS_INTER_THREADS": str(beside)}


class Server:
    def __init__(self, chosen, home):
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-c", START, "--host", HOST, "--port", str(self.port), "--disable-web-ui",
                   "--disable-files-translation", "--threads", str(max(2, chosen.cores)), "--char-limit", "-1"]
        self.words = {name: chosen.settings[name] for name in ("source", "target")} | {"format": "text"}
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, cwd=home,
                                        env=variables(chosen, home))

    def wait(self):
        """Waits until the server listens."""
        for _ in range(int(PATIENCE / PAUSE)):
            if self.process.poll() is not None:
                fail("libretranslate: the server ended at its start; its last words are above")
            try:
                return socket.create_connection((HOST, self.port)).close()
            except ConnectionRefusedError:
                time.sleep(PAUSE)
        fail(f"libretranslate: the server doesn't listen after {PATIENCE} s")

    def text(self, line):
        connection = http.client.HTTPConnection(HOST, self.port)
        connection.request("POST", "/translate", json.dumps({"q": line, **self.words}),
                           {"Content-Type": "application/json"})
        told = json.loads(connection.getresponse().read())
        connection.close()
        if "translatedText" not in told:
            fail(f"libretranslate: {told.get('error', told)}; does `model` hold packages for these languages?")
        return told["translatedText"]

    def end(self):
        self.process.terminate()
        self.process.wait()


def main():
    chosen = options()
    with tempfile.TemporaryDirectory() as home:
        server = Server(chosen, home)
        try:
            server.wait()
            with ThreadPoolExecutor(chosen.cores) as requests:
                serve(chosen, lambda lines: list(map(server.text, lines)),
                      lambda lines: list(requests.map(server.text, lines)),
                      beside=chosen.batch_lines or BATCH_LINES, together=1)
        finally:
            server.end()


main()
