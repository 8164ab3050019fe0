"""The official clients of Anthropic and Ollama, streaming and not, behind a server whose bodies the command converts: clients.py BUILD"""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

import anthropic
import ollama

BUILD = sys.argv[1]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "%s", "n": 9007199254740993}}\n</tool_call>'
WHOLE = "<think>\nhm\n</think>\n\nLet me look \u2014 1 < 2.\n" + CALL % "Paris" + "\n" + CALL % "Oslo"
TEXTS = {"whole": WHOLE, "cut": "Well. " + (CALL % "Paris")[:70]}
WANTED = [("get_weather", {"city": city, "n": 9007199254740993}) for city in ("Paris", "Oslo")]


def raw(kind, text, stream):
    """What a server of this kind sends, which knows nothing of calls."""
    pieces = [text[at:at + 3] for at in range(0, len(text), 3)]
    if kind == "ollama":
        def line(content, **more):
            return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": content}, "done": bool(more), **more}
        lines = [line(piece) for piece in pieces] + [line("", done_reason="stop")] if stream else [line(text, done_reason="stop")]
        return "".join(json.dumps(one) + "\n" for one in lines)
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 2}}
    if not stream:
        return json.dumps({**message, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"})
    events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
              {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
              *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in pieces),
              {"type": "content_block_stop", "index": 0},
              {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 2}},
              {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = "ollama" if self.path.startswith("/api/") else "anthropic"
        stream = asked.get("stream", kind == "ollama")
        if asked["model"] == "busy":
            self.send_response(529)
            body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "all are busy"}}'
        else:
            tools = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}] if asked.get("tools") else []
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(tools, file)
                file.flush()
                text = [] if tools else ["--option", "unknown_tools=text"]
                body = subprocess.run([f"{BUILD}/sluice", "parse", "-s", "hermes", "--from", kind, "-o", kind, "--tools", file.name, *text],
                                      input=raw(kind, TEXTS[asked["model"]], stream).encode(), stdout=subprocess.PIPE, check=True).stdout
            self.send_response(200)
        self.send_header("Content-Type", "application/json" if not stream else "application/x-ndjson" if kind == "ollama" else "text/event-stream")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def same(what, got, wanted):
    assert got == wanted, f"{what}\n  wanted {wanted!r}\n  got    {got!r}"


def of_anthropic(message):
    return ["".join(block.text for block in message.content if block.type == "text").strip(),
            "".join(block.thinking for block in message.content if block.type == "thinking"),
            [(block.name, block.input) for block in message.content if block.type == "tool_use"], message.stop_reason]


def of_ollama(parts):
    calls = [(call.function.name, dict(call.function.arguments)) for part in parts for call in part.message.tool_calls or []]
    return ["".join(part.message.content or "" for part in parts).strip(), "".join(part.message.thinking or "" for part in parts), calls]


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    claude = anthropic.Anthropic(base_url=url, api_key="x", max_retries=0)
    llama = ollama.Client(host=url)
    messages = [{"role": "user", "content": "x"}]
    tools = [{"name": "get_weather", "input_schema": SCHEMA}]
    functions = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
    words = "Let me look \u2014 1 < 2."
    for streamed in (False, True):
        def ask(model, **more):
            if not streamed:
                return claude.messages.create(model=model, max_tokens=9, messages=messages, **more)
            with claude.messages.stream(model=model, max_tokens=9, messages=messages, **more) as stream:
                return stream.get_final_message()

        def talk(model, **more):
            answer = llama.chat(model=model, messages=messages, stream=streamed, **more)
            return list(answer) if streamed else [answer]

        where = "streamed" if streamed else "whole"
        same(f"anthropic, {where}", of_anthropic(ask("whole", tools=tools)), [words, "hm", WANTED, "tool_use"])
        same(f"anthropic without tools, {where}", of_anthropic(ask("whole"))[::2], [WHOLE[WHOLE.index("Let"):], []])
        same(f"ollama, {where}", of_ollama(talk("whole", tools=functions)), [words, "hm", WANTED])
        same(f"ollama without tools, {where}", of_ollama(talk("whole"))[::2], [WHOLE[WHOLE.index("Let"):], []])
        same(f"anthropic, a cut call, {where}", ask("cut", tools=tools).stop_reason, "max_tokens")
        cut = talk("cut", tools=functions)
        same(f"ollama, a cut call, {where}", (of_ollama(cut), cut[-1].done_reason), (["Well.", "", []], "length"))
        try:
            ask("busy")
            raise SystemExit("the server's error is lost")
        except anthropic.APIStatusError as error:
            assert "all are busy" in str(error)
        try:
            talk("busy")
            raise SystemExit("the server's error is lost")
        except ollama.ResponseError as error:
            assert "all are busy" in str(error)
    print(f"anthropic {anthropic.__version__}, ollama: calls, reasoning, text, cut calls and errors, streamed and whole")


main()
os._exit(0)  # the clients keep connections
