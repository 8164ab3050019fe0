--- Wire formats: a server's body, in any chunks, gives the same result as the model's text; and it is written again.

local sluice = require "sluice"
local wire = require "sluice.wire"
local support = require "support"
local json = sluice.json

local function maker(syntax, options)
  return function()
    return sluice.stream(syntax, options)
  end
end

-- The text in pieces of about `step` bytes, as JSON; servers do not cut characters.
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

-- A server's body for this text, with `step` bytes per delta.
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

-- A filter's output for a body in pieces of `step` bytes (0: whole), or cut in two at `at`.
local function through(filter, body, step, at)
  local out = {}
  if at then
    out[1] = filter:feed(body:sub(1, at))
    out[2] = filter:feed(body:sub(at + 1))
  else
    step = step > 0 and step or math.max(#body, 1)
    for i = 1, #body, step do
      out[#out + 1] = filter:feed(body:sub(i, i + step - 1))
    end
  end
  out[#out + 1] = filter:finish()
  return table.concat(out)
end

-- The output of a filter between two formats.
local function turned(from, to, body)
  return through(wire.filter { from = from, to = to, stream = maker "hermes" }, body, 0)
end

local function result_of(from, body, make, step)
  return json.decode(through(wire.filter { from = from, to = "result", stream = make }, body, step or 0), { exact = true })
end

-- Content, reasoning and calls, without generated ids.
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

describe("frames that are like the one before", function()
  -- The texts that a decoder finds in frames with these contents (JSON text); `change` edits each frame.
  local function texts(contents, change)
    local decoder, out = wire.decoder("openai", maker "json"), {}
    for i, content in ipairs(contents) do
      local frame = ('data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}\n\n'):format(content)
      for event in decoder:feed(change and change(frame, i) or frame) do
        out[#out + 1] = event.text
      end
    end
    for event in decoder:finish() do
      out[#out + 1] = event.text
    end
    return table.concat(out)
  end

  it("have the text that each of them says", function()
    local contents = { '"a"', '"b "', '"\\"q\\""', '"\\\\"', '"\\u00e9\\n"', '"é😀"', '""',
      '"\\"content\\":\\""', '"}]}"', '"\\ud83d\\ude00"', '"z"' }
    assert.are.equal('ab "q"\\é\né😀"content":"}]}😀z', texts(contents))
    assert.are.equal('ab "q"\\é\né😀"content":"}]}😀z', texts(contents, function(frame, i)
      return (frame:gsub('"id":"c"', '"id":"d"', i % 3 == 0 and 1 or 0)) -- unlike the one before
    end))
  end)

  it("are read whole if something else changes, too", function()
    assert.are.equal("ac", texts({ '"a"', '"b"', '"c"' }, function(frame, i)
      return i == 2 and frame:gsub('"content":"b"', '"content":null') or frame
    end))
    assert.are.equal("abc", texts({ '"a"', '"b"', '"c"' }, function(frame, i)
      return i == 2 and frame:gsub('"finish_reason":null', '"finish_reason":null,"extra":1') or frame
    end))
  end)

  it("are no JSON where a quote is missing or too many", function()
    local decoder, kinds = wire.decoder("openai", maker "json"), {}
    for _, content in ipairs { '"a"', '"b"c"', '"d\\"', '"e"' } do
      for event in decoder:feed(('data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n'):format(content)) do
        kinds[#kinds + 1] = event.type == "text" and event.text or event.type
      end
    end
    assert.are.same({ "message", "a", "other", "other", "e" }, kinds)
  end)
end)

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
      it(("converts %s to %s, which gives the same answer"):format(from, to), function()
        local body = through(wire.filter { from = from, to = to, stream = maker "hermes" }, servers[from](sample, 3), 2)
        assert.are.equal(gist(sluice.parse("hermes", sample)), gist(result_of(to, body, maker "hermes", 1)))
        -- written again it is the same, except for the ends of calls, which differ between formats
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
    it(("gives the calls of %s's examples from every wire format"):format(name), function()
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
      for _, to in ipairs(names) do
        local sent = through(wire.filter { from = from, to = to, stream = maker "hermes" }, bodies[from], 3)
        assert.are.equal(expected, gist(result_of(to, sent, maker "hermes")))
        -- a whole answer in the same format, else a stream
        assert.are.equal(from == to, json.kind(json.decode(sent)) == "object", from .. " to " .. to)
      end
    end
    -- a rewritten answer keeps everything else, and what is none
    local function rewritten(from, body)
      return through(wire.filter { from = from, to = from, stream = maker "hermes" }, body, 3)
    end
    local plain = '{ "choices": [ {"message": {"content": "Hi"}} ], "x": 1.50 }'
    assert.are.equal(plain, rewritten("openai", plain))
    local out = json.decode(rewritten("openai", bodies.openai:gsub('"model":"m"', '"model":"m","seed":12345678901234567890')),
      { exact = true })
    assert.are.equal("12345678901234567890", tostring(out.seed))
    assert.are.equal("tool_calls", out.choices[1].finish_reason)
    assert.are.equal("Hello, wörld.\n", out.choices[1].message.content)
    assert.are.equal("hm", out.choices[1].message.reasoning_content)
    assert.are.equal('{"a": 9007199254740993, "b": "x\\ny"}', out.choices[1].message.tool_calls[1]["function"].arguments)
    for _, broken in ipairs { "", "no", "[]", '{"error": {"message": "m"}}', '{"choices": 1}', '{"content": "x"}' } do
      for _, from in ipairs(names) do
        assert.are.equal(broken, rewritten(from, broken))
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

  it("passes on calls that the server parsed", function()
    local events = events_of {
      '{"index":0,"delta":{"reasoning_content":"let me"}}', '{"index":0,"delta":{"reasoning":" see"}}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"x\\":"}}]}}',
      '{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g"}}]}}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}',
      '{"index":0,"delta":{"content":"<tool_call>{\\"name\\":\\"h\\",\\"arguments\\":{}}</tool_call>"}}',
      '{"index":0,"delta":{},"finish_reason":"stop"}' }
    assert.are.same({ "reasoning 1 - let me", "reasoning 1 -  see", "call_begin 1 1 f", "arguments 1 1 {", "call_begin 1 2 g",
      'arguments 1 1 "x":1}', "call_begin 1 3 h", "arguments 1 3 {}", "call_end 1 3 complete", "call_end 1 1 complete",
      "arguments 1 2 {}", "call_end 1 2 complete", "finish 1 - tool_calls" }, brief(events))
  end)

  it("reads text after reasoning that the server parsed as text, whatever the option `start` says", function()
    local body = 'data: {"choices":[{"delta":{"reasoning_content":"a"}}]}\n\ndata: {"choices":[{"delta":{"content":"b"}}]}\n\n'
    for _, syntax in ipairs { "hermes", "auto" } do
      assert.are.equal("b\na", gist(result_of("openai", body, maker(syntax, { start = "reasoning" }))))
    end
  end)

  it("treats an invalid index as the first", function()
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

  -- The body of a server that parsed one call with these arguments (as JSON), in one piece or in many.
  local function parsed(arguments, step)
    local out = { '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}' }
    local text = json.decode(arguments)
    for piece in (type(text) == "string" and deltas(text, step or #text + 1) or function() end) do
      out[#out + 1] = '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":' .. piece .. "}}]}}]}"
    end
    if type(text) ~= "string" then
      out[1] = out[1]:gsub('"arguments":""', function()
        return '"arguments":' .. arguments
      end)
    end
    out[#out + 1] = '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}'
    return "data: " .. table.concat(out, "\n\ndata: ") .. "\n\n"
  end

  it("reads the arguments of calls that the server parsed: one object, with `valid`", function()
    local tools = { { name = "f", parameters = { type = "object", properties = { x = { type = "integer" } } } } }
    for _, case in ipairs {
      { [[""]], "{}", "complete", true }, { [["  "]], "{}", "complete", true }, { [["null"]], "{}", "complete", true },
      { "null", "{}", "complete", true },
      { [["{\"x\":1}"]], '{"x":1}', "complete", true },
      { [[" {\"x\": 9007199254740993}\n"]], '{"x": 9007199254740993}', "complete", true },
      { [[{"x":12345678901234567890}]], '{"x": 12345678901234567890}', "complete", true }, -- an object, as some servers send it
      { [["\"{\\\"x\\\":1}\""]], '{"x":1}', "complete", true }, -- encoded twice
      { [["{'x': 1}"]], '{"x": 1}', "recovered", true, "repaired" },
      { [["{\"x\":1},"]], '{"x":1}', "recovered", true, "repaired" },
      { [["{\"x\":1}}"]], '{"x":1}', "recovered", true, "repaired" },
      { [["{\"x\":\"a\"}"]], '{"x":"a"}', "complete", false, "schema_mismatch" },
      { [["{\"s\":\"a"]], '{"s":"a"}', "incomplete", false, "unfinished_call" }, -- cut
      { [["{\"s\":\"a\""]], '{"s":"a"}', "incomplete", false, "unfinished_call" },
      { [["{"]], "{}", "incomplete", false, "unfinished_call" }, { [["{\"x\":1"]], "{}", "incomplete", false, "unfinished_call" },
      { [["{\"s\":["]], '{"s":[]}', "incomplete", false, "unfinished_call" },
      { [["{\"x\":1}{\"x\":2}"]], '{"x":1}', "incomplete", false, "bad_arguments" },
      { [["{\"x\":1} y"]], '{"x":1}', "incomplete", false, "bad_arguments" },
      { [["[1]"]], "{}", "incomplete", false, "bad_arguments" },
      { "[1]", "{}", "incomplete", false, "bad_arguments" }, { [["x=1"]], "{}", "incomplete", false, "bad_arguments" },
      { "7", "{}", "incomplete", false, "bad_arguments" }, { [["\"abc"]], "{}", "incomplete", false, "bad_arguments" } } do
      for step = 0, 3 do
        local body = parsed(case[1], step > 0 and step or nil)
        local result = result_of("openai", body, maker("hermes", { tools = tools }))
        local call = result.calls[1]
        local text = case[1] .. " in pieces of " .. step
        assert.are.equal(1, #result.calls, text)
        assert.are.same({ (case[2]:gsub(" ", "")), case[3], case[4] }, { json.encode(call.arguments), call.status, call.valid }, text)
        assert.are.equal(case[5], result.errors[#result.errors] and result.errors[#result.errors].code, text)
        local sent = turned("openai", "openai", body)
        assert.are.equal(case[3] == "incomplete" and "length" or "tool_calls", sent:match '"finish_reason":"([%w_]+)"', text)
        local line = turned("openai", "ollama", body)
        for one in line:gmatch "[^\n]+" do
          assert.is_truthy(json.decode(one), one)
        end
      end
    end
    local unknown = result_of("openai", (parsed [["{}"]]):gsub('"name":"f"', '"name":"g"'), maker("hermes", { tools = tools }))
    assert.are.same({ false, "unknown_tool", "0" }, { unknown.calls[1].valid, unknown.errors[1].code, tostring(unknown.errors[1].index) })
    local lines = '{"message":{"tool_calls":[{"function":{"name":"f","arguments":%s}}]},"done":true}\n'
    for _, given in ipairs { [[{"x": 1}]], [["{\"x\": 1}"]] } do
      for _, brace in ipairs { "{", " { \r\n" } do -- a line; a body on several
        local calls = result_of("ollama", lines:format(given):gsub("{", brace, 1), maker "hermes").calls
        assert.are.equal('{"x": 1}', json.encode(calls[1].arguments, ", ", ": "))
      end
    end
  end)

  it("accepts any object with feed and finish as a stream", function()
    local fed = {}
    local function none() end
    local decoder = wire.decoder("openai", function()
      return { feed = function(_, bytes)
        fed[#fed + 1] = bytes
        return none
      end, finish = function()
        return none
      end }
    end)
    local said = {}
    for event in decoder:feed('data: {"choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"index":0,"function":{"name":"f",'
      .. '"arguments":"{}"}}]},"finish_reason":"stop"}]}\n\n') do
      said[#said + 1] = event.type .. (event.status or "")
    end
    assert.are.same({ "a" }, fed)
    assert.are.same({ "message", "call_begin", "arguments", "call_endcomplete", "finish" }, said)
  end)

  it("treats a call with another id as another call, whatever its number", function()
    for _, index in ipairs { '"index":0,', "" } do
      local part = '{"index":0,"delta":{"tool_calls":[{' .. index .. '"id":"%s","function":{"name":"%s","arguments":"{\\"a\\":%d}"}}]}}'
      assert.are.same({ "call_begin 1 1 f", 'arguments 1 1 {"a":1}', "call_end 1 1 complete", "call_begin 1 2 f", 'arguments 1 2 {"a":2}',
        "call_end 1 2 complete", "finish 1 - tool_calls" },
        brief(events_of { part:format("a", "f", 1), part:format("b", "f", 2), '{"index":0,"delta":{},"finish_reason":"stop"}' }))
    end
    -- and one with the same id, or none, as the same
    local again = '{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"%s"}}]}}'
    assert.are.same({ "call_begin 1 1 f", "arguments 1 1 {", "arguments 1 1 }", "call_end 1 1 complete" },
      brief(events_of { again:format "{", again:format "}" }))
  end)

  it("ends a call that begins after the end of its choice", function()
    local events = brief(events_of { '{"index":0,"delta":{},"finish_reason":"stop"}',
      '{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}' })
    assert.are.equal("call_end 1 1 complete", events[#events])
  end)

  it("reports a response without an answer", function()
    for _, from in ipairs(names) do
      for _, body in ipairs { "", "<html>502 Bad Gateway</html>", "[1]", ": comment\n\n", '{"error":"busy"}', "\n", "event: ping\n\n" } do
        local result = result_of(from, body, maker "hermes")
        assert.are.equal("bad_response", result.errors[1] and result.errors[1].code, from .. ": " .. body)
        assert.are.equal(1, #result.errors)
        assert.are.equal(body, turned(from, from, body))
        local other = from == "openai" and "anthropic" or "openai"
        assert.is_truthy(turned(from, other, body):find('"error"', 1, true))
      end
    end
    assert.are.same({}, result_of("openai", "data: [DONE]\n\n", maker "hermes").errors)
  end)

  it("passes on the server's own message", function()
    local own = '{"error":{"type":"x","code":404,"message":"no model \\"m\\""}}'
    local bodies = { openai = own, anthropic = '{"type":"error",' .. own:sub(2), ollama = '{"error":"no model \\"m\\""}' }
    for _, from in ipairs(names) do
      for _, body in ipairs { bodies[from], from ~= "ollama" and "data: " .. bodies[from] .. "\n\n" or nil } do
        assert.are.equal(body, turned(from, from, body))
        assert.are.equal('no model "m"', result_of(from, body, maker "hermes").errors[1].message)
        for _, to in ipairs(names) do
          local said = from ~= to and json.decode((turned(from, to, body):match "{.*}"))
          assert.is_truthy(not said or said.error == 'no model "m"' or said.error.message == 'no model "m"', from .. " to " .. to)
        end
      end
    end
  end)

  it("without tools to call passes a call's markup as text", function()
    local make = maker("hermes", { tools = {}, unknown_tools = "text" })
    local expected = sluice.parse("hermes", sample)
    for _, from in ipairs(names) do
      local result = result_of(from, servers[from](sample, 4), make)
      assert.are.same({}, result.calls)
      assert.are.equal(expected.reasoning, result.reasoning)
      assert.are.equal(sample:match "</think>%s*(.*)$", result.content)
    end
  end)

  it("reports an error beside a choice", function()
    local body = 'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"error"}],'
      .. '"error":{"message":"busy"}}\n\ndata:  [DONE] \n\n'
    local result = result_of("openai", body, maker "hermes")
    assert.are.equal("a", result.content)
    assert.is_truthy(result.errors[1].message:find("busy", 1, true))
    assert.are.equal(1, select(2, turned("openai", "openai", body):gsub("busy", "")))
    local ended = body:gsub(',"error":%b{}', ""):match "^[^\n]*\n\n"
    assert.are.equal(1, #result_of("openai", ended:rep(2), maker "hermes").errors)
    local call = [["<tool_call>\n{\"name\": \"f\", \"arguments\": {}"]] -- and it may have cut this one
    assert.are.equal("incomplete", result_of("openai", (body:gsub('"a"', call)), maker "hermes").calls[1].status)
    local whole = '{"choices":[{"message":{"content":"a"},"finish_reason":"error","error":{"message":"busy"}},'
      .. '{"index":1,"message":{"content":"a"}}]}'
    for said, cut in pairs { busy = whole, ["ended the answer"] = whole:gsub(',"error":%b{}', "") } do -- in one: the other is whole
      local events = turned("openai", "events", (cut:gsub('"a"', call)))
      assert.is_truthy(events:find(said, 1, true))
      assert.are.equal("incomplete recovered ", (events:gsub('.-"status": "(%a+)"', "%1 "):match "^[%a ]+"))
    end
  end)

  it("reports calls of another kind that the format does not take along", function()
    for from, body in pairs { openai = '{"choices":[{"message":{"tool_calls":[%s]}}]}',
      ollama = '{"message":{"tool_calls":[%s]},"done":true}' } do
      body = body:format '{"name":"f","arguments":{}}'
      assert.is_truthy(result_of(from, body, maker "hermes").errors[1].message:find "another kind: {\"name\":\"f\"")
      assert.are.equal(body, (turned(from, from, body):gsub("\n$", "")))
    end
  end)

  it("accepts one call in place of a list, and null in place of a list of choices", function()
    local body = 'data: {"choices":[{"delta":{"tool_calls":{"function":{"name":"f","arguments":"{}"}}},"finish_reason":"stop"}]}\n\n'
      .. 'data: {"choices":null,"usage":{"prompt_tokens":11}}\n\n'
    local result = result_of("openai", body, maker "hermes")
    assert.are.same({ "f", 0 }, { result.calls[1].name, #result.errors })
    assert.is_truthy(turned("openai", "openai", body):find('"choices":null,"usage"', 1, true))
    assert.is_truthy(turned("openai", "openai", body):find('"arguments":"{}"', 1, true))
  end)

  it("reads text after the end of its choice, which servers give in every frame, unless reasoning is open there", function()
    local frame = 'data: {"choices":[{"delta":{"content":%s},"finish_reason":"stop"}]}\n\n'
    local call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    for first, calls in pairs { ["Hi"] = 1, ["<think>Hi"] = 0 } do
      local body = frame:format(json.encode(first)) .. frame:format(json.encode(call))
      local result = result_of("openai", body, maker "hermes")
      assert.are.equal(calls, #result.calls)
      assert.is_truthy(result.errors[1].message:find "after the end of its choice")
      assert.are.equal(calls > 0 and #"Hi" + #call or nil, result.calls[1] and json.number(result.calls[1]["end"]))
      assert.are.equal(calls > 0 and "tool_calls" or "stop", turned("openai", "openai", body):match '.*"finish_reason":"([%w_]+)"')
    end
  end)

  it("sends text that it held before what the server sends after it", function()
    local body = 'data: {"choices":[{"delta":{"content":"See."}}]}\n\n'
      .. 'data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}\n\n'
    local out = through(wire.filter { from = "openai", to = "anthropic", stream = maker "llama3_json" }, body, 0)
    assert.is_true(out:find('"text":"."', 1, true) < out:find('"tool_use"', 1, true))
    local function event(index, members)
      local kind = members:find "^.content" and "start" or "delta"
      return ('data: {"type":"content_block_%s","index":%d,%s}\n\n'):format(kind, index, members)
    end
    body = event(0, '"content_block":{"type":"text","text":"<"}') .. event(0, '"delta":{"type":"citations_delta"}')
      .. event(1, '"content_block":{"type":"text","text":"<tool"}') .. event(2, '"content_block":{"type":"server_tool_use"}')
    out = turned("anthropic", "anthropic", body)
    assert.is_true(out:find('"text":"<"', 1, true) < out:find("citations", 1, true), out)
    assert.is_true(out:find('"text":"<tool"', 1, true) < out:find("server_tool_use", 1, true), out)
  end)

  it("keeps other members of a call of Ollama's", function()
    local body = '{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{},"index":0}}]},"done":true}\n'
    assert.are.equal(body, turned("ollama", "ollama", body))
  end)

  it("translates servers' own words for the end", function()
    for word, wanted in pairs { eos_token = "end_turn", STOP = "end_turn", error = "error" } do
      assert.are.equal(wanted, turned("openai", "anthropic", openai("Hi", 5, word)):match '"stop_reason":"(%a[%w_]+)')
    end
    local body = '{"content":[{"type":"text","text":"Hi"}],"stop_reason":"model_context_window_exceeded"}'
    assert.are.equal("length", turned("anthropic", "openai", body):match '"finish_reason":"(%w+)"')
    assert.are.equal(body, turned("anthropic", "anthropic", body))
  end)

  it("ends an answer whose end comes twice once", function()
    local body = openai(sample, 5) .. "data: [DONE]\n\n"
    for to, last in pairs { anthropic = "event: message_stop", ollama = '"done":true', openai = '"finish_reason":"tool_calls"' } do
      assert.are.equal(1, select(2, turned("openai", to, body):gsub(last, "")), to)
    end
  end)

  it("ends the answer if the server gave a reason but no last frame", function()
    local body = openai(sample, 5):gsub("data: %[DONE%]\n\n$", "")
    local out = turned("openai", "anthropic", body)
    assert.are.equal(1, select(2, out:gsub('"stop_reason":"tool_use"', "")))
    assert.are.equal(1, select(2, out:gsub("event: message_stop", "")))
    out = turned("openai", "ollama", body)
    assert.are.equal(1, select(2, out:gsub('"done":true', "")))
    -- and not twice
    out = turned("openai", "ollama", body .. "data: [DONE]\n\n")
    assert.are.equal(1, select(2, out:gsub('"done":true', "")))
  end)

  it("converts refusals and legacy function calls to other formats", function()
    local body = 'data: {"choices":[{"index":0,"delta":{"refusal":"I can"}}]}\n\n'
      .. 'data: {"choices":[{"index":0,"delta":{"refusal":"not"},"finish_reason":"stop"}]}\n\n'
    assert.are.equal("I cannot", result_of("openai", body, maker "hermes").content)
    assert.is_truthy(turned("openai", "anthropic", body):find('"stop_reason":"refusal"', 1, true))
    assert.is_truthy(turned("openai", "openai", body):find('"refusal":"I can"', 1, true))
    body = 'data: {"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":"{\\"a\\":"}}}]}\n\n'
      .. 'data: {"choices":[{"index":0,"delta":{"function_call":{"arguments":"1}"}},"finish_reason":"function_call"}]}\n\n'
    local result = result_of("openai", body, maker "hermes")
    local call = result.calls[1]
    assert.are.same({ "f", '{"a":1}', "complete" }, { call.name, json.encode(call.arguments), call.status })
    assert.is_truthy(turned("openai", "anthropic", body):find('"stop_reason":"tool_use"', 1, true))
    assert.is_truthy(turned("openai", "openai", body):find('"finish_reason":"function_call"', 1, true))
  end)

  it("is as fast for a choice with a large number", function()
    local result = turned("openai", "result",
      'data: {"choices":[{"index":9007199254740990,"delta":{"content":"x"}}]}\n\n')
    assert.is_truthy(result:find('"content": "x"', 1, true))
  end)

  it("gives length, not tool_calls, as the reason if a call was cut off", function()
    local cut = '<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{\\"x\\":\\"ab'
    local events = events_of { '{"index":0,"delta":{"content":"' .. cut .. '"},"finish_reason":"stop"}' }
    assert.are.equal("length", events[#events].reason)
    assert.are.equal("incomplete", events[#events - 1].status)
    -- also where that is found out behind the call
    local closers = [[\n</parameter>\n</function>\n</tool_call>]]
    local text = [[<tool_call>\n<function=f>\n<parameter=x>\n1]] .. closers .. closers
    local body = '{"choices":[{"message":{"content":"' .. text .. '"},"finish_reason":"stop"}]}'
    local sent = through(wire.filter { from = "openai", to = "openai", stream = maker "qwen3_coder" }, body, 0)
    assert.is_truthy(sent:find('"finish_reason":"length"', 1, true), sent)
    assert.is_truthy(sent:find('"arguments":"{\\"x\\":1"}', 1, true), sent) -- in one frame, nothing of the call has left before
    body = '{"message":{"content":"' .. text .. '"},"done":true}\n'
    sent = through(wire.filter { from = "ollama", to = "ollama", stream = maker "qwen3_coder" }, body, 0)
    assert.is_nil(sent:find("tool_calls", 1, true), sent)
  end)

  it("ends without a finish if the server did", function()
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

  it("sends what it held, and an error, if the body ends inside a frame", function()
    for name, cut in pairs { openai = 'data: {"ch', anthropic = 'event: x\ndata: {"ty', ollama = '{"mess' } do
      local frames = {}
      local body = turned(name, name, servers[name]("a <tool_call", 99):match("^.*<tool_call[^\n]*\n\n?") .. cut)
      for frame in (body:gsub("event: [^\n]*\n", "") .. "\n"):gmatch "([^\n]+)\n" do
        frames[#frames + 1] = assert(json.decode(frame:match "{.*"), frame)
      end
      assert.is_truthy(json.encode(frames[#frames - 1]):find("<tool_call", 1, true), body)
      assert.is_truthy(frames[#frames].error, body)
    end
  end)

  it("passes other frames unchanged, at every cut", function()
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
    -- a result reports it
    local result = result_of("openai", 'data: {"error":{"message":"busy"}}\n\n', maker "hermes")
    assert.are.equal("bad_response", result.errors[1].code)
    assert.is_truthy(result.errors[1].message:find("busy", 1, true))
  end)

  it("reports a body of another form, even without any frame", function()
    local bodies = { { "openai", "<html>502</html>", "<html>502" }, { "openai", "[1]", "[1]" }, { "anthropic", "nonsense\n\n", "nonsense" },
      { "anthropic", 'data: {"choices":[]}', "choices" }, { "ollama", "nonsense", "nonsense" },
      { "openai", " \n{\"choices\": \0}\n", ":  \n{\"choices\"" } }
    for _, case in ipairs(bodies) do
      for step = 0, 3 do
        local result = result_of(case[1], case[2], maker "hermes", step)
        assert.are.equal(1, #result.errors, case[2])
        assert.are.equal("bad_response", result.errors[1].code)
        assert.is_truthy(result.errors[1].message:find(case[3], 1, true), result.errors[1].message)
      end
    end
    assert.are.equal("the response is empty", result_of("openai", "\n", maker "hermes").errors[1].message)
    for _, body in ipairs { "data: [DONE]\n\n", 'data: {"choices":[]}\n\n' } do
      assert.are.same({}, result_of("openai", body, maker "hermes").errors, body)
    end
  end)

  it("keeps what it does not know", function()
    for _, delta in ipairs { '"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"run","input":"ls"}}]', '"tool_calls":[]',
      '"content":[{"type":"text","text":"hi"},{"type":"reference","ids":[1]}]', '"reasoning":{"effort":"low"}' } do
      local body = 'data: {"choices":[{"index":0,"delta":{"role":"assistant",' .. delta .. '}}]}\n\n'
      assert.are.equal(body, through(wire.filter { from = "openai", to = "openai", stream = maker "hermes" }, body, 1))
    end
    local body = 'data: {"type":"message_start","message":{"content":[]}}\n\n'
    for i, said in ipairs { "", "ab" } do -- the first block of thinking has nothing but a signature
      body = body .. ('data: {"type":"content_block_start","index":%d,"content_block":{"type":"thinking","thinking":"%s"}}\n\n'
        .. 'data: {"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":"S%d"}}\n\n'
        .. 'data: {"type":"content_block_stop","index":%d}\n\n'):format(i - 1, said, i - 1, i, i - 1)
    end
    body = body .. 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
    local out = through(wire.filter { from = "anthropic", to = "anthropic", stream = maker "hermes" }, body, 0)
    local kinds = {}
    for kind, index in out:gmatch '"type":"content_block_(%l+)","index":(%d)' do
      kinds[#kinds + 1] = kind .. index
    end
    assert.are.equal("start0 delta0 stop0 start1 delta1 delta1 stop1", table.concat(kinds, " "))
  end)

  it("says what a server or the body has lost", function()
    local function frame(delta)
      return "data: " .. json.encode { choices = { { index = 0, delta = delta } } } .. "\n\n"
    end
    local texts = { { content = 'Hi<tool_call>{"name": "f", "arguments": {"a": "x' }, { content = 'y"}}</tool_call>' } }
    local own = { { content = "Hi", tool_calls = { { index = 0, ["function"] = { name = "f", arguments = '{"a": "x' } } } },
      { tool_calls = { { index = 0, ["function"] = { arguments = '"}' } } } } }
    for body, message in pairs { [frame { content = ("x"):rep(9000000) }] = "too long", ['error: {"message":"boom"}\n\n'] = "boom",
      ['{"error":{"message":"boom"}}\n\n'] = "boom", ['data: {"object":"error","message":"boo"}\n\n'] = "boo",
      ['data: {"choices":[{"del\n\n'] = "not a JSON", ["data: ping\n\n"] = "ping" } do
      for _, parts in ipairs { texts, own } do -- in the middle of a call; of the last nothing is lost
        local result = result_of("openai", frame(parts[1]) .. body .. frame(parts[2]), maker "hermes")
        assert.are.equal("Hi", result.content:sub(1, 2))
        assert.is_truthy(json.encode(result.errors):find(message, 1, true))
        assert.are.equal(message == "ping" and "complete" or "incomplete", result.calls[1].status, message)
        assert.are.equal(message == "ping", result.errors[1].index == nil)
      end
    end
    local busy = 'event: error\ndata: {"type":"error","error":{"message":"busy"}}\n\nevent: content_block_stop'
    local body = anthropic("Hi <tool_c", 99):gsub("event: content_block_stop", busy)
    assert.are.equal(1, select(2, turned("anthropic", "anthropic", body):gsub('"text":"<tool_c"}}\n\n' .. busy:sub(1, 12), "")))
    assert.are.equal(1, select(2, turned("anthropic", "anthropic", body):gsub("event: content_block_start", "")))
    local cut = '<tool_call>\\n{\\"name\\": \\"f\\", \\"arguments\\": {\\"a\\": \\"x'
    for _, case in ipairs { { "anthropic", '{"content":[{"type":"text","text":"%s"}],"stop_reason":"tool_use"}', "max_tokens" },
      { "openai", '{"choices":[{"message":{"content":"%s"},"finish_reason":"eos_token"}]}', "length" } } do
      local out = through(wire.filter { from = case[1], to = case[1], stream = maker "hermes" }, case[2]:format(cut), 0)
      assert.is_truthy(out:find(case[3], 1, true), out)
    end
  end)

  it("sends no Anthropic block of white space", function()
    local body = 'data: {"choices":[{"delta":{"reasoning_content":"hm","content":"\\n\\n"}}]}\n\n'
    local call = 'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}\n\n'
    assert.is_nil(turned("openai", "anthropic", body .. call):find('"type":"text"', 1, true))
    assert.is_truthy(turned("openai", "anthropic", body .. 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'):find("\\n\\nHi", 1, true))
  end)

  it("ends a call whose arguments are whole where another begins", function()
    local part = 'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"","function":{"name":"f","arguments":"{\\"a\\": 1}"}}]}}]}\n\n'
    local result = result_of("openai", part:rep(2), maker "hermes", 0)
    assert.are.equal(2, #result.calls)
    assert.are.equal("complete", result.calls[2].status)
  end)

  it("keeps reading a body behind the empty lines that keep a connection alive", function()
    local body = ("\n"):rep(5000) .. '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
    assert.are.equal("Hi", result_of("openai", body, maker "hermes", 100).content)
  end)

  it("keeps members beside the answer", function()
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

  it("passes on a frame that is too long as it arrives", function()
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

  it("does the same work for each byte in every chunking", function()
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

  it("refuses unknown formats with a message", function()
    assert.has_error(function()
      wire.decoder("opnai", maker "hermes")
    end, "there is no wire format 'opnai' to decode; the nearest is 'openai'")
    assert.has_error(function()
      wire.encoder "xml"
    end, "there is no wire format 'xml' to encode")
    local filter = wire.filter { from = "openai", to = "openai", stream = function() return 5 end }
    for _, wrong in ipairs {
      { "the bytes must be a string, not a nil", function() filter:feed() end },
      { "the bytes must be a string, not a number", function() wire.decoder("openai", maker "hermes"):feed(5) end },
      { "the stream factory returned a number, not a stream", function()
        filter:feed 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
      end },
      { "the event must be a table, not a nil", function() wire.encoder("openai"):add() end },
      { "the stream factory must be a function, not a nil", function() wire.decoder "openai" end },
      { "there is no option 'modle'; the nearest is 'model'", function() wire.encoder("openai", { modle = "m" }) end },
      { "the option 'created' must be a number, not a string", function() wire.filter { to = "openai", created = "now" } end } } do
      assert.has_error(wrong[2], wrong[1])
    end
  end)
end)

describe("the same format in and out", function()
  local function pass(from, to, bytes, step)
    local filter = wire.filter { from = from, to = to, stream = function()
      return sluice.stream "hermes"
    end }
    local out = {}
    for i = 1, #bytes, step or #bytes do
      out[#out + 1] = filter:feed(bytes:sub(i, i + (step or #bytes) - 1))
    end
    out[#out + 1] = filter:finish()
    return table.concat(out)
  end

  local function sse(...)
    local out = {}
    for i, data in ipairs { ... } do
      local name = data:match '^{"type":"([%w_]+)"'
      out[i] = (name and "event: " .. name .. "\n" or "") .. "data: " .. data .. "\n\n"
    end
    return table.concat(out)
  end

  local function frames(text)
    local out = {}
    for data in text:gmatch "data: ({[^\n]*})" do
      out[#out + 1] = json.decode(data)
    end
    return out
  end

  local opener = '{"id":"c1","object":"chat.completion.chunk","created":5,"model":"gpt",%s"choices":[%s]%s}'
  local function chunk(content, before, behind, reason)
    return opener:format(before or "", ('{"index":0,"delta":{"content":%s},"finish_reason":%s}'):format(json.encode(content),
      reason or "null"), behind or "")
  end

  it("keeps an empty first frame, and uses the names of later ones", function()
    local empty = '{"id":"","object":"","created":0,"model":"","prompt_filter_results":[{"x":1}],"choices":[]}'
    local out = pass("openai", "openai", sse(empty, chunk "hi", "[DONE]"))
    assert.is_truthy(out:find("data: " .. empty .. "\n\n", 1, true))
    local second = frames(out)[2]
    assert.are.same({ "c1", "gpt", 5 }, { second.id, second.model, second.created })
  end)

  it("sends additions of later frames once", function()
    local out = pass("openai", "openai", sse(chunk("a", '"system_fingerprint":"fp",', ',"first":1'),
      chunk("b", nil, ',"timings":{"t":2}'), chunk("<tool_call>{", nil, ',"x_groq":3', '"stop"'), "[DONE]"))
    for _, member in ipairs { '"first":1', '"timings":{"t":2}', '"x_groq":3' } do
      assert.are.equal(1, select(2, out:gsub(member, "")), member .. " in " .. out)
    end
    assert.are.equal("fp", frames(out)[1].system_fingerprint)
  end)

  it("keeps usage that comes with every chunk", function()
    local out = pass("openai", "openai", sse(chunk("a", nil, ',"usage":{"prompt_tokens":1}'),
      chunk("b", nil, ',"usage":{"prompt_tokens":2}'), "[DONE]"))
    for i, frame in ipairs(frames(out)) do
      assert.are.equal(1, #frame.choices)
      assert.are.equal(i, frame.usage.prompt_tokens)
    end
  end)

  it("passes on a frame in which nothing is found byte for byte, and keeps what a parsed call has beside", function()
    local odd = 'data: { "choices" : [ {"index":0,"delta":{"role":"assistant","content":"Hi"},"logprobs":null} ], "x": 1.50 }\n\n'
    assert.are.equal(odd, pass("openai", "openai", odd))
    local line = '{ "message": {"content":"Hi", "role":"assistant"}, "done": false, "created_at":"T" }\n'
    assert.are.equal(line, pass("ollama", "ollama", line))
    local signed = sse(chunk("a", nil, nil):gsub('"content":"a"', '"tool_calls":[{"index":0,"id":"c","type":"function","function":'
      .. '{"name":"f","arguments":"{}"},"extra_content":{"s":1}}]'), "[DONE]")
    assert.is_truthy(pass("openai", "openai", signed):find('"extra_content":{"s":1}', 1, true))
    assert.is_nil(pass("openai", "anthropic", signed):find("extra_content", 1, true))
  end)

  it("sends held bytes before the end, even without a reason", function()
    local out = pass("openai", "openai", sse(chunk "<tool_call>{\"name\": \"f\", \"argu", "[DONE]"))
    assert.is_truthy(out:find "argu.*%[DONE%]")
    assert.is_nil(out:find "%[DONE%].*argu")
  end)

  it("does not change completions that are not chats", function()
    local text = sse('{"id":"c","object":"text_completion","choices":[{"index":0,"text":"<tool_call>x","finish_reason":null}],'
      .. '"usage":null}',
      '{"id":"c","object":"text_completion","choices":[],"usage":{"prompt_tokens":1}}', "[DONE]")
    assert.are.equal(text, pass("openai", "openai", text))
    local lines = '{"model":"m","created_at":"T1","response":"<tool_call>","done":false}\n'
      .. '{"model":"m","created_at":"T3","response":"","done":true,"done_reason":"stop","eval_count":3,"context":[1]}\n'
    assert.are.equal(lines, pass("ollama", "ollama", lines))
  end)

  local blocks = {
    '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],'
      .. '"usage":{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":1}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"abc"}}',
    '{"type":"content_block_stop","index":0}',
    '{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}',
    '{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"hmm"}}',
    '{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"SIG"}}',
    '{"type":"content_block_stop","index":1}',
    '{"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"s1","name":"web","input":{}}}',
    '{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"q\\":1}"}}',
    '{"type":"content_block_stop","index":2}',
    '{"type":"content_block_start","index":3,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}}',
    '{"type":"content_block_stop","index":3}',
    '{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t1","name":"g","input":{},"caller":{"a":1}}}',
    '{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{\\"q\\":1}"}}',
    '{"type":"content_block_stop","index":4}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":"END","container":{"id":"c"}},'
      .. '"usage":{"output_tokens":15},"context_management":{"x":1}}',
    '{"type":"message_stop"}',
  }

  it("keeps everything that Anthropic sends", function()
    local text = sse((unpack or table.unpack)(blocks))
    for _, step in ipairs { #text, 1, 7 } do
      assert.are.equal(text, pass("anthropic", "anthropic", text, step))
    end
  end)

  it("never closes a call that breaks off as JSON that parses", function()
    local half = sse(blocks[1], blocks[13], (blocks[14]:gsub('1}"', '[1"')))
    for _, to in ipairs { "openai", "anthropic" } do
      local out = {}
      local key = to == "openai" and "arguments" or "partial_json"
      for piece in pass("anthropic", to, half):gsub('\\"', "'"):gmatch('"' .. key .. '":"(.-)"') do
        out[#out + 1] = piece
      end
      assert.are.equal("{'q':[]", table.concat(out), to)
    end
  end)

  it("accepts another call under the same number, and reports parts without a call", function() -- found by fuzzing
    local block = { blocks[1], blocks[13], blocks[14], blocks[15], blocks[13], blocks[14], blocks[15], blocks[14], blocks[15],
      '{"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"t1","input":{}}}',
      '{"type":"content_block_stop","index":5}', blocks[16], blocks[17] }
    local text = sse((unpack or table.unpack)(block))
    local result = json.decode(pass("anthropic", "result", text))
    assert.are.equal(2, #result.calls)
    local said = {}
    for i, e in ipairs(result.errors) do
      said[i] = e.message
    end
    assert.are.same({ "part of a call that has ended", "a call without a name" }, said)
    assert.are.equal(2, select(2, pass("anthropic", "anthropic", text):gsub('"tool_use","id"', "")))
    assert.are.equal(2, select(2, pass("anthropic", "ollama", text):gsub('"tool_calls"', "")))
    local part = '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,%s"function":{%s"arguments":"{}"}}]},"finish_reason":%s}]}'
    text = sse(part:format('"id":"a",', '"name":"f",', '"stop"'), part:format("", "", "null"), "[DONE]")
    assert.are.equal("part of a call that has ended", json.decode(pass("openai", "result", text)).errors[1].message)
    for _, to in ipairs { "openai", "anthropic", "ollama" } do
      assert.is_string(pass("openai", to, text))
    end
  end)

  it("counts tokens on both sides of the wire", function()
    local last = frames(pass("anthropic", "openai", sse((unpack or table.unpack)(blocks))))
    assert.are.same({ 30, 15 }, { last[#last].usage.prompt_tokens, last[#last].usage.completion_tokens })
    local out = frames(pass("openai", "anthropic", sse(chunk("a", nil, "", '"stop"'),
      opener:format("", "", ',"usage":{"prompt_tokens":7,"completion_tokens":2}'), "[DONE]")))
    for _, frame in ipairs(out) do
      if frame.type == "message_delta" then
        assert.are.same({ 7, 2 }, { frame.usage.input_tokens, frame.usage.output_tokens })
        return
      end
    end
    error "there is no message_delta"
  end)

  it("reports an error in the middle in the target format", function()
    local bad = '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'
    local text = sse(blocks[1], bad)
    assert.is_truthy(pass("anthropic", "anthropic", text):find(bad, 1, true))
    for to, pattern in pairs { openai = 'data: {"error":.*busy', ollama = '{"error":.*busy' } do
      assert.is_truthy(pass("anthropic", to, text):find(pattern), to)
    end
    assert.is_truthy(pass("openai", "anthropic", sse(chunk "a", '{"error":{"message":"busy"}}')):find 'event: error\ndata: .*busy')
  end)

  it("keeps the members of Ollama's lines", function()
    local out = pass("ollama", "ollama", '{"model":"m","created_at":"T1","message":{"role":"assistant","content":"hi <tool"},'
      .. '"done":false,'
      .. '"logprobs":[1]}\n{"model":"m","created_at":"T2","message":{"role":"assistant","content":"_call> x"},"done":false,'
      .. '"logprobs":[2]}\n'
      .. '{"model":"m","created_at":"T3","message":{"role":"assistant","content":"","images":[3]},"done":true,"done_reason":"stop"}\n')
    for _, member in ipairs { '"logprobs":[1]', '"logprobs":[2]', '"images":[3]', '"created_at":"T3"' } do
      assert.is_truthy(out:find(member, 1, true), member .. " in " .. out)
    end
  end)

  it("reads frames after a byte order mark, and with CR as line end", function()
    local call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    local text = "\239\187\191" .. sse(chunk(call, nil, nil, '"stop"'), "[DONE]"):gsub("\n", "\r")
    local whole = pass("openai", "ollama", text)
    assert.is_truthy(whole:find('"name":"f"', 1, true), whole)
    for step = 1, 40 do
      assert.are.equal(select(2, whole:gsub("\n", "")), select(2, pass("openai", "ollama", text, step):gsub("\n", "")))
    end
  end)
end)
