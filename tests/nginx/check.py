"""The gateway against a scripted server: every cut of its stream, 64 connections at once, and servers that err."""

import asyncio
import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

root, build, unpacked, check = sys.argv[1:5]
AT_ONCE = 64
WORKERS = 4
PATIENCE = 300  # seconds: for what never comes, since a busy machine may let anything wait
failures = 0
begun = 0  # requests that the scripted server has got


def expect(what, got, wanted):
    global failures
    if got != wanted:
        failures += 1
        if failures <= 10:
            print(f"FAILED {what}\n  wanted {wanted!r}\n  got    {got!r}")


# ---- The scripted server ------------------------------------------------------------------------------------------------

HERMES = (
    "<think>Two cities: Paris, Oslo.</think>Let me look — 1 < 2.\n"
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3, "n": 9007199254740993}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Osl\\u00f8 \\"x\\""}}\n</tool_call>'
)
CODER = "I look.\n<tool_call>\n<function=get_weather>\n<parameter=city>\n12\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}, "n": {"type": "integer"}}}}}]


def chunk(delta, reason=None):
    body = {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 7, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


def sse(text, step):
    out = [chunk({"role": "assistant", "content": ""})]
    out += [chunk({"content": text[i:i + step]}) for i in range(0, len(text), step)]
    out.append(chunk({}, "stop"))
    return ("".join(out) + "data: [DONE]\n\n").encode()


def whole(text):
    return json.dumps({"id": "chatcmpl-7", "object": "chat.completion", "created": 7, "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}).encode()


BAD = {
    "error": (500, "application/json", b'{"error": {"message": "out of memory"}}'),
    "packed": (200, "text/event-stream\r\nContent-Encoding: gzip", b"data: <tool_call>"),
    "html": (200, "text/html", b"<html><tool_call>"),
    "notjson": (200, "application/json", b"<tool_call>{"),
    "nochat": (200, "application/json", b'{"object": "list", "data": []}'),
    "garbage": (200, "text/event-stream", b"data: {broken\n\n\xff\xfe: what\n\nevent: x\r\ndata: [1]\r\n\r\ndata: {}\n\n: ping\n\nend"),
    "completion": (200, "text/event-stream", b'data: {"id":"c","object":"text_completion","choices":[{"index":0,"text":"<tool_call>{"}]}\n\ndata: [DONE]\n\n'),
    "errorframe": (200, "text/event-stream", b'data: {"error": {"message": "busy"}}\n\ndata: [DONE]\n\n'),
}
BAD["nofinish"] = (200, "text/event-stream", sse('x <tool_call>{"name": "get_weather", "argum', 9).replace(b'"stop"', b"null"))
CUT = HERMES[:HERMES.index('"n"')]
STREAMS = {"hermes": sse(HERMES, 24), "opened": sse(HERMES[7:], 24), "cut": sse(CUT, 5), "hermes1": sse(HERMES, 1), "coder": sse(CODER, 40)}


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int((re.search(rb"(?i)content-length: *(\d+)", head) or [0, 0])[1])
            global begun
            begun += 1
            asked = json.loads(await reader.readexactly(length))
            script = asked["script"]
            status, kind, body, cuts, hold = 200, "text/event-stream; charset=utf-8", b"", [], None
            if script["kind"] == "stream":
                body = STREAMS[script["text"]]
                cuts, kind = script.get("cuts", []), script.get("type", kind)
            elif script["kind"] == "whole":
                kind, body = "application/json", whole({"hermes": HERMES, "coder": CODER, "cut": CUT}[script["text"]])
            elif script["kind"] == "broken":  # ends in one of the ways below
                body, kind = STREAMS[script["text"]], script.get("type", kind)
            elif script["kind"] == "hold":  # stops in the middle of a call
                body, hold = STREAMS["hermes"][:script["bytes"]], 1
            else:
                status, kind, body = BAD[script["kind"]]
            if script.get("how") == "length":  # says how long the body is to be, and sends less
                writer.write(f"HTTP/1.1 200 X\r\nContent-Type: {kind}\r\nContent-Length: {len(body) + 9}\r\n\r\n".encode() + body)
                await writer.drain()
                return
            writer.write(f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            at = 0
            for to in [*cuts, len(body)]:
                piece, at = body[at:to], to
                if piece:
                    writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    await writer.drain()
                    if cuts:
                        await asyncio.sleep(script.get("slow", 0.001))
            if script.get("how") == "close":
                return
            if script.get("how") == "reset":
                sock = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if hold or script.get("how") == "stall":
                await reader.read()
            await asyncio.sleep(0.005)  # the last chunk in a packet of its own
            writer.write(b"0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


# ---- The client -----------------------------------------------------------------------------------------------------------

async def ask(port, script, path="/hermes/v1/chat/completions", model="m", tools=None, keep=False, chat=True, choice="auto"):
    """The status, the content type and the body that the gateway answers; keep: the open connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    talk = {"messages": []} if chat else {"prompt": "x"}
    request = json.dumps({"model": model, **talk, "stream": True, "tools": tools or TOOLS, "tool_choice": choice,
                          "script": script}).encode()
    writer.write(b"POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                 % (path.encode(), len(request), request))
    await writer.drain()
    if keep:
        await asyncio.wait_for(reader.readuntil(b"get_weather"), PATIENCE)
        return writer
    answer = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"chunked" in head:
        out = b""
        while body:
            size, _, rest = body.partition(b"\r\n")
            n = int(size or b"0", 16)
            out, body = out + rest[:n], rest[n + 2:]
            if n == 0:
                break
        body = out
    kind = re.search(rb"(?i)content-type: *([^\r;]+)", head)
    return int(head.split()[1]), kind[1].decode() if kind else None, body


def add(result, delta, reason):
    for key, to in (("content", "content"), ("reasoning_content", "reasoning")):
        if delta.get(key):
            result[to] = (result[to] or "") + delta[key]
    for i, call in enumerate(delta.get("tool_calls") or []):
        index = call.get("index", i)
        if call["function"].get("name"):
            assert index == len(result["calls"])
            result["calls"].append([call["function"]["name"], ""])
            result["ids"].append(call["id"])
        result["calls"][index][1] += call["function"]["arguments"]
    result["reason"] = reason or result["reason"]


def gathered(body):
    result = {"content": None, "reasoning": None, "calls": [], "ids": [], "reason": None}
    if body.startswith(b"{"):
        choice = json.loads(body)["choices"][0]
        add(result, choice["message"], choice["finish_reason"])
    else:
        frames = body.decode().split("\n\n")
        assert frames[-2:] == ["data: [DONE]", ""], frames[-3:]
        for frame in frames[:-2]:
            choice = json.loads(frame.removeprefix("data: "))["choices"][0]
            add(result, choice["delta"], choice["finish_reason"])
    ids = result.pop("ids")
    assert len(set(ids)) == len(ids)
    seen_ids.extend(ids)
    return result


seen_ids = []


def direct(syntax, text):
    """What `sluice parse` finds in the text."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as tools:
        json.dump(TOOLS, tools)
        tools.flush()
        run = subprocess.run([f"{build}/sluice", "parse", "-s", syntax, "--tools", tools.name], input=text.encode(),
                             stdout=subprocess.PIPE, check=True)
    found = json.loads(run.stdout)
    return {"content": found["content"], "reasoning": found["reasoning"],
            "calls": [[c["name"], c["arguments"]] for c in found["calls"]], "reason": "tool_calls"}


def decoded(result):
    return {**result, "calls": [[name, json.loads(arguments)] for name, arguments in result["calls"]]}


async def all_of(jobs):
    """Runs the jobs, AT_ONCE at a time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(job):
        async with gate:
            return await job
    return await asyncio.gather(*(one(job) for job in jobs))


def memory(pid):
    """Bytes that a process has for itself."""
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return sum(int(line.split()[1]) * 1024 for line in f if line.startswith("Private_"))


def workers(nginx):
    with open(f"/proc/{nginx.pid}/task/{nginx.pid}/children") as f:
        return [int(pid) for pid in f.read().split()]


def processor(nginx):
    """Seconds of processor time that the workers have used."""
    ticks = 0
    for pid in workers(nginx):
        with open(f"/proc/{pid}/stat") as f:
            ticks += sum(int(word) for word in f.read().rpartition(")")[2].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


async def come_true(what, true):
    """Waits until true() is."""
    until = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < until:
        await asyncio.sleep(0.02)
    expect(what, bool(true()), True)


async def under_fire(port, nginx):
    """What clients and servers do to harm the gateway."""
    log = f"{nginx.folder}/log"
    seen = os.path.getsize(log)
    path = "/v1/chat/completions"
    for _ in range(20):
        await ask(port, {"kind": "stream", "text": "hermes"}, path, "evil\n2026/01/01 [alert] forged\x1b[31m\x7f\u009b")
        await ask(port, {"kind": "stream", "text": "hermes"}, path, "another\none")
    text = open(log, errors="replace").read()[seen:]
    expect("a model's name begins no line of the log", re.findall(r"(?m)^(?!\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[).+", text), [])
    expect("nor does it reach a terminal", re.findall("[\x00-\x09\x0b-\x1f\x7f\u0080-\u009f]", text), [])
    expect("an unknown model is told once by each worker", 2 <= text.count("no syntax lists") <= 2 * len(workers(nginx)), True)
    _, _, raw = await ask(port, {"kind": "completion"}, "/hermes/v1/completions", chat=False)
    expect("completions that are no chat pass", raw, BAD["completion"][2])
    await ask(port, {"kind": "packed"})
    expect("a compressed response is told", "a compressed response" in open(log, errors="replace").read(), True)
    # a server that breaks off while text is held back: it comes out, and the end does not
    seen = os.path.getsize(log)
    broken = {"call": 'Hear <tool_call>\n{"name": "get_weather", "argum', "marker": "Hear <tool_ca"}
    STREAMS["half"] = whole(HERMES)[:-9]

    async def break_off(name, how):
        if name in broken:
            STREAMS[name] = sse(broken[name], 8)[:-len(chunk({}, "stop") + "data: [DONE]\n\n")]
        kind = {} if name in broken else {"type": "application/json"}
        _, _, body = await ask(port, {"kind": "broken", "text": name, "how": how, **kind}, ("/stall" if how == "stall" else "/hermes") + path)
        if name in broken:
            said = "".join(json.loads(f[6:])["choices"][0]["delta"].get("content") or "" for f in body.decode().split("\n\n") if f)
            expect(f"what is held comes out ({name}, {how})", said, broken[name])
            expect(f"without an end ({name}, {how})", b'"finish_reason":"' in body or b"DONE" in body, False)
        else:
            expect(f"half a body that is not streamed ({how})", body, STREAMS[name])
    await all_of([break_off(name, how) for name in (*broken, "half") for how in ("close", "reset", "length", "stall")])
    expect("and that is told", open(log, errors="replace").read()[seen:].count("held back are sent"), 12)
    _, _, body = await ask(port, {"kind": "nofinish"})
    expect("what is held comes before the end", body.index(b"argum") < body.index(b"[DONE]"), True)
    # a schema that a client made to be costly: each level doubles the ways
    ways = {"type": "integer"}
    for _ in range(30):
        ways = {"anyOf": [ways, ways]} if len(json.dumps(ways)) < 4000 else ways
    definitions = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(30)}
    definitions["d30"] = {"type": "integer"}
    for what, schema in (("nested", ways), ("by name", {"$ref": "#/$defs/d0"})):
        tool = [{"type": "function", "function": {"name": "get_weather", "parameters": {
            "type": "object", "properties": {"city": schema}, "$defs": definitions}}}]
        for name in ("hermes", "coder"):
            used = processor(nginx)
            status, _, _ = await ask(port, {"kind": "stream", "text": name}, tools=tool,
                                     path="/hermes/v1/chat/completions" if name == "hermes" else path, model="Qwen3-Coder")
            expect(f"a costly schema ({what}, {name}) is answered soon", (status, processor(nginx) - used < 10), (200, True))


async def gateway(port, nginx):
    hermes, coder = direct("hermes", HERMES), direct("qwen3_coder", CODER)
    cuts = [(name, at) for name in ("hermes", "coder") for at in range(1, len(STREAMS[name]))]
    began = time.time()

    async def one(name, at):
        path = "/hermes/v1/chat/completions" if name == "hermes" else "/v1/chat/completions"
        status, kind, body = await ask(port, {"kind": "stream", "text": name, "cuts": [at]}, path, "Qwen/Qwen3-Coder-30B")
        expect(f"{name} cut at {at}", (status, kind, decoded(gathered(body))), (200, "text/event-stream", hermes if name == "hermes" else coder))
    await all_of([one(name, at) for name, at in cuts])
    print(f"{len(cuts)} streams, cut at every byte, {AT_ONCE} at a time: {time.time() - began:.1f} s")
    expect("ids are unique among the workers", len(set(seen_ids)), len(seen_ids))

    _, _, body = await ask(port, {"kind": "stream", "text": "hermes1", "type": "Text/Event-Stream", "cuts": list(range(7, len(STREAMS["hermes1"]), 7))})
    expect("seven bytes at a time", decoded(gathered(body)), hermes)
    for name, path, wanted in (("hermes", "/hermes/v1/chat/completions", hermes), ("coder", "/v1/chat/completions", coder)):
        status, kind, body = await ask(port, {"kind": "whole", "text": name}, path, "Qwen3-Coder")
        expect("an answer that is not streamed", (status, kind, decoded(gathered(body))), (200, "application/json", wanted))
    for name, (status, kind, raw) in BAD.items():
        if name in ("completion", "nofinish"):  # below
            continue
        expect(f"what is no answer: {name}", await ask(port, {"kind": name}), (status, kind.partition("\r")[0], raw))
    for model in (5, None, {"a": 1}, ["x"], True):  # passes on, as the server's own business
        expect(f"a model's name that is {model}", (await ask(port, {"kind": "stream", "text": "hermes"}, "/v1/chat/completions", model))[0],
               200)
    expect("a model that no syntax names", (await ask(port, {"kind": "stream", "text": "hermes"}, "/v1/chat/completions", "unheard-of"))[2],
           STREAMS["hermes"])
    _, _, body = await ask(port, {"kind": "stream", "text": "opened"}, "/v1/chat/completions", "QwQ-32B")
    expect("a model whose prompt opens its reasoning", decoded(gathered(body)), hermes)
    _, _, body = await ask(port, {"kind": "stream", "text": "hermes"}, choice="none")
    expect("the tool choice none: the call is text", "<tool_call>" in decoded(gathered(body))["content"], True)
    _, _, body = await ask(port, {"kind": "stream", "text": "hermes"}, tools=[{"nonsense": 1}])
    expect("tools that are none", decoded(gathered(body))["content"], hermes["content"])
    cut = STREAMS["hermes"].index(b'Osl')
    _, _, body = await ask(port, {"kind": "stream", "text": "hermes", "cuts": [cut], "how": "close"})
    expect("a server that breaks off has its calls so far", b"get_weather" in body, True)

    # a reload in the middle of 500 streams: the old workers end theirs
    step = len(STREAMS["hermes"]) // 12
    script = {"kind": "stream", "text": "hermes", "cuts": list(range(step, len(STREAMS["hermes"]), step)), "slow": 0.1}
    before = workers(nginx)
    seen = begun
    going = [asyncio.ensure_future(ask(port, script)) for _ in range(500)]
    await come_true("half of the streams have begun", lambda: begun >= seen + 250)
    nginx.send_signal(signal.SIGHUP)
    for answer in await asyncio.gather(*going):
        expect("a stream during a reload", decoded(gathered(answer[2])), hermes)
    await come_true("the old workers end", lambda: len(set(workers(nginx)) - set(before)) == len(workers(nginx)) == WORKERS)
    _, _, body = await ask(port, {"kind": "stream", "text": "hermes"})
    expect("a stream after it", decoded(gathered(body)), hermes)

    await under_fire(port, nginx)

    # memory of a connection in the middle of a call
    three_quarters = len(STREAMS["hermes"]) * 3 // 4
    many = 400
    await asyncio.gather(*(ask(port, {"kind": "stream", "text": "hermes"}) for _ in range(AT_ONCE)))
    before = sum(memory(pid) for pid in workers(nginx))
    held = await asyncio.gather(*(ask(port, {"kind": "hold", "bytes": three_quarters}, keep=True) for _ in range(many)))
    after = sum(memory(pid) for pid in workers(nginx))
    for writer in held:
        writer.transport.abort()
    print(f"{many} connections in the middle of a call: {(after - before) / many / 1024:.1f} KB each, nginx's own part with it")


def openai_client(port):
    import openai
    print("openai", openai.__version__)
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{port}/hermes/v1", api_key="x")
    content, calls, reasons = "", {}, []
    wanted = direct("hermes", HERMES)
    with client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], tools=TOOLS, stream=True,
                                        extra_body={"script": {"kind": "stream", "text": "hermes1"}}) as stream:
        for part in stream:
            choice = part.choices[0]
            content += choice.delta.content or ""
            for call in choice.delta.tool_calls or []:
                have = calls.setdefault(call.index, ["", ""])
                have[0] += call.function.name or ""
                have[1] += call.function.arguments or ""
            reasons.append(choice.finish_reason)
    expect("the client's stream", (content, [[n, json.loads(a)] for n, a in calls.values()], reasons[-1]),
           (wanted["content"], wanted["calls"], "tool_calls"))
    with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}],
                                        extra_body={"tools": TOOLS, "script": {"kind": "stream", "text": "hermes"}}) as stream:
        for _ in stream:
            pass
        message = stream.get_final_completion().choices[0].message
    expect("the client's accumulated stream", (message.content, [[c.function.name, json.loads(c.function.arguments)] for c in message.tool_calls]),
           (wanted["content"], wanted["calls"]))
    answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], tools=TOOLS,
                                            extra_body={"script": {"kind": "whole", "text": "hermes"}})
    message = answer.choices[0].message
    expect("the client's whole answer", (message.content, [[c.function.name, json.loads(c.function.arguments)] for c in message.tool_calls]),
           (wanted["content"], wanted["calls"]))
    for kind in ("whole", "stream"):  # of a call that was cut there is nothing to run
        asked = {"model": "m", "messages": [{"role": "user", "content": "x"}], "extra_body": {"tools": TOOLS, "script": {"kind": kind, "text": "cut"}}}
        if kind == "whole":
            answer = client.chat.completions.create(**asked)
            choice = answer.choices[0]
            arguments = choice.message.tool_calls[0].function.arguments
        else:
            arguments = ""
            for part in client.chat.completions.create(**asked, stream=True):
                choice = part.choices[0]
                arguments += "".join(call.function.arguments or "" for call in choice.delta.tool_calls or [])
        expect(f"a cut call ({kind})", (arguments.replace(" ", ""), choice.finish_reason), ('{"city":"Paris","days":3', "length"))


def configure(folder, port, upstream):
    """The example's own configuration, with the ports and the places of this run."""
    for name in ("nginx.conf", "gateway.conf", "gateway.lua"):
        shutil.copy(f"{root}/examples/nginx/{name}", folder)
    text = open(f"{folder}/nginx.conf").read()
    for old, new in (("load_module /usr", f"load_module {unpacked}/usr"), ("listen 8080", f"listen 127.0.0.1:{port}"),
                     ("server 127.0.0.1:8000", f"server 127.0.0.1:{upstream}"), ("/tmp/sluice-gateway.pid", f"{folder}/pid"),
                     ("worker_processes auto", f"worker_processes {WORKERS}"),
                     ('lua_package_path "$prefix/?.lua;;";',
                      f'lua_package_path "{folder}/?.lua;{root}/lua/?.lua;{root}/lua/?/init.lua;{unpacked}/usr/share/lua/5.1/?.lua;;";'
                      f'lua_package_cpath "{build}/lua5.1/?.so;;";'
                      f"client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;"
                      f"uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;")):
        assert old in text, old
        text = text.replace(old, new)
    # a location in front of servers that stall
    with open(f"{folder}/gateway.conf") as short:
        location = short.read().replace("proxy_read_timeout 600s;", "proxy_read_timeout 5s;")
    with open(f"{folder}/stall.conf", "w") as short:
        short.write(location)
    place = 'location /hermes/v1/ {'
    assert place in text and " 5s" in location
    text = text.replace(place, "location /stall/v1/ { set $sluice_syntax hermes; proxy_pass http://model/v1/; include stall.conf; }\n" + place)
    if os.getuid() == 0:
        text = "user root root;\n" + text
    open(f"{folder}/nginx.conf", "w").write(text)


async def main():
    folder = tempfile.mkdtemp(prefix="sluice-nginx-")
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)  # which nginx inherits: so no other program takes the port meanwhile
    listener.setblocking(False)
    port = listener.getsockname()[1]
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20, backlog=1024)
    configure(folder, port, server.sockets[0].getsockname()[1])
    libraries = f"{unpacked}/usr/lib/x86_64-linux-gnu:{unpacked}/lib/x86_64-linux-gnu" if unpacked else os.environ.get("LD_LIBRARY_PATH", "")
    log = open(f"{folder}/log", "w+")
    nginx = subprocess.Popen([f"{unpacked}/usr/sbin/nginx", "-p", folder, "-c", "nginx.conf", "-g", "daemon off;"],
                             env={**os.environ, "LD_LIBRARY_PATH": libraries, "NGINX": f"{listener.fileno()};"},
                             pass_fds=[listener.fileno()], stdout=log, stderr=log)
    listener.close()
    nginx.folder = folder
    try:
        if check == "openai":
            await asyncio.get_running_loop().run_in_executor(None, openai_client, port)
        else:
            await gateway(port, nginx)
    finally:
        nginx.terminate()
        nginx.wait()
        text = open(f"{folder}/log").read()
        if failures or "attempt to" in text or "stack traceback" in text:
            print(text[-3000:])
    expect("no Lua error in nginx's log", "stack traceback" in text or "attempt to" in text, False)
    shutil.rmtree(folder)
    print(f"{failures} failed")
    return 1 if failures else 0


sys.exit(asyncio.run(main()))
