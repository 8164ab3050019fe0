--- Pieces of text for searches: a syntax's own literals and the beginnings of its examples. Also used by tests/bench/superlinear.lua.

local sluice = require "sluice"

local M = {}

local root = os.getenv "SLUICE_ROOT" or "."

--- Tools with parameters of every type, under the names that examples use.
M.tools = {}
for _, name in ipairs { "f", "get_weather", "search", "add" } do
  M.tools[#M.tools + 1] = { name = name, parameters = { type = "object", properties = {
    a = { type = "string" }, b = { type = "integer" }, c = { type = "object" }, d = { type = "array", items = { type = "string" } },
    e = { type = { "boolean", "null" } } } } }
end

--- The text of a syntax's script.
function M.script(name)
  local f = assert(io.open(("%s/syntaxes/%s.lua"):format(root, name), "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

--- quoted(text): the texts between quotes in a script: literals, including those in examples and functions.
function M.quoted(text)
  local list, seen = {}, {}
  local function add(s)
    s = s:gsub("\\n", "\n"):gsub("\\(.)", "%1")
    if #s > 0 and #s < 200 and not seen[s] then
      seen[s] = true
      list[#list + 1] = s
    end
  end
  text:gsub('"([^"\n]*)"', add)
  text:gsub("'([^'\n]*)'", add)
  return list
end

--- The literals of a syntax: the quoted texts with a mark of punctuation.
function M.literals(name)
  local list = {}
  for _, s in ipairs(M.quoted(M.script(name))) do
    if s:find "[%p%s\128-\255]" then
      list[#list + 1] = s
    end
  end
  return list
end

--- Two calls, as the syntax writes them, cut before each byte that ends a word: every place of an object or a tag, also those before the
-- call is announced.
function M.beginnings(name)
  local list = { "" }
  local calls = { { name = "f", arguments = { a = "xy", b = 1 } }, { name = "f", arguments = { c = { k = "v" }, d = { "x" } } } }
  local text = sluice.render(name, calls) or sluice.render(name, { calls[1] })
  for at = 2, text and #text or 0 do
    if text:find("^[%p%s]", at) and not text:find("^[%p%s]", at - 1) or text:find("^[%w]", at) and text:find("^[%p%s]", at - 1) then
      list[#list + 1] = text:sub(1, at - 1)
    end
  end
  return list
end

return M
