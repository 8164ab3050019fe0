--- Output to a terminal: all outside text goes through `safe`, so that no response, name or message can control it.

local json = require("sluice.core").json
local system = require "sluice.command.system"

local M = {}

local function escaped(character)
  return ("\\u%04x"):format(utf8.codepoint(character))
end

--- terminal.json(text): JSON text without the characters that control a terminal, which occur only in strings: C0 except line break and
-- tab, DEL, C1, and those that change the direction of writing. Instead there are their escapes.
function M.json(text)
  text = text:gsub("[%z\1-\8\11-\31\127]", escaped)
  if text:find "[\194\226]" then
    text = text:gsub("\194[\128-\159]", escaped):gsub("\226\128[\142\143\170-\174]", escaped):gsub("\226\129[\166-\169]", escaped)
  end
  return text
end

--- terminal.safe(text): any text as valid UTF-8 without such characters.
function M.safe(text)
  return text:find "[%z\1-\8\11-\31\127-\255]" and M.json(json.decode(json.encode(text))) or text
end

--- terminal.quoted(text): the text as a JSON string without such characters.
function M.quoted(text)
  return M.json(json.encode(text))
end

local colours = { reasoning = "\27[3;90m", name = "\27[1;32m", key = "\27[36m", arguments = "\27[36m", markup = "\27[33m",
  error = "\27[1;31m", status = "\27[90m" }

--- terminal.paint(what, text): the safe text in the colour of what it is, again on each line for pagers.
function M.paint(what, text)
  local colour, shown = colours[what], M.safe(text)
  return not colour and shown or colour .. shown:gsub("\n(.?)", function(after)
    return "\27[0m\n" .. (after ~= "" and colour .. after or "")
  end) .. "\27[0m"
end

--- terminal.is(stream): true if standard output (1) or standard error (2) is a terminal.
M.is = system.terminal

--- terminal.colours(when): true if output is coloured. `when`: "always", "never", or "auto": on a terminal, unless the environment
-- has NO_COLOR.
function M.colours(when)
  return when == "always" or when ~= "never" and M.is(1) and (os.getenv "NO_COLOR" or "") == ""
end

--- terminal.write(text): writes outside text to standard output: unchanged to programs, safe to a terminal.
function M.write(text)
  io.stdout:write(M.is(1) and M.safe(text) or text)
end

--- terminal.put_json(text): the same for JSON text, which stays JSON.
function M.put_json(text)
  io.stdout:write(M.is(1) and M.json(text) or text)
end

--- terminal.say(message[, before]): prints a message on standard error, after "sluice: " or another text.
function M.say(message, before)
  io.stdout:flush()
  io.stderr:write(before or "sluice: ", M.safe(message), "\n")
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
