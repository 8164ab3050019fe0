--- A law of the vocabulary: whatever the options of a word, the result does not depend on the chunks. Every option of every word, read in
-- two pieces cut at every byte and in single bytes; every pair of them in single bytes. The options are those of the words' own tables.

local sluice = require "sluice"
local support = require "support"
local word = require "sluice.word"

-- Values of options: each is tried where the option's own check takes it.
local values = { "true", '"a"', '"fence"', '"lines"', '{ "lt", "gt" }', '"python"', '{ "a", "b" }' }

-- The options of a word: { option, value as Lua }.
local function options_of(name)
  local out = {}
  for option, check in pairs(word.options(require("sluice.words." .. name))) do
    for _, value in ipairs(values) do
      if not check(assert(load("return " .. value))()) then
        out[#out + 1] = { option, value }
      end
    end
  end
  table.sort(out, function(a, b)
    return a[1] .. a[2] < b[1] .. b[2]
  end)
  return out
end

-- Where a word may stand; the texts that show it.
local tags = { '"<c>", s.name(), ":", s.params { s.key(), "=", s.value { %s }, ";" }, "</c>"', {
  '<c>f:a="x y";</c>', "<c>f:a=```py\nx &lt; 1\n```\n;b= 2 \n;</c>", '<c>f:a="x;b=;</c> y', "<c>f:a=`x`;b=``;c=\n\n;</c>" } }
local frames = {
  value = tags,
  args = { '"<c>", s.name(), ":", s.args { %s }, "</c>"', { '<c>f:{"a": 1}</c>', "<c>f:{x:aya,z:1}</c>", "<c>f:b=1, c='x'</c> y",
    "<c>f:x y</c>" } },
  json = { '"<c>", s.json { %s }, "</c>"', { '<c>{"name": "f", "arguments": {"a": 1}}</c>',
    '<c>{"arguments": {"a": [1]}, "name": "f", "x": 2}</c>', '<c>{"a": {"name": "f"}}</c> <c>"f"</c>', "<c>{'name': 'f'}</c>" } },
  params = { '"<c>", s.name(), ":", s.params { %s, "<", s.key(), ">", s.value(), "</>" }, "</c>"', {
    "<c>f:<b>1</>a<c>x</></c>", "<c>f:<b><a>1</><a>2</></></c>", "<c>f:</c>" } },
  attrs = { '"<c ", s.attrs { { "name", s.name() }, { "x", s.value { key = "x" } }, { "id", s.id() }, %s }, ">", s.args(), "</c>"', {
    '<c name="f" x="1 2" id="c7">{}</c>', "<c x='&lt;' name=f a=3>{\"y\": 1}</c>" } },
  id = { '"<c>", s.name(), "#", s.id { %s }, ":", s.args(), "</c>"', { '<c>f#1:{"a": 1}</c>', "<c>f#call 2\n:{}</c> y", "<c>f#:{}</c>" } },
  calls = { '"<a>", s.calls { %s, "<c ", s.name(), ">", s.args(), "</c>" }, "</a>"', {
    '<a><c f>{}</c>a<c g>{"x": 1}</c></a> b', "<a><c f>{}</c></a>" } },
}

local function made(number, body)
  local path = ("%s/words_%d.lua"):format(support.folder_of_words, number)
  support.write(path, ('return s.syntax { api = 3, name = "words_%d", call = { %s } }'):format(
    number, body))
  return sluice.load(path)
end

describe("the options of a word do not make a result depend on the chunks:", function()
  support.folder_of_words = support.folder()
  teardown(function()
    os.execute("rm -r " .. support.folder_of_words)
  end)
  local number, asked = 0, 0
  for name in pairs(frames) do
    local frame, list = frames[name], options_of(name)
    it(name, function()
      local before = asked
      for i = 0, #list do
        for k = i == 0 and 0 or i, i == 0 and 0 or #list do
          local options = {}
          for _, n in ipairs(i == 0 and {} or i == k and { i } or { i, k }) do
            options[#options + 1] = list[n][1] .. " = " .. list[n][2]
          end
          number = number + 1
          local spelt = table.concat(options, ", ")
          local syntax = made(number, (frame[1]:format(spelt):gsub("{ ,", "{"):gsub(", ,", ","))) -- some combinations are refused
          for _, text in ipairs(syntax and frame[2] or {}) do
            local stream = sluice.stream(syntax, { markup = true, parameters = true })
            local function lines(cut)
              stream:reset()
              return support.lines(support.events(stream, text, cut))
            end
            local whole = lines(0)
            assert.are.equal(whole, lines(1), spelt .. " in single bytes: " .. text)
            for at = 1, i == k and #text - 1 or 0 do -- a pair: in single bytes only
              asked = asked + 1
              assert.are.equal(whole, lines { at }, ("%s cut at %d: %s"):format(spelt, at, text))
            end
          end
        end
      end
      assert.is_true(asked > before)
    end)
  end
  it("all words with options are asked", function()
    for _, path in ipairs(support.files(support.root .. "/lua/sluice/words", ".lua")) do
      local name = path:match "([^/]+)%.lua$"
      local class = require("sluice.words." .. name)
      local good, options = pcall(word.options, class)
      local own = {}
      for option in pairs(good and options or {}) do
        own[#own + 1] = option ~= "exact" and option ~= "at" and option or nil -- those of any list
      end
      assert.is_true(#own == 0 or frames[name] ~= nil, name)
    end
  end)
end)
