--- Wire formats give the same for any frames, in any pieces.

local sluice = require "sluice"
local wire = require "sluice.wire"
local json = sluice.json

local function pick(list)
  return list[math.random(#list)]
end

-- The text without what is generated.
local function same_ids(text)
  for pattern, name in pairs { ["call_%w+"] = "ID", ["msg_%w+"] = "ID", ["chatcmpl%-%w+"] = "ID", ['"created":%d+'] = "NOW",
    ['"created_at":"%d+%-%d+%-%d+T%d+:%d+:%d+Z"'] = "NOW" } do
    text = text:gsub(pattern, name)
  end
  return text
end

-- What a filter sends for these pieces of a body.
local function sent(from, to, options, pieces)
  local filter = wire.filter { from = from, to = to, id = "I", created = 1, stream = function()
    return sluice.stream(options.syntax or "hermes", options.stream)
  end }
  local out = {}
  for i, piece in ipairs(pieces) do
    out[i] = filter:feed(piece)
  end
  out[#out + 1] = filter:finish()
  return same_ids(table.concat(out))
end

-- The events of a decoder for these pieces, as text.
local function events(from, to, options, pieces)
  local decoder = wire.decoder(from, function()
    return sluice.stream(options.syntax or "hermes", options.stream)
  end, to)
  local out, silent = {}, nil
  local function flush()
    out[#out + 1], silent = silent and "silence=" .. silent, nil
  end
  local function take(list)
    for event in list do
      local members = {}
      for key, value in pairs(event) do
        members[#members + 1] = key .. "=" .. (type(value) == "table" and json.encode(value) or tostring(value))
      end
      table.sort(members)
      local raw = event.type == "other" and event.raw
      if raw and raw:find "^[\r\n]*:" or raw and not raw:find "[^\r\n]" then -- keep-alives: how many are one event is open
        silent = (silent or "") .. raw
      else
        flush()
        out[#out + 1] = table.concat(members, " ")
      end
    end
  end
  for _, piece in ipairs(pieces) do
    take(decoder:feed(piece))
  end
  take(decoder:finish())
  flush()
  return same_ids(table.concat(out, "\n"))
end

-- Fails at the first difference.
local function check_same(expected, found, pieces)
  if expected ~= found then
    local at = 1
    while expected:byte(at) == found:byte(at) do
      at = at + 1
    end
    local from = math.max(at - 200, 1)
    error(("expected %q\nfound %q\nof %q"):format(expected:sub(from, at + 50), found:sub(from, at + 50), table.concat(pieces, "|")), 0)
  end
end

-- JSON strings that a server may send as one text, valid or not.
local strings = { '"a"', '"abc "', '" "', '""', '"\\n"',
  '"\\\\"', '"\\"q\\""', '"\\/\\b\\f\\r\\t"', '"\\u00e9"', '"\\u0000"', '"\\u001f\\u007f"',
  '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00x"', '"\\ud83d\\ud83d\\ude00"',
  '"é"', '"日本語"', '"😀"', '"}]}"', '"\\"content\\":\\""', '"data: x"',
  '"a long text without anything in it that would need an escape"', '"\127"', '"C:\\\\new"', '"<"', '"<think>"', '"</think>"',
  '"<tool"', '"_call>"' }
local odd_strings = { '"\128"', '"a\255b"', '"\237\160\128"', '"\226\130"', '"\t"', '"\1"', '"\\x"',
  '"\\u12"', '"a"b"', '"a\\"', "null", "1", "[]",
  '["a"]', "{}", '"', "" }
local call = { '"<tool_call>"', '"\\n{\\"name\\": \\"f\\","', '" \\"arguments\\": {\\"x\\": \\"a"', '"b"', '"é\\\\n"',
  '"c\\"}}"', '"\\n</tool_call>"' }

-- Frames of servers: %s is the text, $R a random word, $N a random number.
local chunk = '"id":"c","object":"chat.completion.chunk","created":7,"model":"m"'
local templates = {
  openai = {
    "{" .. chunk .. ',"choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}',
    "{" .. chunk .. ',"service_tier":"d","system_fingerprint":"f","choices":[{"index":0,'
      .. '"delta":{"content":%s},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"$R"}',
    "{" .. chunk .. ',"choices":[{"index":0,"delta":{"role":"assistant","content":%s,'
      .. '"reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"token_ids":[$N, $N]}]}',
    "{" .. chunk .. ',"choices":[{"index":0,"delta":{"reasoning_content":%s}}]}',
    '{"id":"c","model":"m","choices":[{"index":0,"delta":{"reasoning":%s,"content":""}}]}',
    '{"choices":[{"index":1,"delta":{"content":%s}}],"created":$N,"n":$N,"provider":"P"}',
    '{ "choices" : [ { "delta" : { "content" : %s , "refusal": null } , "index": 0 } ] , "x" : "$R" }',
    '{"choices":[{"index":0,"text":%s}],"object":"text_completion"}',
    '{"choices":[{"index":0,"delta":{"content":%s},"logprobs":{"content":[{"token":"$R","bytes":[$N]}]}}]}',
    '{"choices":[{"index":0,"delta":{"content":%s}}],"usage":{"prompt_tokens":$N,"completion_tokens":$N}}',
    '{"choices":[{"index":0,"delta":{"content":%s}},{"index":1,"delta":{"content":"$R"}}]}',
    '{"choices":[{"index":0,"delta":{"content":%s,"content":%s}}],"a":"$R","a":"$R"}',
    '{"choices":[{"index":0,"delta":{"c\\u006fntent":"$R","content":%s}}],"\\u0061":"$R","é":"$R","b":"é$R","t":true,"e":""}',
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"i","function":{"name":"g","arguments":%s}}]}}]}',
    '{"choices":[{"index":0,"delta":{"content":%s},"finish_reason":"stop"}]}',
    '{"choices":[],"usage":{"prompt_tokens":$N}}',
    '{"error":{"message":%s}}',
  },
  anthropic = {
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s},"p":"$R"}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":%s}}',
    '{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":%s}}',
    '{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"i$N","name":"g","input":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"odd","x":%s}}',
    '{"type":"content_block_stop","index":1}',
    '{"type":"ping"}',
    '{"type":"message_start","message":{"id":"x","model":"m","content":[],"usage":{"input_tokens":3}}}',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":$N}}',
    '{"type":"error","error":{"message":%s}}',
  },
  ollama = {
    '{"model":"m","created_at":"2026-01-01T00:00:00.$NZ","message":{"role":"assistant","content":%s},"done":false}',
    '{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":%s},"done":false}',
    '{"model":"m","message":{"role":"assistant","content":%s},"done":false}',
    '{"model":"m","created_at":"t$N","message":{"role":"assistant","content":%s,"images":null},"done":false,"x":"$R"}',
    '{"model":"m","created_at":"é$N","response":%s,"done":false}',
    '{"message":{"content":%s,"tool_calls":[{"function":{"name":"g","arguments":{"x":$N}}}]}}',
    '{"model":"m","message":{"content":%s},"done":true,"eval_count":$N}',
  },
}

