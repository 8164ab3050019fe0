--- Prints a response for a person: text as it is, reasoning dimmed, each call as a block with its arguments, and errors below their call.

local json = require("sluice.core").json
local lists = require "sluice.lists"
local terminal = require "sluice.command.terminal"

local safe = terminal.safe
local M = {}

-- Formats a value: strings of several lines and containers below their key.
local function shown(value, indent, paint)
  local kind = json.kind(value)
  if kind == "string" then
    return value:find "\n" and "\n" .. indent .. safe(value):gsub("\n", "\n" .. indent) or " " .. safe(value)
  end
  local members = kind == "object" and json.keys(value) or kind == "array" and value or {}
  return #members > 0 and lists.join(members, function(one)
    return kind == "object" and ("\n%s%s:%s"):format(indent, paint("key", safe(one)), shown(value[one], indent .. "  ", paint))
      or ("\n%s-%s"):format(indent, shown(one, indent .. "  ", paint))
  end) or " " .. safe(json.encode(value))
end

--- pretty.painter(coloured): a function that takes an event and prints what can be printed so far, and one that prints the rest.
function M.painter(coloured)
  local last, fresh = nil, true -- the kind that was printed last; true at the beginning of a line
  local open, problems, ended = nil, {}, 0 -- the open call, its errors, the number of calls that have ended
  local sound, doubtful -- the first call that was printed as sound, the last one that later damage puts in doubt

  local function paint(what, text)
    return coloured and terminal.paint(what, text) or text
  end
  local function write(text)
    io.stdout:write(text)
    fresh = text == "" and fresh or text:sub(-1) == "\n"
  end
  local function line()
    write(fresh and "" or "\n")
  end

  -- Prints a fragment of text or reasoning; colours start again on each line.
  local function fragment(kind, text)
    local plain = kind == "reasoning" and not coloured -- then a label and an indentation say what it is
    if last ~= kind then
      line()
      last = kind
      write(plain and "reasoning:\n" or "")
    end
    for part, ending in safe(text):gmatch "([^\n]*)(\n?)" do
      if part ~= "" then
        write((plain and fresh and "  " or "") .. (kind == "reasoning" and paint(kind, part) or part))
      end
      write(ending)
    end
  end

  local function problem(code, message, indent)
    line()
    write(indent .. paint("error", safe(("! %s: %s"):format(code, message or ""))) .. "\n")
  end

  local function call_end(event)
    local notes = { event.status ~= "complete" and event.status or nil }
    notes[#notes + 1] = event.valid == nil and "not checked: no tools" or not event.valid and "not valid" or nil
    notes[#notes + 1] = open.syntax
    line()
    write(paint("name", "> " .. safe(open.name or "")))
    write(notes[1] and " " .. paint("status", "(" .. safe(table.concat(notes, ", ")) .. ")") or "")
    local arguments = json.decode(table.concat(open.pieces), { exact = true })
    write(json.kind(arguments) == "object" and shown(arguments, "    ", paint) or "")
    write(event.extra and "\n  " .. paint("key", "extra") .. " " .. safe(event.extra) or "")
    line()
    local cut
    for _, one in ipairs(problems) do
      problem(one.code, one.message, "  ")
      cut = cut or one.code == "unfinished_call"
    end
    sound = sound or event.status ~= "incomplete" and event.index or nil
    doubtful = event.status == "incomplete" and not cut and event.index - 1 or doubtful -- as in a result
    last, open, problems, ended = "call", nil, {}, event.index
  end

  return function(event)
    local kind = event.type
    if kind == "text" or kind == "reasoning" then
      fragment(kind, event.text)
    elseif kind == "call_begin" then
      open = { name = event.name, syntax = event.syntax, pieces = {} }
    elseif kind == "arguments" then
      table.insert(open.pieces, event.text)
    elseif kind == "call_end" then
      call_end(event)
    elseif kind == "error" and (open or (event.index or 0) > ended) then -- printed below the call
      table.insert(problems, event)
    elseif kind == "error" then
      problem(event.code, event.message, "")
      last, doubtful = kind, event.index or doubtful
    end
  end, function()
    for _, one in ipairs(problems) do
      problem(one.code, one.message, "")
    end
    line()
    if sound and sound <= (doubtful or 0) then
      local which = doubtful == 1 and "the first call is" or ("the first %d calls are"):format(doubtful)
      problem("in doubt", which .. " incomplete in a result, because of the damage after that", "")
    end
  end
end

return M
