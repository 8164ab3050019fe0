--- Prints a response for a person: text as it is, reasoning dimmed, each call as a block with its arguments, and errors below their call.

local json = require("sluice.core").json
local terminal = require "sluice.command.terminal"

local safe = terminal.safe
local M = {}

local colours = { reasoning = "\27[3;90m", name = "\27[1;32m", key = "\27[36m", error = "\27[1;31m", status = "\27[90m" }

local Painter = {}
Painter.__index = Painter

--- pretty.painter(coloured): painter:add(event) prints what can be printed so far, painter:finish() the rest.
function M.painter(coloured)
  return setmetatable({ coloured = coloured, kind = nil, fresh = true, problems = {}, ended = 0 }, Painter)
end

function Painter:paint(what, text)
  return self.coloured and colours[what] .. text .. "\27[0m" or text
end

-- Starts a new line unless the cursor is at the beginning of one.
function Painter:line()
  if not self.fresh then
    io.stdout:write "\n"
    self.fresh = true
  end
end

function Painter:write(text)
  if text ~= "" then
    io.stdout:write(text)
    self.fresh = false
  end
end

-- Prints a fragment of text or reasoning; colours start again on each line.
function Painter:fragment(kind, text)
  local plain = kind == "reasoning" and not self.coloured -- then a label and an indentation say what it is
  if self.kind ~= kind then
    self:line()
    self.kind = kind
    io.stdout:write(plain and "reasoning:\n" or "")
  end
  text = safe(text)
  for part, ending in text:gmatch "([^\n]*)(\n?)" do
    if part ~= "" then
      self:write(plain and self.fresh and "  " or "")
      self:write(kind == "reasoning" and self:paint("reasoning", part) or part)
    end
    if ending ~= "" then
      io.stdout:write "\n"
      self.fresh = true
    end
  end
end

-- Formats a value: strings of several lines and containers below their key.
function Painter:value(value, indent)
  local kind = json.kind(value)
  if kind == "string" and value:find "\n" then
    return "\n" .. indent .. (safe(value):gsub("\n", "\n" .. indent))
  elseif kind == "string" then
    return " " .. safe(value)
  elseif kind == "object" and #json.keys(value) > 0 then
    local out = {}
    for _, key in ipairs(json.keys(value)) do
      out[#out + 1] = ("\n%s%s:%s"):format(indent, self:paint("key", safe(key)), self:value(value[key], indent .. "  "))
    end
    return table.concat(out)
  elseif kind == "array" and #value > 0 then
    local out = {}
    for _, item in ipairs(value) do
      out[#out + 1] = ("\n%s-%s"):format(indent, self:value(item, indent .. "  "))
    end
    return table.concat(out)
  end
  return " " .. terminal.safe(json.encode(value))
end

function Painter:problem(problem, indent)
  self:line()
  self:write(indent .. self:paint("error", safe(("! %s: %s"):format(problem.code, problem.message or ""))))
  self:line()
end

function Painter:call(call, event)
  self:line()
  local notes = { event.status ~= "complete" and event.status or nil }
  notes[#notes + 1] = event.valid == false and "not valid" or nil
  notes[#notes + 1] = call.syntax
  self:write(self:paint("name", "> " .. safe(call.name or "")) .. (notes[1] and " " .. self:paint("status",
    "(" .. safe(table.concat(notes, ", ")) .. ")") or ""))
  local arguments = json.decode(table.concat(call.pieces), { exact = true })
  self:write(arguments and json.kind(arguments) == "object" and self:value(arguments, "    ") or "")
  if event.extra then
    self:write("\n  " .. self:paint("key", "extra") .. " " .. safe(event.extra))
  end
  self:line()
  self.kind = "call"
end

--- painter:add(event)
function Painter:add(event)
  local kind = event.type
  if kind == "text" or kind == "reasoning" then
    self:fragment(kind, event.text)
  elseif kind == "call_begin" then
    self.open = { name = event.name, syntax = event.syntax, pieces = {} }
  elseif kind == "arguments" then
    table.insert(self.open.pieces, event.text)
  elseif kind == "call_end" then
    self:call(self.open, event)
    self.open, self.ended = nil, event.index
    self.first = self.first or event.status ~= "incomplete" and event.index or nil
    local cut
    for _, problem in ipairs(self.problems) do
      self:problem(problem, "  ")
      cut = cut or problem.code == "unfinished_call"
    end
    self.problems = {}
    self.doubtful = event.status == "incomplete" and not cut and event.index - 1 or self.doubtful -- as in a result
  elseif kind == "error" and (self.open or (event.index or 0) > self.ended) then -- printed below the call
    table.insert(self.problems, event)
  elseif kind == "error" then
    self:problem(event, "")
    self.kind = "error"
    self.doubtful = event.index or self.doubtful
  end
end

--- painter:finish()
function Painter:finish()
  for _, problem in ipairs(self.problems) do
    self:problem(problem, "")
  end
  self:line()
  if self.first and self.first <= (self.doubtful or 0) then
    local which = self.doubtful == 1 and "the first call is" or ("the first %d calls are"):format(self.doubtful)
    self:problem({ code = "in doubt", message = which .. " incomplete in a result, because of the damage after that" }, "")
  end
end

return M
