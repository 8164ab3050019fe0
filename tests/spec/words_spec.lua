--- A law of the vocabulary: whatever the options of a word, the result does not depend on the chunks. Every option of every word, alone
-- and in pairs, read in two pieces cut at every byte and in single bytes. Words and options are those of lua/sluice/meta/vocabulary.lua,
-- which is tested to be the vocabulary's own: a new one is asked here without further work.

local sluice = require "sluice"
local support = require "support"

-- { word -> list of { option, value as Lua } }, and the words in order.
local function vocabulary()
  local values = { boolean = "true", string = '"a"', number = "2", any = '"a"' }
  local own = { value = { entities = "true", pattern = "lpeg.R('az')^1", lines = '" "' }, key = { pattern = "lpeg.R('az')^1" },
    name = { pattern = "lpeg.R('az')^1", is = '"f"' } }
  local words, order, word = {}, {}, nil
  for line in support.read(support.root .. "/lua/sluice/meta/vocabulary.lua"):gmatch "[^\n]*" do
    local class, option, kind = line:match "^%-%-%-@class sluice%.words%.(%S+)", line:match "^%-%-%-@field (%S-)%?? (%S+)"
    word = class or line ~= "" and word or nil
    if class then
      order[#order + 1], words[class] = class, {}
    elseif word and option and (own[word] and own[word][option] or values[kind]) then
      table.insert(words[word], { option:gsub("%?$", ""), own[word] and own[word][option] or values[kind] })
    end
  end
  return words, order
end

-- Where a word may stand; the texts that show it.
local tags = { '"<c>", s.name(), ":", s.parameters { { s.key(), "=", %s, ";" } }, "</c>"', {
  '<c>f:a="x y";</c>', "<c>f:a=```py\nx &lt; 1\n```\n;b= 2 \n;</c>", '<c>f:a="x;b=;</c> y', "<c>f:a=`x`;b=``;c=\n\n;</c>" } }
local frames = {
  value = tags, items = tags, block_text = tags,
  name = { '"<c>", %s, ":", s.arguments(), "</c>"', { '<c>f:{"a": 1}</c>', "<c> abc : {}</c> x", "<c>9:{}</c>" } },
  key = { '"<c>", s.name(), ":", s.parameters { { %s, "=", s.value(), ";" } }, "</c>"', { "<c>f:a=1;b c=2;</c>", "<c>f: =1;</c>" } },
  object = { '"<c>", %s, "</c>"', { '<c>{"name": "f", "arguments": {"a": 1}}</c>', '<c>{"arguments": {"a": [1]}, "name": "f", "x": 2}</c>',
    '<c>{"f": {"a": 1}}</c> <c>"f"</c>', "<c>{'name': 'f'}</c>" } },
  extra = { '"<c>", s.name(), ":", %s, ";", s.arguments(), "</c>"', { '<c>f:x;{"a": 1}</c>', "<c>f:;{}</c>" } },
  id = { '"<c>", s.name(), ":", %s, ";", s.arguments(), "</c>"', { '<c>f:x1;{"a": 1}</c>', "<c>f: ;{}</c>" } },
}

local function made(number, body)
  local path = ("%s/words_%d.lua"):format(support.folder_of_words, number)
  support.write(path, ('local s = require "sluice.syntax"\nreturn s.syntax { api = 2, name = "words_%d", call = { %s } }'):format(
    number, body))
  return sluice.load(path)
end

describe("the options of a word do not make a result depend on the chunks:", function()
  support.folder_of_words = support.folder()
  teardown(function()
    os.execute("rm -r " .. support.folder_of_words)
  end)
  local words, order = vocabulary()
  local number, asked = 0, 0
  for _, word in ipairs(order) do
    local frame, list = frames[word], words[word]
    if frame then
      it(word, function()
        local before = asked
        for i = 0, #list do
          for k = i == 0 and 0 or i, i == 0 and 0 or #list do
            local options = {}
            for _, n in ipairs(i == 0 and {} or i == k and { i } or { i, k }) do
              options[#options + 1] = list[n][1] .. " = " .. list[n][2]
            end
            number = number + 1
            local spelt = ("s.%s { %s }"):format(word, table.concat(options, ", "))
            local name = made(number, frame[1]:format(spelt)) -- some combinations are refused
            for _, text in ipairs(name and frame[2] or {}) do
              local stream = sluice.stream(name, { markup = true, parameters = true })
              local function lines(cut)
                stream:reset()
                return support.lines(support.events(stream, text, cut))
              end
              local whole = lines(0)
              assert.are.equal(whole, lines(1), spelt .. " in single bytes: " .. text)
              for at = 1, #text - 1 do
                asked = asked + 1
                assert.are.equal(whole, lines { at }, ("%s cut at %d: %s"):format(spelt, at, text))
              end
            end
          end
        end
        assert.is_true(asked > before)
      end)
    end
  end
  it("all of the words that read a call's text are asked", function()
    for word in pairs(frames) do
      assert.is_truthy(words[word], word)
    end
    assert.is_true(#words.value >= 8) -- the page was read
  end)
end)