local function filled(template)
  return (template:gsub("$(%u)", function(kind)
    return kind == "N" and tostring(math.random(0, 999)) or ("x"):rep(math.random(1, 9))
  end):gsub("%%s", function()
    return (math.random(40) == 1 and pick(odd_strings) or pick(strings)):gsub("%%", "%%%%")
  end))
end

-- Frames of one server: mostly the same kind several times in a row.
local function frames_of(from)
  local out, template = {}, templates[from][1]
  local ends = math.random(6) == 1 and "\r\n" or "\n"
  local name = from == "anthropic" and "event: x" .. ends or ""
  local function put(data)
    out[#out + 1] = from == "ollama" and data .. ends or name .. (math.random(60) == 1 and "data:" or "data: ") .. data .. ends .. ends
  end
  for _ = 1, math.random(5, 40) do
    if math.random(4) == 1 then
      template = pick(templates[from])
    end
    local kind = math.random(30)
    if kind == 1 then
      out[#out + 1] = pick { ": comment\n\n", "\n", "id: 5\n\n", "data: [DONE]\n\n", "{}\n", "\r\r", "data: a\ndata: b\n\n",
        "\239\187\191" }
    elseif kind == 2 then -- a call in the text
      for _, part in ipairs(call) do
        put((filled((template:gsub("%%s", "\1", 1))):gsub("\1", (part:gsub("%%", "%%%%")))))
      end
    else
      put(filled(template))
    end
  end
  return out
end

-- The frames cut anyhow.
local function cut(frames)
  local how = math.random(4)
  if how == 1 then
    return frames
  end
  local body, out, at = table.concat(frames), {}, 1
  local most = pick { 3, 100, 400, 5000 }
  while at <= #body do
    local size = math.random(most)
    out[#out + 1] = body:sub(at, at + size - 1)
    at = at + size
  end
  return out
end

describe("a wire format in pieces", function()
  local rounds = tonumber(os.getenv "SLUICE_ROUNDS") or 60
  math.randomseed(tonumber(os.getenv "SLUICE_SEED") or 1)

  local options = { {}, {}, {}, { stream = { markup = true, parameters = true } }, { syntax = "json" },
    { stream = { start = "reasoning" } } }

  for _, from in ipairs { "openai", "anthropic", "ollama" } do
    for _, to in ipairs { "openai", "anthropic", "ollama", "events", "result" } do
      it(("sends the same from %s to %s"):format(from, to), function()
        for _ = 1, rounds do
          local frames, given = frames_of(from), pick(options)
          local pieces = cut(frames)
          check_same(sent(from, to, given, frames), sent(from, to, given, pieces), pieces)
        end
      end)
    end

    it(("has the same events of %s"):format(from), function()
      for _ = 1, rounds do
        local frames, given, to = frames_of(from), pick(options), pick { "openai", "anthropic", "ollama" }
        local pieces = cut(frames)
        check_same(events(from, to, given, frames), events(from, to, given, pieces), pieces)
      end
    end)
  end
end)
