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
