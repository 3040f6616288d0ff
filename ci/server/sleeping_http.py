"""An HTTP server with a fixed service time: each request sleeps for SECONDS in a thread of its own.

    sleeping_http.py PORT SECONDS
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together

    def do_POST(self):
        began = time.monotonic()
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"answers": [{"text": asked["text"]}]}).encode()
        time.sleep(max(0.0, began + float(sys.argv[2]) - time.monotonic()))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
