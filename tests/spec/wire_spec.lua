--- Wire formats: what a server sends, cut anywhere, gives what the model's text gives; and it is written again.

local sluice = require "sluice"
local wire = require "sluice.wire"
local support = require "support"
local json = sluice.json

local function maker(syntax, options)
  return function()
    return sluice.stream(syntax, options)
  end
end

-- The text in pieces of about `step` bytes, as JSON; a server does not cut characters.
local function deltas(text, step)
  local at = 1
  return function()
    if at > #text then
      return nil
    end
    local last = at + step - 1
    while text:find("^[\128-\191]", last + 1) do
      last = last + 1
    end
    local piece = text:sub(at, last)
    at = last + 1
    return json.encode(piece)
  end
end

-- A body that a server would send for this text, so many bytes a delta.
local function openai(text, step, finish)
  local out = {}
  local function put(choice, behind)
    out[#out + 1] = ('data: {"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[%s]%s}\n\n')
      :format(choice, behind or "")
  end
  put '{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}'
  for delta in deltas(text, step) do
    put(('{"index":0,"delta":{"content":%s},"finish_reason":null}'):format(delta))
  end
  put(('{"index":0,"delta":{},"finish_reason":"%s"}'):format(finish or "stop"))
  put("", ',"usage":{"prompt_tokens":11,"completion_tokens":22,"total_tokens":33}')
  return table.concat(out) .. "data: [DONE]\n\n"
end

local function anthropic(text, step)
  local out = { 'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",'
    .. '"model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":11,"output_tokens":1}}}\n\n'
    .. 'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
    .. 'event: ping\ndata: {"type": "ping"}\n\n' }
  for delta in deltas(text, step) do
    out[#out + 1] = ('event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta",'
      .. '"text":%s}}\n\n'):format(delta)
  end
  out[#out + 1] = 'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
    .. 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},'
    .. '"usage":{"output_tokens":22}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
  return table.concat(out)
end

local function ollama(text, step)
  local out = {}
  for delta in deltas(text, step) do
    out[#out + 1] = ('{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":%s},"done":false}\n')
      :format(delta)
  end
  out[#out + 1] = '{"model":"m","created_at":"2026-01-01T00:00:01Z","message":{"role":"assistant","content":""},"done":true,'
    .. '"done_reason":"stop","total_duration":123,"prompt_eval_count":11,"eval_count":22}\n'
  return table.concat(out)
end

local servers = { openai = openai, anthropic = anthropic, ollama = ollama }
local names = { "anthropic", "ollama", "openai" }

-- What a filter makes of a body that comes in pieces of `step` bytes (0: whole), or in two at `at`.
local function through(filter, body, step, at)
  local out = {}
  if at then
    out[1] = filter:feed(body:sub(1, at))
    out[2] = filter:feed(body:sub(at + 1))
  else
    step = step > 0 and step or #body
    for i = 1, #body, step do
      out[#out + 1] = filter:feed(body:sub(i, i + step - 1))
    end
  end
  out[#out + 1] = filter:finish()
  return table.concat(out)
end

local function result_of(from, body, make, step)
  return json.decode(through(wire.filter { from = from, to = "result", stream = make }, body, step or 0), { exact = true })
end

-- Content, reasoning and calls, without what is generated.
local function gist(result)
  local function said(text)
    return type(text) == "string" and text or "nothing"
  end
  local out = { said(result.content), said(result.reasoning) }
  for _, call in ipairs(result.calls) do
    local arguments = type(call.arguments) == "string" and json.decode(call.arguments, { exact = true }) or call.arguments
    out[#out + 1] = ("%s %s %s"):format(call.name, json.encode(arguments), call.status)
  end
  return table.concat(out, "\n")
end

local sample = "<think>hm</think>Hello, wörld.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 9007199254740993, \"b\": "
  .. "\"x\\ny\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>"

describe("sluice.wire", function()
  for _, from in ipairs(names) do
    it(("decodes %s cut at every byte"):format(from), function()
      local body = servers[from](sample, 60)
      local expected = gist(sluice.parse("hermes", sample))
      assert.are.equal(expected, gist(result_of(from, body, maker "hermes")))
      local events = through(wire.filter { from = from, to = "events", stream = maker("hermes") }, body, 0)
      events = events:gsub('"call_%w+"', "ID")
      for at = 1, #body - 1 do
        local cut = through(wire.filter { from = from, to = "events", stream = maker("hermes") }, body, 0, at)
        assert.are.equal(events, (cut:gsub('"call_%w+"', "ID")))
      end
    end)

    for _, to in ipairs(names) do
      it(("turns %s into %s, which gives the same answer again"):format(from, to), function()
        local body = through(wire.filter { from = from, to = to, stream = maker "hermes" }, servers[from](sample, 3), 2)
        assert.are.equal(gist(sluice.parse("hermes", sample)), gist(result_of(to, body, maker "hermes", 1)))
        -- written once more it is the same, but for the ends of calls, which each format tells in its own way
        local again = through(wire.filter { from = to, to = to, stream = maker "hermes" }, body, 0)
        assert.are.equal(gist(result_of(to, body, maker "hermes")), gist(result_of(to, again, maker "hermes")))
        assert.is_nil(body:find("tool_call>", 1, true))
        local tokens = to == "openai" and '"completion_tokens":22' or to == "anthropic" and '"output_tokens":22'
          or '"eval_count":22'
        assert.is_truthy(body:find(tokens, 1, true), body)
      end)
    end
  end

  for _, name in ipairs(support.syntaxes()) do
    it(("gives the calls of %s's examples out of every wire format"):format(name), function()
      for _, example in ipairs(sluice.description(name).examples or {}) do
        local options = { tools = example.tools }
        local expected = gist(sluice.parse(name, example.text, options))
        for _, from in ipairs(names) do
          assert.are.equal(expected, gist(result_of(from, servers[from](example.text, 4), maker(name, options), 7)))
        end
      end
    end)
  end

  it("decodes a body that is not streamed", function()
    local text = json.encode(sample)
    local expected = gist(sluice.parse("hermes", sample))
    local bodies = {
      openai = ('{"id":"c1","object":"chat.completion","created":7,"model":"m","choices":[{"index":0,"message":{"role":'
        .. '"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}'):format(text),
      anthropic = ('{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%s}],'
        .. '"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}'):format(text),
      ollama = ('{"model":"m","created_at":"x","message":{"role":"assistant","content":%s},"done":true}'):format(text),
    }
    for _, from in ipairs(names) do
      assert.are.equal(expected, gist(result_of(from, bodies[from], maker "hermes", 3)))
      local sent = through(wire.filter { from = from, to = "openai", stream = maker "hermes" }, bodies[from], 0)
      assert.is_truthy(sent:find('"finish_reason":"tool_calls"', 1, true))
      assert.are.equal("data: [DONE]\n\n", sent:sub(-14))
      -- and rewrites it: all else stays
      local rewritten = wire.body(from, bodies[from], maker "hermes")
      assert.is_nil(rewritten:find("tool_call>", 1, true))
      assert.are.equal(expected, gist(result_of(from, rewritten, maker "hermes")))
    end
    local plain = '{ "choices": [ {"message": {"content": "Hi"}} ], "x": 1.50 }'
    assert.are.equal(plain, wire.body("openai", plain, maker "hermes"))
    local rewritten = json.decode(wire.body("openai", bodies.openai:gsub('"model":"m"', '"model":"m","seed":12345678901234567890'),
      maker "hermes"), { exact = true })
    assert.are.equal("12345678901234567890", tostring(rewritten.seed))
    assert.are.equal("tool_calls", rewritten.choices[1].finish_reason)
    assert.are.equal("Hello, wörld.\n", rewritten.choices[1].message.content)
    assert.are.equal("hm", rewritten.choices[1].message.reasoning_content)
    assert.are.equal('{"a": 9007199254740993, "b": "x\\ny"}', rewritten.choices[1].message.tool_calls[1]["function"].arguments)
    for _, broken in ipairs { "", "no", "[]", '{"error": {"message": "m"}}', '{"choices": 1}', '{"content": "x"}' } do
      for _, from in ipairs(names) do
        local text_out, why = wire.body(from, broken, maker "hermes")
        assert.is_nil(text_out)
        assert.is_string(why)
      end
    end
  end)

  -- Events of an OpenAI body with these lists of choices in its chunks.
  local function events_of(chunks, make)
    local decoder = wire.decoder("openai", make or maker "hermes")
    local list = {}
    for _, choices in ipairs(chunks) do
      for event in decoder:feed('data: {"choices":[' .. choices .. "]}\n\n") do
        list[#list + 1] = event
      end
    end
    for event in decoder:finish() do
      list[#list + 1] = event
    end
    return list
  end

  local function brief(events)
    local out = {}
    for _, e in ipairs(events) do
      if e.type ~= "message" then
        out[#out + 1] = table.concat({ e.type, tostring(e.choice), e.index or "-", e.text or e.name or e.status or e.reason or "" }, " ")
      end
    end
    return out
  end

  it("passes on what the server parsed itself", function()
    local events = events_of {
      '{"index":0,"delta":{"reasoning_content":"let me"}}', '{"index":0,"delta":{"reasoning":" see"}}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"x\\":"}}]}}',
      '{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g"}}]}}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}',
      '{"index":0,"delta":{"content":"<tool_call>{\\"name\\":\\"h\\",\\"arguments\\":{}}</tool_call>"}}',
      '{"index":0,"delta":{},"finish_reason":"stop"}' }
    assert.are.same({ "reasoning 1 - let me", "reasoning 1 -  see", "call_begin 1 1 f", 'arguments 1 1 {"x":', "call_begin 1 2 g",
      "arguments 1 1 1}", "call_begin 1 3 h", "arguments 1 3 {}", "call_end 1 3 complete", "call_end 1 1 complete",
      "arguments 1 2 {}", "call_end 1 2 complete", "finish 1 - tool_calls" }, brief(events))
  end)

  it("takes what is no place in a list for the first", function()
    for _, index in ipairs { "0.5", "-1", "1e300", '"x"', "null" } do
      local events = events_of { ('{"index":%s,"delta":{"content":"a"}}'):format(index) }
      assert.are.equal("text 1 - a", brief(events)[1], index)
    end
  end)

  it("keeps the choices apart", function()
    local events = events_of { '{"index":1,"delta":{"content":"<tool_ca"}},{"index":0,"delta":{"content":"a<tool_"}}',
      '{"index":1,"delta":{"content":"ll>{\\"name\\":\\"f\\",\\"arguments\\":{}}</tool_call>"}}',
      '{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}', '{"index":1,"delta":{},"finish_reason":"stop"}' }
    assert.are.same({ "text 1 - a", "call_begin 2 1 f", "arguments 2 1 {}", "call_end 2 1 complete", "text 1 - <tool_b",
      "finish 1 - stop", "finish 2 - tool_calls" }, brief(events))
  end)

  it("says length, not tool_calls, where a call was cut", function()
    local cut = '<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{\\"x\\":\\"ab'
    local events = events_of { '{"index":0,"delta":{"content":"' .. cut .. '"},"finish_reason":"stop"}' }
    assert.are.equal("length", events[#events].reason)
    assert.are.equal("incomplete", events[#events - 1].status)
  end)

  it("ends without a finish where the server did", function()
    local body = openai(sample, 5):gsub("data: %[DONE%]\n\n$", ""):gsub("data: [^\n]*usage[^\n]*\n\n", "")
      :gsub("data: [^\n]*\"finish_reason\":\"stop\"[^\n]*\n\n", "")
    local out = through(wire.filter { from = "openai", to = "openai", stream = maker "hermes" }, body, 0)
    assert.is_nil(out:find('"finish_reason":"', 1, true))
    assert.is_nil(out:find("[DONE]", 1, true))
    assert.is_truthy(out:find('"name":"g"', 1, true))
    out = through(wire.filter { from = "openai", to = "anthropic", stream = maker "hermes" }, body, 0)
    assert.is_nil(out:find("message_stop", 1, true))
    out = through(wire.filter { from = "openai", to = "ollama", stream = maker "hermes" }, body, 0)
    assert.is_nil(out:find('"done":true', 1, true))
  end)

  it("passes what is no answer through unchanged, at every cut", function()
    local frames = { ": a comment\n\n", "\n", 'data: {"error":{"message":"busy"}}\n\n', "data: {broken\n\n",
      "event: odd\r\ndata: x\r\n\r\n",
      "nonsense without a colon\n\n", 'data: {"choices":"none"}\n\n', "data: [1]\ndata: 2\n\n", "id: 3\n\n", "the end" }
    local body = table.concat(frames)
    for at = 0, #body do
      local out = through(wire.filter { from = "openai", to = "openai", stream = maker "hermes" }, body, 0, at)
      assert.are.equal(body, out)
    end
    assert.are.equal(body, through(wire.filter { from = "openai", to = "openai", stream = maker "hermes" }, body, 1))
    local other = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\nevent: ping\ndata: {"type":"ping"}\n\n'
    assert.are.equal(other, through(wire.filter { from = "anthropic", to = "anthropic", stream = maker "hermes" }, other, 1))
    local lines = '{"error":"model not found"}\n\nnot json\n'
    assert.are.equal(lines, through(wire.filter { from = "ollama", to = "ollama", stream = maker "hermes" }, lines, 1))
    -- in a result it is told
    local result = result_of("openai", 'data: {"error":{"message":"busy"}}\n\n', maker "hermes")
    assert.are.equal("bad_response", result.errors[1].code)
    assert.is_truthy(result.errors[1].message:find("busy", 1, true))
  end)

  it("keeps what comes beside the answer", function()
    local body = 'data: {"id":"c","created":7,"model":"m","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"Hi",'
      .. '"refusal":"no","role":"assistant"},"logprobs":{"content":[{"token":"Hi","logprob":-0.10}]},"finish_reason":null}]}\n\n'
    local out = through(wire.filter { from = "openai", to = "openai", stream = maker "hermes" }, body, 0)
    assert.is_truthy(out:find('"system_fingerprint":"fp"', 1, true))
    assert.is_truthy(out:find('"refusal":"no"', 1, true))
    assert.is_truthy(out:find('"logprob":-0.10', 1, true))
    local other = { 'data: {"type":"message_start","message":{"id":"x","content":[]}}\n\n',
      'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"<think>a</think>b"}}\n\n',
      'data: {"type":"content_block_stop","index":0}\n\n',
      'data: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s"}}\n\n',
      'data: {"type":"content_block_stop","index":1}\n\n', 'data: {"type":"message_stop"}\n\n' }
    out = through(wire.filter { from = "anthropic", to = "anthropic", stream = maker "hermes" }, table.concat(other), 0)
    assert.is_truthy(out:find('"index":2,"content_block":{"type":"server_tool_use"', 1, true), out)
  end)

  it("hands a frame that is too long on as it comes", function()
    local frames = require "sluice.wire.frames"
    for _, kind in ipairs { "sse", "lines" } do
      local long = "data: " .. ("x"):rep(100) .. (kind == "sse" and "\n\n" or "\n")
      local body = long .. (kind == "sse" and "data: y\n\n" or "y\n")
      for step = 1, #body do
        local raw, data, most = {}, {}, 0
        local f = frames.new(kind, function(r, d)
          raw[#raw + 1] = r
          data[#data + 1] = d
          most = math.max(most, #r)
        end, 40)
        for i = 1, #body, step do
          f:feed(body:sub(i, i + step - 1))
        end
        f:finish()
        assert.are.equal(body, table.concat(raw))
        assert.are.same({ "y" }, data)
        assert.is_true(most <= 40 + step)
      end
    end
  end)

  it("does the same work for each byte, however the frames are cut", function()
    local function work(bytes)
      local text = ("word "):rep(bytes / 5)
      local body = openai(text, 20)
      local decoder = wire.decoder("openai", maker "hermes")
      local count = 0
      debug.sethook(function()
        count = count + 1
      end, "", 100)
      for i = 1, #body, 16 do
        for _ in decoder:feed(body:sub(i, i + 15)) do end
      end
      debug.sethook()
      return count / bytes
    end
    local small, large = work(2000), work(40000)
    assert.is_true(large < small * 1.2, ("%g and %g"):format(small, large))
  end)

  it("refuses what it does not know, in a sentence", function()
    assert.has_error(function()
      wire.decoder("opnai", maker "hermes")
    end, "nothing is decoded from 'opnai'; the nearest is 'openai'")
    assert.has_error(function()
      wire.encoder "xml"
    end, "nothing is encoded to 'xml'")
  end)
end)
