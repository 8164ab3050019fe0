--- Output to a terminal: all outside text goes through `safe`, so that no response, name or message can control it.

local json = require("sluice.core").json
local system = require "sluice.command.system"

local M = {}

-- Valid UTF-8: each invalid byte becomes U+FFFD.
local function valid(text)
  local at, out = 1, nil
  while true do
    local good, wrong = utf8.len(text, at)
    if good then
      break
    end
    out = out or {}
    out[#out + 1] = text:sub(at, wrong - 1)
    out[#out + 1] = "\239\191\189"
    at = wrong + 1
  end
  if not out then
    return text
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

-- A control character in visible form: ^X, or its number.
local function shown(character)
  local code = utf8.codepoint(character)
  if code < 32 or code == 127 then
    return code == 127 and "^?" or "^" .. string.char(code + 64)
  end
  return ("<U+%04X>"):format(code)
end

local function escaped(character)
  return ("\\u%04x"):format(utf8.codepoint(character))
end

-- Replaces the characters that control a terminal: C0 except line break and tab, DEL, C1, and those that change the direction of
-- writing.
local function replaced(text, by)
  text = text:gsub("[%z\1-\8\11-\31\127]", by)
  if text:find "[\194\226]" then
    text = text:gsub("\194[\128-\159]", by):gsub("\226\128[\142\143\170-\174]", by):gsub("\226\129[\166-\169]", by)
  end
  return text
end

--- terminal.safe(text): the text as valid UTF-8 without characters that control a terminal.
function M.safe(text)
  if not text:find "[%z\1-\8\11-\31\127-\255]" then
    return text
  end
  return replaced(valid(text), shown)
end

--- terminal.quoted(text): the text as a JSON string without such characters.
function M.quoted(text)
  return (replaced(json.encode(text), escaped))
end

--- terminal.json(text): JSON text without such characters, which occur only in strings.
function M.json(text)
  return (replaced(text, escaped))
end

--- terminal.is(stream): true if standard output (1) or standard error (2) is a terminal.
function M.is(stream)
  return system.terminal(stream)
end

--- terminal.colours(when): true if output is coloured. `when`: "always", "never", or "auto": on a terminal, unless the environment
-- has NO_COLOR.
function M.colours(when)
  local no = os.getenv "NO_COLOR"
  return when == "always" or (when ~= "never" and M.is(1) and not (no and no ~= ""))
end

--- terminal.write(text): writes outside text to standard output: unchanged to programs, safe to a terminal.
function M.write(text)
  io.stdout:write(M.is(1) and M.safe(text) or text)
end

--- terminal.put_json(text): the same for JSON text, which stays JSON.
function M.put_json(text)
  io.stdout:write(M.is(1) and M.json(text) or text)
end

--- terminal.say(message): prints a message on standard error.
function M.say(message)
  io.stdout:flush()
  io.stderr:write("sluice: ", M.safe(message), "\n")
end

--- terminal.report(lines): prints some lines on standard error.
function M.report(lines)
  io.stdout:flush()
  io.stderr:write(M.safe(lines), "\n")
end

--- terminal.paged(text): prints a text; on a terminal with $PAGER, else with less if it does not fit on the screen.
function M.paged(text)
  local pager = M.is(1) and io.popen(os.getenv "PAGER" or "less -FRX 2>/dev/null || cat", "w")
  for line in text:gmatch "[^\n]*\n" do
    (pager or io.stdout):write(line)
  end
  if pager then
    pager:close()
  end
end

--- terminal.fail(message): ends the command with this message and exit status 1.
function M.fail(message)
  error({ message = message }, 0)
end

--- terminal.misuse(message): the same for a mistake in the command line: exit status 2.
function M.misuse(message)
  error({ message = message, status = 2 }, 0)
end

return M
