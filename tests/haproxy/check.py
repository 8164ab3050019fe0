"""The example for HAProxy between a model server of the tests and a client: check.py ROOT HAPROXY MODULE"""
import concurrent.futures
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT, HAPROXY, MODULE = sys.argv[1:]
TOOLS = [{"type": "function", "function": {"name": "write", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}}]

LEAVE, MANY = 20, 500
PATIENCE = 300  # seconds: for what never comes, since a busy machine may let anything wait
ENDS = ("chunked", "length", "close")  # how a server ends the body


def workers(gateway):
    with open(f"/proc/{gateway.pid}/task/{gateway.pid}/children") as f:
        return set(f.read().split())


def ask(port, request):
    """The response's head and its deltas, joined."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST", "/v1/chat/completions", json.dumps(request), {"Content-Type": "application/json"})
    response = connection.getresponse()
    body = response.read().decode()
    content, calls, reason = "", {}, None
    for line in body.splitlines():
        if line.startswith("data: {"):
            choice = json.loads(line[6:])["choices"][0]
            content += choice["delta"].get("content") or ""
            reason = choice.get("finish_reason") or reason
            for part in choice["delta"].get("tool_calls", []):
                call = calls.setdefault(part["index"], {"name": "", "arguments": ""})
                call["name"] += part["function"].get("name") or ""
                call["arguments"] += part["function"].get("arguments") or ""
    return response.status, body, content, list(calls.values()), reason


def main():
    long = "a line of a file, and \"quotes\" \\ too\n" * 3000
    call = '<tool_call>{"name": "write", "arguments": %s}</tool_call>'
    replies = [{"text": "Hi. " + call % '{"text": "a"}'}, {"text": call % json.dumps({"text": long})}, {"text": "no call"},
               {"text": call % "{}" + "</think>Hi"},
               *({"text": "Hi. " + call % '{"text": "a"}', "end": end, "done": done} for end in ENDS for done in (True, False)),
               *({"text": call % json.dumps({"text": long}), "end": end, "size": 1 << 20} for end in ENDS),
               {"text": call % "{}", "type": "Text/Event-Stream"}, {"text": call % "{}", "encoding": "gzip"},
               *({"text": "a <tool_c", "end": end, "break": True} for end in ENDS[:2]),
               *([{"text": "Hi. " + call % '{"text": "a"}'}] * (LEAVE + MANY)),
               {"text": call % "{}"}, {"text": call % "{}"}, {"raw": '{"error": "busy"}', "status": 500, "type": "application/json"}]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "replies"), "w") as f:
            json.dump(replies, f)
        model = subprocess.Popen([sys.executable, os.path.join(ROOT, "tests/agent/server.py"), os.path.join(folder, "replies"),
                                  os.path.join(folder, "log")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)  # which HAProxy inherits: so no other program takes the port meanwhile
        port = listener.getsockname()[1]
        with open(os.path.join(ROOT, "examples/haproxy/haproxy.cfg")) as f:
            config = f.read().replace("${SLUICE}/build/lua5.3", MODULE)
        with open(os.path.join(folder, "haproxy.cfg"), "w") as f:
            f.write(config)
        env = dict(os.environ, SLUICE=ROOT, MODEL=f"127.0.0.1:{model.stdout.readline().strip()}", LISTEN=f"fd@{listener.fileno()}")
        log = open(os.path.join(folder, "haproxy.log"), "w+")
        gateway = subprocess.Popen([HAPROXY, "-W", "-db", "-f", os.path.join(folder, "haproxy.cfg")], env=env, stdout=log, stderr=log,
                                   pass_fds=[listener.fileno()])
        listener.close()
        try:
            request = {"model": "Qwen3-8B", "stream": True, "messages": [], "tools": TOOLS}
            status, _, content, calls, reason = ask(port, request)
            assert (status, content, reason) == (200, "Hi. ", "tool_calls"), (status, content, reason)
            assert calls == [{"name": "write", "arguments": '{"text": "a"}'}], calls
            _, _, content, calls, _ = ask(port, dict(request, messages=[{"role": "user", "content": long}]))  # longer than any buffer
            assert len(calls) == 1 and json.loads(calls[0]["arguments"]) == {"text": long}, (content[:100], len(calls))
            assert ask(port, request)[2:] == ("no call", [], "stop")
            assert ask(port, dict(request, model="QwQ-32B"))[2:] == ("Hi", [], "stop")  # its prompt opens the reasoning
            for end in ENDS:
                for done in (True, False):
                    _, body, content, calls, reason = ask(port, request)  # which has an end, or this waits in vain
                    assert (content, len(calls), reason, body.count("[DONE]")) == ("Hi. ", 1, "tool_calls", done), (end, done, body)
            for end in ENDS:  # one frame that is longer than any buffer
                *_, calls, reason = ask(port, request)
                assert [json.loads(call["arguments"]) for call in calls] == [{"text": long}] and reason == "tool_calls", (end, len(calls), reason)
            assert ask(port, request)[3:] == ([{"name": "write", "arguments": "{}"}], "tool_calls")  # media types have no case
            assert ask(port, request)[2] == call % "{}" and b"compressed" in os.pread(log.fileno(), 1 << 20, 0)
            for end in ENDS[:2]:  # a filter in Lua does not see the end of a body that only ends with the connection
                assert ask(port, request)[2] == "a <tool_c", end  # the end was held as a possible call
            for _ in range(LEAVE):  # clients that leave
                with socket.create_connection(("127.0.0.1", port), PATIENCE) as gone:
                    body = json.dumps(request).encode()
                    gone.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                                 % (len(body), body))
                    gone.recv(200)
            with concurrent.futures.ThreadPoolExecutor(100) as pool:  # and a reload in the middle of many streams
                answers = [pool.submit(ask, port, request) for _ in range(MANY)]
                answers[MANY // 5].result()
                old = workers(gateway)
                gateway.send_signal(signal.SIGUSR2)
                for answer in answers:
                    _, _, content, calls, reason = answer.result()
                    assert (content, calls, reason) == ("Hi. ", [{"name": "write", "arguments": '{"text": "a"}'}], "tool_calls"), (content, calls)
            until = time.monotonic() + PATIENCE
            while not workers(gateway) - old:
                assert time.monotonic() < until, "no new worker"
                time.sleep(0.05)
            assert ask(port, dict(request, tools=[5]))[3:] == ([{"name": "write", "arguments": "{}"}], "tool_calls")  # unreadable: ignored
            _, _, content, calls, _ = ask(port, dict(request, model="nobody-knows"))  # passes through
            assert content == call % "{}" and calls == [], content
            status, body, *_ = ask(port, request)
            assert (status, body) == (500, '{"error": "busy"}'), (status, body)
        except BaseException:
            log.seek(0)
            print(log.read(), file=sys.stderr)
            raise
        finally:
            gateway.terminate()  # its workers, too
            gateway.wait()
            model.kill()
    print(f"HAProxy: calls, a long call, text, an unknown model, an error, {MANY} streams and a reload pass as they should")


main()
