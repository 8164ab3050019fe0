--- What no conversation contains and a model can write: names and headers at each limit and then half a literal, halves of closers
-- over many kilobytes, unpaired quotes. Built from every syntax's own literals. Worth most with a sanitizer, whose build also asserts every
-- difference of positions in the core.

local sluice = require "sluice"
local support = require "support"

local pieces = support.pieces

local sanitized = os.getenv "SLUICE_PRELOAD" ~= nil
local random = support.random(tonumber(os.getenv "SLUICE_SEED") or 1)

-- Feeds the chunks. All bytes must come out in events.
local function read(stream, chunks)
  stream:reset()
  local events = {}
  for _, chunk in ipairs(chunks) do
    for event in stream:feed(chunk) do
      events[#events + 1] = event
    end
  end
  for event in stream:finish() do
    events[#events + 1] = event
  end
  local text = table.concat(chunks)
  assert.is_nil(support.uncovered(events, text), text:sub(1, 200))
end

local function pick(list)
  return list[random(#list)]
end

describe("texts at the limits", function()
  -- the default limits of a name, and small ones: of a name, a header, a value, and of what is held
  local limits = {
    { options = { markup = true }, lengths = { 256, 257, 257, 257, 258, 300 } },
    { options = { markup = true, limit_name = 16, limit_header = 40, limit_value = 64, limit_held = 128 },
      lengths = { 16, 17, 40, 41, 64, 65, 128, 129 } },
  }
  local behind = { "_", "zz", "\n", "<", '"', "x>", "\195", (" "):rep(9) }
  for _, name in ipairs(support.syntaxes()) do
    it("a literal cut behind a name or header at each limit, " .. name, function()
      local literals = pieces.literals(name)
      for _, limit in ipairs(limits) do
        local stream = sluice.stream(name, limit.options)
        for _, opener in ipairs(literals) do
          for _, length in ipairs(limit.lengths) do
            local literal = pick(literals)
            local cut = literal:sub(1, math.max(1, #literal - random(3)))
            read(stream, { opener .. pick { "b", "b", "b", "b", " ", "\n" }:rep(length) .. cut, pick(behind), pick(behind) .. literal })
          end
        end
      end
    end)
  end
end)

describe("24 KB of one piece", function()
  it("comes out of a call that was held whole and given back", function()
    local value = ("\240\159\152"):rep(8192) -- written longer than it is
    read(sluice.stream("smiley", { markup = true }), { ("\240\159\152\138"):rep(14) .. '\n{"name": "f", "arguments": {"a": "' .. value })
  end)

  local size, tries = 24 * 1024, sanitized and 3 or 8
  for _, name in ipairs(support.syntaxes()) do
    it("after each part of an example, " .. name, function()
      local literals, beginnings = pieces.literals(name), pieces.beginnings(name)
      local streams = { sluice.stream(name, { tools = pieces.tools, markup = true }), sluice.stream(name, { markup = true }) }
      for _ = 1, tries do
        local unit = pick(literals)
        unit = unit:sub(1, math.max(1, #unit - pick { 0, 1, 2, math.floor(#unit / 2) }))
        local text = pick(beginnings) .. pick { "", "x", '"', "1", "{", "[" } .. unit:rep(math.floor(size / #unit))
        local chunk, chunks = pick { 16, 61, 4096, #text }, {}
        for at = 1, #text, chunk do
          chunks[#chunks + 1] = text:sub(at, at + chunk - 1)
        end
        read(pick(streams), chunks)
      end
    end)
  end

  -- A search finds such a text one time in some hundred: this is the one that was found.
  for _, name in ipairs { "claude_legacy", "cline", "agixt", "invoke", "dots" } do
    it("half closers, which a raw value asks about, " .. name, function()
      local text = "<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<a>x" .. ("</func"):rep(5000)
      local chunks = {}
      for at = 1, #text, 16 do
        chunks[#chunks + 1] = text:sub(at, at + 15)
      end
      read(sluice.stream(name, { markup = true }), chunks)
    end)
  end
end)
