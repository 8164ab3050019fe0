--- In doubt, a call is not valid. A call is written in each syntax, and in the bytes outside its names, keys and values one is lost,
-- doubled or replaced, or a run of up to twelve is lost, doubled or moved. Seldom may a valid call come out that was not meant.
-- SLUICE_ROUNDS is the number of damages for each syntax (60), SLUICE_SHOW prints those that were misread.

local sluice = require "sluice"
local support = require "support"
local laws = require "sluice.author.laws"
local json = sluice.json

local rounds = tonumber(os.getenv "SLUICE_ROUNDS") or 60
local show = os.getenv "SLUICE_SHOW"

local tools = [[ [{ "name": "look_up", "parameters": { "type": "object", "properties": { "city_name": { "type": "string" },
  "day_count": { "type": "integer" }, "unit_kind": { "type": "string" } } } }] ]]
local calls = {
  { name = "look_up", arguments = '{"city_name":"New Paris"}' },
  { name = "look_up", arguments = '{"city_name":"New Paris","day_count":4711}' },
  { name = "look_up", arguments = '{"city_name":"New Paris","unit_kind":"metric.si"}' },
}
local kept = { "look_up", "city_name", "day_count", "unit_kind", "New Paris", "4711", "metric.si" }

-- The positions of a text that are outside its names, keys and values.
local function outside(text)
  local inside, list = {}, {}
  for _, word in ipairs(kept) do
    local from, to = text:find(word, 1, true)
    while from do
      for i = from, to do
        inside[i] = true
      end
      from, to = text:find(word, to + 1, true)
    end
  end
  for i = 1, #text do
    list[#list + 1] = not inside[i] and i or nil
  end
  return list, inside
end

local odd = [[<>/{}[]():,"'`=|# ]] .. "\n\\xa1"

-- Damages a text in one place.
local function damage(random, text)
  local places, inside = outside(text)
  local from = places[random(#places)]
  local to = from
  local kind = random(6)
  if kind > 3 then -- a run
    local n = random(12)
    while to - from + 1 < n and to < #text and not inside[to + 1] do
      to = to + 1
    end
  end
  local before, run, after = text:sub(1, from - 1), text:sub(from, to), text:sub(to + 1)
  if kind == 1 or kind == 4 then
    return before .. after
  elseif kind == 2 or kind == 5 then
    return before .. run .. run .. after
  elseif kind == 3 then
    local k = random(#odd)
    return before .. odd:sub(k, k) .. after
  end
  local rest = before .. after
  local free = outside(rest)
  local at = free[random(#free)]
  return rest:sub(1, at - 1) .. run .. rest:sub(at)
end

local function same(call, meant)
  local got, wanted = json.decode(call.arguments, { exact = true }), json.decode(meant.arguments, { exact = true })
  return call.name == meant.name and laws.same(got, wanted)
end

describe("a call with one piece of its markup damaged", function()
  local total, right, wrong, worst = 0, 0, 0, {}
  for _, syntax in ipairs(support.syntaxes()) do
    local meant_by = {}
    for _, call in ipairs(calls) do
      local text = sluice.render(syntax, { call })
      local back = text and sluice.parse(syntax, text, { tools = tools })
      if back and #back.calls == 1 and back.calls[1].valid and same(back.calls[1], call) then
        meant_by[#meant_by + 1] = { call, text }
      end
    end
    if meant_by[1] then
      it("is rarely misread: " .. syntax, function()
        local random = laws.random(7)
        local here = 0
        for _ = 1, rounds do
          local meant = meant_by[random(#meant_by)]
          local text = damage(random, meant[2])
          local call_is_right, call_is_wrong = false, false
          for _, call in ipairs(sluice.parse(syntax, text, { tools = tools }).calls) do
            if call.valid and same(call, meant[1]) then
              call_is_right = true
            elseif call.valid then
              call_is_wrong = true
              if show then
                print((("%s: %q gives %s %s"):format(syntax, text, call.name, call.arguments):gsub("\n", "n")))
              end
            end
          end
          total = total + 1
          right = right + (call_is_right and not call_is_wrong and 1 or 0)
          wrong, here = wrong + (call_is_wrong and 1 or 0), here + (call_is_wrong and 1 or 0)
        end
        worst[#worst + 1] = here > rounds / 20 and ("%s %d"):format(syntax, here) or nil
      end)
    end
  end
  it("is misread in at most 1.5 % of all cases, and read right in at least 12 %", function()
    local figures = ("%d damages: %.1f %% misread, %.1f %% right; most in %s"):format(total, 100 * wrong / total, 100 * right / total,
      table.concat(worst, ", "))
    if show then
      print(figures)
    end
    assert.is_true(total >= rounds * 80, figures)
    assert.is_true(wrong <= total * 0.015, figures)
    assert.is_true(right >= total * 0.12, figures)
  end)
end)

-- The rules, by what they make of a text: "valid", "doubt" (an error says why), or no call.
describe("a call is in doubt", function()
  local one = [[ [{ "name": "f", "parameters": { "type": "object", "properties": {
    "a": { "type": "string" }, "n": { "type": "integer" }, "city_name": { "type": "string" } } } }] ]]
  local function hermes(arguments)
    return '<tool_call>\n{"name": "f", "arguments": ' .. arguments .. "}\n</tool_call>"
  end
  local function qwen(value)
    return "<tool_call>\n<function=f>\n<parameter=a>\n" .. value .. "\n</parameter>\n</function>\n</tool_call>"
  end
  local function glm(key, value)
    return "<tool_call>f\n<arg_key>" .. key .. "</arg_key>\n<arg_value>" .. value .. "</arg_value>\n</tool_call>"
  end
  local invoke = assert(sluice.compile [[return s.syntax { api = 3, name = "invoke", call = { '<invoke name="', s.name(), '">',
    s.params { '<p name="', s.key(), '">', s.value(), "</p>" }, "</invoke>" } }]])
  local bare = "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>"
  for _, case in ipairs {
    { "markup in a key", "glm45", glm("b<arg_key", "5"), "doubt" },
    { "a sign in a key that is not markup", "glm45", glm("x<y", "5"), "valid" },
    { "a declared key inside another", "glm45", glm(">city_name", "5"), "doubt" },
    { "an opener left in a value", "qwen3_coder", qwen "x <parameter=b> y", "doubt" },
    { "a pair of tags in a value", "qwen3_coder", qwen "see <parameter=b>1</parameter>", "valid" },
    { "a call's opener inside a value", "qwen3_coder", qwen "the tag <tool_call> opens", "valid" },
    { "a call's opener at a value's end", "qwen3_coder", qwen "t1<tool_call>", "doubt" },
    { "a cut closer at a value's end", "qwen3_coder", qwen "src/a.py/parameter>", "doubt" },
    { "the rest of an opener up to its = at the beginning of a value", "qwen3_coder", qwen "meter=5", "valid" },
    { "HTML at a value's end", "qwen3_coder", qwen "<div>a/b</div>", "valid" },
    { "a call's closer, of an opener with an attribute", invoke, '<invoke name="f"><p name="a">x</invoke></p></invoke>', "doubt" },
    { "a comment where a value is due", "hermes", hermes '{"a": # T\n b}', "doubt" },
    { "a comment before a quoted value", "hermes", hermes '{"a": # c\n "b"}', "valid" },
    { "a quote in the wrong place", "hermes", hermes '{"a"": "5"}', "doubt" },
    { "an escaped quotation", "hermes", hermes '{"a": "say \\"hi\\" now"}', "valid" },
    { "the call again, inside the arguments", "hermes", hermes '{"name": "f", "arguments": {"a": "1"}}', "doubt" },
    { "another call inside the arguments", "hermes", hermes '{"name": "g", "arguments": {"a": "1"}}', "doubt" },
    { "all arguments inside a shell", "hermes", hermes '{"rgs": {"a": "1"}}', "doubt" },
    { "orphan closers behind it", "qwen3_coder", qwen "1" .. "\n</parameter>\n</function>", "doubt" },
    { "a closer in backticks behind it", "qwen3_coder", qwen "1" .. "\n`</parameter>` ends a value", "valid" },
    { "a form without its wrapper on its own line", "qwen3_coder", "Sure.\n" .. bare, "valid" },
    { "a form without its wrapper in a sentence", "qwen3_coder", "He wrote " .. bare .. " in the log.", "none" },
    { "a form without its wrapper in JSON", "qwen3_coder", '{"x": "' .. bare .. '"}', "none" },
  } do
    it("or not: " .. case[1], function()
      local result = sluice.parse(case[2], case[3], { tools = one })
      local call = result.calls[1]
      local is = not call and "none" or call.valid and "valid" or "doubt"
      assert.are.equal(case[4], is, case[3])
      if is == "doubt" then
        assert.are.equal("incomplete", call.status)
        assert.are.equal(1, result.errors[1].index)
      end
    end)
  end

  it("behind a value that may have swallowed it, and before a call that is damaged, but not before one that was cut", function()
    local function statuses(text, syntax)
      local list = {}
      for i, call in ipairs(sluice.parse(syntax or "qwen3_coder", text, { tools = one }).calls) do
        list[i] = call.status
      end
      return table.concat(list, " ")
    end
    assert.are.equal("incomplete incomplete", statuses(qwen "x <parameter=b> y" .. "\n" .. qwen "1"))
    assert.are.equal("incomplete incomplete", statuses(hermes '{"a": "1"}' .. "\n" .. hermes '{"a"": "5"}', "hermes"))
    assert.are.equal("complete incomplete", statuses(hermes '{"a": "1"}' .. '\n<tool_call>\n{"name": "f", "arguments": {"a": "x', "hermes"))
  end)

  it("in a result; the events only tell it behind the call's end", function()
    local seen = {}
    for _, chunk in ipairs { 0, 1 } do
      local list = {}
      for _, e in ipairs(laws.events(sluice.stream("qwen3_coder", { tools = one }), qwen "1" .. "\nso </function>", chunk)) do
        list[#list + 1] = e.type == "call_end" and e.type .. " " .. tostring(e.valid)
          or e.index and e.type == "error" and e.code .. " " .. e.index or nil
      end
      seen[#seen + 1] = table.concat(list, ", ")
    end
    assert.are.same({ "call_end true, stray_markup 1", "call_end true, stray_markup 1" }, seen)
  end)

  it("is counted, and has a sentence for the model", function()
    local stream = sluice.stream("qwen3_coder", { tools = one })
    for _, text in ipairs { "see </parameter> here\n", qwen "1", "\n", qwen "a <parameter=b> c" } do
      for _ in stream:feed(text) do end
    end
    for _ in stream:finish() do end
    local counts = stream:counts()
    assert.are.same({ 1, 0, 1, 1 }, { counts.valid, counts.recovered, counts.doubtful, counts.leaked })
    assert.is_truthy(sluice.error_hint "bad_arguments")
    assert.is_nil(sluice.error_hint "repaired")
    assert.is_nil(sluice.error_hint "no such code")
  end)
end)

it("a list of calls tells of each item before its first call why it is none", function()
  local told = {}
  local text = '[TOOL_CALLS][5, {"name": "g", "arguments": 7}, {"name": "f", "arguments": {}}]'
  for _, e in ipairs(assert(sluice.parse("mistral", text)).errors) do
    told[#told + 1] = e.message
  end
  assert.are.same({ "an item before the calls is not a call", "the arguments are not an object" }, told)
end)
