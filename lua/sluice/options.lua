--- The stream options and the events: the one table for every host. The command, all hosts' checks and the reference pages read it;
-- tests/spec/options_spec.lua compares the header, the bindings and docs/options.md with it.

local nearest = require "sluice.nearest"

local M = {}

--- The options whose values are words, with these.
M.words = {
  calls = { "streamed", "whole" }, start = { "text", "reasoning" }, calls_in_reasoning = { "hold", "call", "text" },
  reasoning_opens = { "line", "start", "anywhere" }, fences = { "script", "text", "call" }, unknown_tools = { "forward", "text" },
  types = { "written", "schema" }, special = { "text", "tokens" },
}

--- The type of each option.
M.kinds = {
  prompt = "string", mark = "string", strict = "boolean", repairs = "boolean", validate = "boolean", parameters = "boolean",
  markup = "boolean", source = "boolean", max_calls = "number", limit_name = "number", limit_header = "number", limit_value = "number",
  limit_held = "number", limit_depth = "number",
}
for name in pairs(M.words) do
  M.kinds[name] = "string"
end

--- The types of events, in the order of the C enumeration.
M.events = { "text", "reasoning", "call_begin", "arguments", "parameter", "call_end", "markup", "error" }

local truths = { ["true"] = true, ["1"] = true, yes = true, on = true, ["false"] = false, ["0"] = false, no = false, off = false }

--- options.from_text(name, text): the value of an option given as text; or nil and a message.
function M.from_text(name, text)
  local kind, value = M.kinds[name], text
  if kind == "boolean" then
    value = truths[text]
  elseif kind == "number" then
    value = tonumber(text:match "^%d+$")
  end
  if value == nil then
    return nil, ("the option '%s' must be %s, not '%s'"):format(name, kind == "boolean" and "true or false" or "a whole number", text)
  end
  local wrong = M.wrong(name, value)
  if wrong then
    return nil, wrong
  end
  return value
end

--- options.wrong(name, value[, kinds]): what is wrong with an option of a stream, or of these kinds; nil if nothing is.
function M.wrong(key, value, kinds)
  kinds = kinds or M.kinds
  local want = kinds[key]
  if not want then
    return ("there is no option '%s'%s"):format(tostring(key), nearest(tostring(key), kinds, "; the nearest is '%s'") or "")
  elseif not want:find(type(value), 1, true) then
    return ("the option '%s' must be a %s, not %s"):format(key, want, type(value) == "userdata" and "null" or "a " .. type(value))
  elseif want == "number" and not (value >= 0 and (value == math.huge or value % 1 == 0 and value < 2 ^ 53)) then
    return ("the option '%s' must be a whole number from 0, not %s"):format(key, tostring(value))
  elseif key == "limit_depth" and value > 1024 then
    return ("the option 'limit_depth' must be at most 1024, not %s"):format(tostring(value))
  elseif want == "string" and value:find("\0", 1, true) then
    return ("there is a NUL character in the option '%s'"):format(key)
  end
end

--- options.wrong_in(options[, kinds]): what is wrong with the first of several that is.
function M.wrong_in(options, kinds)
  for key, value in pairs(options) do
    local wrong = (kinds or key ~= "tools") and M.wrong(key, value, kinds)
    if wrong then
      return wrong
    end
  end
end

--- options.check(options, level[, kinds]): raises, at this level, for what is no option or no value of one.
function M.check(options, level, kinds)
  local wrong = type(options) ~= "table" and ("the options must be a table, not a %s"):format(type(options)) or M.wrong_in(options, kinds)
  if wrong then
    error(wrong, level)
  end
end

return M
