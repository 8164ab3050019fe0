--- The stream options and the events: the one table for every host. The command, Lua's checks and the reference pages read it;
-- tests/spec/options_spec.lua compares the header, the bindings and docs/options.md with it.

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
  local kind = M.kinds[name]
  if not kind then
    local near = require("sluice.nearest")(name, M.kinds, true)
    return nil, ("there is no stream option '%s'; the nearest is '%s'"):format(name, near)
  elseif kind == "boolean" and truths[text] == nil then
    return nil, ("the option '%s' must be true or false, not '%s'"):format(name, text)
  elseif kind == "number" and not text:find "^%d+$" then
    return nil, ("the option '%s' must be a whole number, not '%s'"):format(name, text)
  elseif kind == "boolean" then
    return truths[text]
  elseif kind == "number" then
    return tonumber(text)
  end
  return text
end

return M
