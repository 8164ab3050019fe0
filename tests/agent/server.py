"""A model that says what a script has for it: server.py SCRIPT LOG. The script is a JSON list of {"text", "finish"?, "break"?}
or {"raw", "status"?, "type"?},
one for each request; the requests are written to the log. The port is printed."""

import http.server
import json
import sys

script = json.load(open(sys.argv[1]))
log = open(sys.argv[2], "w")


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        log.write(self.rfile.read(int(self.headers["Content-Length"])).decode() + "\n")
        log.flush()
        if not script:
            self.send_error(503)
            return
        reply = script.pop(0)
        if "raw" in reply:  # something else than an answer
            self.send_response(reply.get("status", 200))
            self.send_header("Content-Type", reply.get("type", "text/event-stream"))
            self.end_headers()
            self.wfile.write(reply["raw"].encode())
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

        def send(delta, reason=None):
            frame = {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
            self.wfile.write(f"data: {json.dumps(frame)}\n\n".encode())
        for i in range(0, len(reply["text"]), 5):
            send({"content": reply["text"][i:i + 5]})
        if not reply.get("break"):
            send({}, reply.get("finish", "stop"))
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
