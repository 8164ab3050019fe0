--- `sluice batch`: JSON Lines in, JSON Lines out, in order and in constant memory.

local engines = require "sluice.command.engine"
local files = require "sluice.command.files"
local frames = require "sluice.wire.frames"
local json = require("sluice.core").json
local lists = require "sluice.lists"
local system = require "sluice.command.system"
local nearest = require "sluice.nearest"
local stream_options = require "sluice.options"
local terminal = require "sluice.command.terminal"
local wire = require "sluice.wire.text"

local M = {}

local Batch = {}
Batch.__index = Batch

-- Ends the work on a line with an error.
local function refuse(code, message)
  error({ code = code, message = message }, 0)
end

-- The JSON text of an optional member; null counts as absent.
local function given(members, name)
  local raw = members[name]
  return raw ~= "null" and raw or nil
end

-- The text of a member that must be a string. The library reads names up to a NUL.
local function text_of(members, name)
  local value = members[name] and members[name]:sub(1, 1) == '"' and json.decode(members[name], { raw = true })
  value = value or refuse("bad_line", ("'%s' is missing or not a string"):format(name))
  return (name == "text" or not value:find("\0", 1, true)) and value or refuse("bad_line", ("'%s' contains a NUL"):format(name))
end

local function put_error(id, code, message)
  terminal.put_json(('{"id": %s, "error": {"code": "%s", "message": %s}}\n'):format(id or "null", code, json.encode(message)))
end

-- Names and aliases only, unless paths are allowed: lines may come from untrusted sources.
function Batch:syntax(members)
  local name = text_of(members, "syntax")
  if not self.paths then
    for each in (name:match "^auto:(.*)$" or name):gmatch "[^,]+" do
      if each:find "[/\\]" or (each:find(".", 1, true) and not self.engine:ask("known", each)) then
        refuse("not_found", ("'%s' is not the name of a syntax; paths need --allow-paths"):format(each))
      end
    end
  end
  return name
end

-- The stream options: "options", and "start" as a shorthand.
local function options_of(members)
  local raw = given(members, "options") or "{}"
  local wanted = raw:sub(1, 1) == "{" and json.decode(raw) or refuse("bad_line", "'options' is not an object")
  local wrong = stream_options.wrong_in(wanted, stream_options.kinds)
  return not wrong and lists.copy({ start = given(members, "start") and text_of(members, "start") }, wanted)
    or refuse("bad_option", wrong)
end

function Batch:tools(members)
  local raw = given(members, "tools")
  if not raw then
    return nil
  end
  local tools, message = self.engine:tools(raw)
  return tools or refuse("bad_json", message)
end

-- The stream for these members: that of the line before if they are equal.
function Batch:stream(members)
  local key = ("%s\n%s\n%s\n%s"):format(members.syntax, members.tools, members.options, members.start)
  if self.key ~= key then
    local stream, message, code = engines.stream(self.engine, self:syntax(members), self:tools(members), options_of(members))
    self.kept = stream or refuse(code, message)
    self.key = key
  end
  return self.kept
end

-- The pieces of a text, some of them special tokens: { text, "special" or nil } each.
local function pieces_of(raw)
  local list = json.decode(raw, { raw = true })
  return json.kind(list) == "array" and not lists.some(list, function(piece)
    return not (json.kind(piece) == "array" and type(piece[1]) == "string" and (piece[2] == nil or piece[2] == "special"))
  end) and list or refuse("bad_line", "'pieces' must be a list of [text] and [text, \"special\"]")
end

