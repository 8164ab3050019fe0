--- The quick ways of the core guess how a call goes on. Here each byte of a usual call is damaged in turn, so that each guess
--- is wrong at each of its bytes: the events must be those of the whole text in one chunk.

local sluice, support = require "sluice", require "support"

local tools = [[ [{ "type": "function", "function": { "name": "search", "parameters": { "type": "object", "properties": {
  "query": { "type": "string" }, "days": { "type": "integer" }, "near": { "type": "boolean" } }, "required": ["query"] } } }] ]]

local calls = {
  { name = "search", arguments = sluice.json.encode { query = "rain in Oslo\nx < y" } },
  { name = "search", arguments = '{"query": "umbrella", "days": 3, "near": true}' },
}

local damages = {
  function(text, i) -- a byte is missing
    return text:sub(1, i - 1) .. text:sub(i + 1)
  end,
  function(text, i) -- another one
    return text:sub(1, i - 1) .. (text:sub(i, i) == "x" and "y" or "x") .. text:sub(i + 1)
  end,
  function(text, i) -- a blank too many
    return text:sub(1, i) .. " " .. text:sub(i + 1)
  end,
  function(text, i) -- the text ends
    return text:sub(1, i)
  end,
}

describe("a usual call that is damaged at one byte", function()
  for _, syntax in ipairs { "hermes", "llama3_json", "kimi_k2", "qwen3_coder", "glm45", "minimax_m2", "deepseek_v31", "invoke" } do
    it("gives the same events in every chunking, in " .. syntax, function()
      local text, stream = sluice.render(syntax, calls), sluice.stream(syntax, { tools = tools })
      local function lines(damaged, size)
        return support.lines(support.events(stream, damaged, size))
      end
      assert.are.equal(2, #sluice.parse(syntax, text, { tools = tools }).calls)
      for i = 1, #text do
        for kind, damage in ipairs(damages) do
          local damaged = damage(text, i)
          local whole = lines(damaged, 0)
          assert.are.equal(whole, lines(damaged, 4), ("damage %d at byte %d"):format(kind, i))
          assert.are.equal(whole, lines(damaged, 1 + i % 3), ("damage %d at byte %d"):format(kind, i))
        end
      end
    end)
  end
end)
