--- The stream options and the type of each: one table for every host. docs/options.md describes them.

local M = {}

M.kinds = {
  calls = "string", start = "string", prompt = "string", calls_in_reasoning = "string", reasoning_opens = "string", fences = "string",
  unknown_tools = "string", types = "string", strict = "boolean", repairs = "boolean", validate = "boolean", parameters = "boolean",
  markup = "boolean", special = "string", source = "boolean", mark = "string",
  max_calls = "number", limit_name = "number", limit_header = "number", limit_value = "number",
  limit_held = "number", limit_depth = "number",
}

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