function Batch:parse(members)
  text_of(members, "syntax")
  if given(members, "pieces") and given(members, "text") then
    refuse("bad_line", "'text' and 'pieces' are both given")
  end
  local pieces = given(members, "pieces") and pieces_of(members.pieces) or { { text_of(members, "text") } }
  local output, chunk = given(members, "output"), given(members, "chunk") or "0"
  local events = output == '"events"'
  if output and not events and output ~= '"result"' then
    refuse("bad_line", "'output' must be \"result\" or \"events\"")
  elseif not chunk:find "^%d+$" or #chunk > 15 then
    refuse("bad_line", "'chunk' is not a number of bytes")
  end
  local stream = self:stream(members)
  local ways, state = wire.encoder(nil, events and "events" or "result")
  local out = {}
  local function take(of_piece)
    for event in of_piece do
      for line in ways[event.type](state, event):gmatch "[^\n]+" do
        out[#out + 1] = line
      end
    end
  end
  stream:reset()
  for _, piece in ipairs(pieces) do
    local text, special = piece[1], piece[2]
    local step = not special and math.tointeger(chunk) > 0 and math.tointeger(chunk) or math.max(#text, 1)
    for at = 1, #text, step do
      local part = text:sub(at, at + step - 1)
      take(special and stream:feed_special(part) or stream:feed(part))
    end
  end
  take(stream:finish())
  local id = '{"id": ' .. (members.id or "null") .. ", "
  terminal.put_json(events and id .. '"events": [' .. table.concat(out, ", ") .. "]}\n" or id .. ways.last(state):sub(2))
end

-- Prints a text made by the engine.
local function put_text(members, text, message, code)
  terminal.put_json(('{"id": %s, "text": %s}\n'):format(members.id or "null", json.encode(text or refuse(code, message))))
end

function Batch:render(members)
  local syntax = self:syntax(members)
  local calls = members.calls or refuse("bad_line", "'calls' is missing")
  local options = given(members, "options")
  put_text(members, self.engine:ask("render", ('{"syntax": %s, "calls": %s%s}'):format(json.encode(syntax), json.encode(calls),
    options and ', "options": ' .. options or "")))
end

function Batch:grammar(members)
  local syntax, tools = self:syntax(members), self:tools(members)
  local target = given(members, "to") and text_of(members, "to") or "lark"
  put_text(members, self.engine:grammar(syntax, tools, target, given(members, "options")))
end

function Batch:prompt(members)
  put_text(members, self.engine:prompt(self:syntax(members), self:tools(members), given(members, "options")))
end

-- The operations: the function, and the members that it knows.
local operations = {
  ['"parse"'] = { Batch.parse, lists.set "id op syntax text pieces tools chunk start options output" },
  ['"render"'] = { Batch.render, lists.set "id op syntax calls options" },
  ['"grammar"'] = { Batch.grammar, lists.set "id op syntax tools to options" },
  ['"prompt"'] = { Batch.prompt, lists.set "id op syntax tools options" },
}

-- Refuses a misspelt member: a line without its tools would otherwise pass unnoticed. Other unknown members are allowed, for readers of
-- the lines.
local function spelled(members, known)
  for name in pairs(members) do
    local near = not known[name] and #name > 3 and nearest(name, known)
    if near and #near > 3 and not members[near] then
      refuse("bad_line", ("there is no member '%s'; the nearest is '%s'"):format(name, near))
    end
  end
end

-- Runs the operation of a line.
function Batch:run(members)
  local op = operations[given(members, "op") or '"parse"']
    or refuse("bad_line", "'op' must be \"parse\", \"render\", \"grammar\" or \"prompt\"")
  spelled(members, op[2])
  op[1](self, members)
end

function Batch:line(line)
  local members, code, message = system.members(line)
  if not members then
    return put_error(nil, code, message)
  end
  local id = members.id
  members.id = id and id:find "[\128-\255]" and json.encode(json.decode(id, { exact = true })) or id -- valid UTF-8
  local ok, problem = pcall(self.run, self, members)
  if not ok and type(problem) == "table" and problem.code then
    put_error(members.id, problem.code, problem.message)
  elseif not ok then
    error(problem, 0)
  end
end

-- Runs the lines of a file as they arrive. A line that is too long is skipped and gets an error.
function Batch:file(path)
  local first = true
  local lines = frames.new("lines", function(_, data, _, problem)
    local line = first and data and files.unmarked(data) or data or ""
    first = false
    if problem then
      put_error(nil, "line_too_long", "the line is longer than --max-line")
    elseif line:find "%S" then
      self:line(line)
    end
  end, self.max_line + 1) -- with its line break
  for bytes in files.chunks(path) do
    lines:feed(bytes)
    io.stdout:flush()
  end
  lines:feed "\n" -- which the last line may lack
end

function M.run(args)
  local batch = setmetatable({ engine = engines.start(), paths = args.allow_paths, max_line = args.max_line }, Batch)
  return files.each(args.files, function(path)
    batch:file(path)
  end)
end

return M
