"""Any HTTP server under the bench's protocol: the server as a child process, and a client with many connections.

Each line is a request of its own. In the track `server` requests are sent while others are in flight.
"""

import http.client
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import BATCH_LINES, fail, options, serve  # noqa: E402

HOST = "127.0.0.1"
# Longest wait for the server's first answer, for its end, and the time between two tries, in seconds.
PATIENCE, FAREWELL, PAUSE = 120, 5, 0.05
# Stands for the line in a request.
LINE = "{line}"


def filled(template, line):
    """The template of a request with the line in place of `{line}`."""
    if isinstance(template, dict):
        return {name: filled(value, line) for name, value in template.items()}
    if isinstance(template, list):
        return [filled(value, line) for value in template]
    return template.replace(LINE, line) if isinstance(template, str) else template


def found(told, path):
    """The text at `path`, such as `choices.0.text`, in an answer."""
    for step in filter(None, path.split(".")):
        told = told[int(step)] if isinstance(told, list) else told[step]
    if not isinstance(told, str):
        raise TypeError("no text there")
    return told


class Server:
    def __init__(self, chosen):
        settings = chosen.settings
        if not settings.get("command"):
            fail("http: the setting `command` is missing: what starts the server")
        self.path, self.answer = settings["path"], settings["answer"]
        try:
            self.request = json.loads(settings["request"])
        except ValueError as error:
            fail(f"http: the setting `request` is no JSON: {error}")
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        words = {"{port}": self.port, "{cores}": chosen.cores, "{model}": chosen.model, "{track}": chosen.track}
        command = shlex.split(settings["command"])
        for word, value in words.items():
            command = [part.replace(word, str(value)) for part in command]
        self.own = threading.local()
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        except OSError as error:
            fail(f"http: can't start {command[0]}: {error.strerror}")

    def wait(self):
        """Waits until the server listens."""
        for _ in range(int(PATIENCE / PAUSE)):
            if self.process.poll() is not None:
                fail("http: the server ended at its start; its last words are above")
            try:
                return socket.create_connection((HOST, self.port)).close()
            except ConnectionRefusedError:
                time.sleep(PAUSE)
        fail(f"http: the server doesn't listen on port {self.port} after {PATIENCE} s")

    def ask(self, body):
        """One request on this thread's connection: status and answer."""
        if not hasattr(self.own, "connection"):
            self.own.connection = http.client.HTTPConnection(HOST, self.port)
            self.own.connection.connect()
            # Otherwise a request in two parts waits for the acknowledgement of the first.
            self.own.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.own.connection.request("POST", self.path, body, {"Content-Type": "application/json"})
        answer = self.own.connection.getresponse()
        told = answer.read()
        if answer.will_close:
            self.own.connection.close()
            del self.own.connection
        return answer.status, told

    def text(self, line):
        body = json.dumps(filled(self.request, line))
        try:
            status, told = self.ask(body)
        except (http.client.BadStatusLine, ConnectionError):
            # A server may close a connection that was idle for long.
            self.own.__dict__.pop("connection", None)
            status, told = self.ask(body)
        try:
            return found(json.loads(told), self.answer)
        except (ValueError, LookupError, TypeError):
            fail(f"http: status {status}, and no text at `{self.answer}` in {told[:200]!r}")

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    chosen = options()
    server = Server(chosen)
    # In whole files a server with many connections is busy on all its cores; one at a time has a single core.
    most = chosen.batch_lines or BATCH_LINES
    try:
        server.wait()
        with ThreadPoolExecutor(most) as requests:
            def translate(lines):
                return list(requests.map(server.text, lines))

            serve(chosen, translate, translate, beside=most, together=1)
    finally:
        server.end()


main()
