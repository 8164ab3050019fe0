--- Notations of values other than JSON: Python's, and one with a format's own quotes.

local json = require("sluice.core").json
local lists = require "sluice.lists"

local M = {}

-- A value in a notation: text(string), name(key), and what stands between two items, behind a key.
local function spelt(value, how)
  local kind = json.kind(value)
  if kind == "string" then
    return how.text(value)
  elseif kind == "array" then
    return "[" .. lists.join(value, function(item)
      return spelt(item, how)
    end, how.item) .. "]"
  elseif kind == "object" then
    return "{" .. lists.join(json.keys(value), function(key)
      return how.name(key) .. how.key .. spelt(value[key], how)
    end, how.item) .. "}"
  end
  local text = json.encode(value)
  return how.words and how.words[text] or text
end

local escapes = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\", ["'"] = "\\'" }

local function python_text(value)
  return "'" .. value:gsub("[%z\1-\31\\']", function(c)
    return escapes[c] or ("\\x%02x"):format(c:byte())
  end) .. "'"
end

local python = { text = python_text, name = python_text, item = ", ", key = ": ",
  words = { null = "None", ["true"] = "True", ["false"] = "False" } }

--- of(quote, as_python): a notation, with write(value) -> text: Python literals; or a format's own quotes, with bare keys and no white
-- space, or as in Python.
function M.of(quote, as_python)
  local function text(given)
    return quote .. given .. quote
  end
  local how = not quote and lists.copy(python) or as_python and lists.copy(python, { text = text, name = text })
    or { text = text, item = ",", key = ":", name = function(key)
      return key:match "^[%a_][%w_]*$" or text(key)
    end }
  function how.write(value)
    return spelt(value, how)
  end
  return how
end

M.python = M.of()

return M
