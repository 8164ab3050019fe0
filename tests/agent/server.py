"""A model that says what a script has for it: server.py SCRIPT LOG. The script is a JSON list of {"text", "finish"?, "break"?, "done"?}
or {"raw", "status"?, "type"?}, one for each request; the requests are written to the log. The port is printed.
It speaks as real servers do: chunked HTTP/1.1, with the last chunk in a packet of its own. "end" chooses another way to end the
body: "length" (Content-Length) or "close". "done" false: no `[DONE]`. "size": the characters of a frame; "encoding": a Content-Encoding."""

import http.server
import json
import sys
import time

script = json.load(open(sys.argv[1]))
log = open(sys.argv[2], "w")


def frames(reply):
    """The pieces of a reply's body."""
    def frame(delta, reason=None):
        return "data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    if "raw" in reply:  # something else than an answer
        return [reply["raw"]]
    size = reply.get("size", 5)
    out = [frame({"content": reply["text"][i:i + size]}) for i in range(0, len(reply["text"]), size)]
    if not reply.get("break"):
        out.append(frame({}, reply.get("finish", "stop")))
        if reply.get("done", True):
            out.append("data: [DONE]\n\n")
    return out


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        log.write(self.rfile.read(int(self.headers["Content-Length"])).decode() + "\n")
        log.flush()
        if not script:
            self.send_error(503)
            return
        reply = script.pop(0)
        end = reply.get("end", "chunked")
        pieces = [piece.encode() for piece in frames(reply)]
        self.send_response(reply.get("status", 200))
        self.send_header("Content-Type", reply.get("type", "text/event-stream"))
        if "encoding" in reply:
            self.send_header("Content-Encoding", reply["encoding"])
        header = {"chunked": ("Transfer-Encoding", "chunked"), "close": ("Connection", "close"), "length": ("Content-Length", str(sum(map(len, pieces))))}
        self.send_header(*header[end])
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if end == "chunked" else piece)
        time.sleep(0.05)
        if end == "chunked":
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer.request_queue_size = 1024  # the default of 5 drops connections of a busy gateway
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
