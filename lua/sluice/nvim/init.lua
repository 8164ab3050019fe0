--- Sluice in Neovim: shows a model's response in a buffer while it streams.
--
--    local view = require("sluice.nvim").attach(0, { syntax = "hermes", on_call = function(call) ... end })
--    view:feed(chunk)      -- as it arrives, from any callback
--    view:finish()
--
-- Text goes into the buffer as it arrives; a call is a region that can be folded, in which its arguments grow. Bytes are parsed where
-- they arrive; the buffer is updated at most once per `interval`, and takes at most a quarter of the time.
-- Each response is one undo step, unless the user edits in between.

local sluice = require "sluice"
local check = require("sluice.options").check
local collector = require("sluice.stream").collector

---@class sluice.nvim
local M = {}

local api, loop = vim.api, vim.uv or vim.loop
local marks = api.nvim_create_namespace "sluice"
local calls_space = api.nvim_create_namespace "sluice_calls"

-- The highlight groups, and their default links.
local highlights = { SluiceName = "Function", SluiceKey = "Identifier", SluiceArguments = "String", SluiceReasoning = "Comment",
  SluiceRunning = "WarningMsg", SluiceComplete = "MoreMsg", SluiceIncomplete = "ErrorMsg" }

local views = {} -- by buffer
local steps = {} -- what an event changes in the buffer, by its type

---@class sluice.nvim.View
---@field buffer integer
local View = {}
View.__index = View

-- ---- Queue of changes --------------------------------------------------------------------------------------------------

-- Queues an event for a step; text is joined to queued text.
function View:note(step, event)
  local last = self.todo[self.last]
  if last and event.text and last.step == step and last.event.index == event.index and last.event.key == event.key then
    last[#last + 1] = event.text
  else
    self.last = self.last + 1
    self.todo[self.last] = { step = step, event = event, event.text }
  end
end

function View:take(event)
  local kind = event.type
  self.collect(event)
  if kind == "arguments" and event.first then -- calls that a server parsed have no parameter events
    return
  elseif kind == "call_end" then
    self.calls = self.calls or self.collect().calls
    event = { call = self.calls[event.index], index = event.index }
    event.call.index = event.index
  end
  if steps[kind] and not self.gone then
    self:note(kind, event)
  end
end

-- ---- The buffer --------------------------------------------------------------------------------------------------------

-- True if the view has ended, or ends since its buffer cannot be written to: a callback may have deleted or unloaded it.
function View:over()
  if self.gone or not (api.nvim_buf_is_valid(self.buffer) and api.nvim_buf_is_loaded(self.buffer)) then
    self:detach()
  end
  return self.gone
end

-- The place of the next byte: row and column, from 0. If the mark is gone or beyond the end (the buffer was reloaded), that is the
-- buffer's end, where a new mark is set.
function View:tail()
  local at = self.tail_mark and api.nvim_buf_get_extmark_by_id(self.buffer, marks, self.tail_mark, {}) or {}
  local last = api.nvim_buf_line_count(self.buffer) - 1
  if at[1] and at[1] <= last and at[2] <= api.nvim_buf_get_offset(self.buffer, at[1] + 1)
    - api.nvim_buf_get_offset(self.buffer, at[1]) then
    return at[1], at[2]
  end
  local line = api.nvim_buf_get_lines(self.buffer, last, last + 1, false)[1] or ""
  self.tail_mark = api.nvim_buf_set_extmark(self.buffer, marks, last, #line, {})
  return last, #line
end

-- Joins the next change to the undo step of the last one, if nobody has changed the buffer since. Otherwise each change would keep a
-- copy of its line.
function View:join_undo()
  if self.tick and self.tick == api.nvim_buf_get_changedtick(self.buffer) then
    api.nvim_buf_call(self.buffer, function()
      vim.cmd "silent! undojoin"
    end)
  end
end

-- Appends text at the tail, with this highlight, if any.
function View:append(text, group)
  local row, column = self:tail()
  local lines = vim.split(text, "\n", { plain = true })
  api.nvim_buf_set_text(self.buffer, row, column, row, column, lines)
  local last_row = row + #lines - 1
  local last_column = (#lines == 1 and column or 0) + #lines[#lines]
  api.nvim_buf_set_extmark(self.buffer, marks, last_row, last_column, { id = self.tail_mark })
  if group then
    api.nvim_buf_set_extmark(self.buffer, marks, row, column, { end_row = last_row, end_col = last_column, hl_group = group })
  end
end

-- Begins a new line if there is text before the tail.
function View:new_line()
  local _, column = self:tail()
  if column > 0 then
    self:append "\n"
  end
end

-- The virtual text of a finished call.
local says = { complete = { " ✓", "SluiceComplete" }, recovered = { " ✓ recovered", "SluiceComplete" },
  incomplete = { " ✗ incomplete", "SluiceIncomplete" }, invalid = { " ✗ not valid", "SluiceIncomplete" } }

-- The region of the open call, from its name to the tail.
function View:region(status)
  local open = self.open
  local row, column = self:tail()
  local from = open and api.nvim_buf_get_extmark_by_id(self.buffer, calls_space, open, {})[1]
  if not from or from > row then -- deleted with the buffer's text
    self.open_row = nil
    return
  end
  self.open_row = not status and from or nil
  api.nvim_buf_set_extmark(self.buffer, calls_space, from, 0, { id = open, end_row = row, end_col = column,
    virt_text = { says[status] or { " …", "SluiceRunning" } }, right_gravity = false, end_right_gravity = false })
end

function steps.text(self, text)
  if self.after then -- after a call or reasoning, text begins a new line
    self.after = nil
    self:new_line()
    if text:byte(1) == 10 then
      text = text:sub(2)
    end
  end
  self:append(text)
end

function steps.reasoning(self, text)
  if self.after ~= "reasoning" then
    self:new_line()
    self.after = "reasoning"
  end
  self:append(text, "SluiceReasoning")
end

function steps.call_begin(self, _, event)
  self:new_line()
  local row = self:tail()
  self:append(event.name, "SluiceName")
  self.open = api.nvim_buf_set_extmark(self.buffer, calls_space, row, 0, { right_gravity = false })
  self.key, self.after = nil, nil
  self:region()
end

function steps.parameter(self, text, event)
  if self.key ~= event.key then
    self.key = event.key
    self:append "\n  "
    self:append(event.key, "SluiceKey")
    self:append ": "
  end
  self:append((text:gsub("\n", "\n    ")), "SluiceArguments")
  self:region()
end

function steps.arguments(self, text)
  if not self.key then
    self.key = true
    self:append "\n  "
  end
  self:append((text:gsub("\n", "\n  ")), "SluiceArguments")
  self:region()
end

function steps.call_end(self, _, event)
  local call = event.call
  self:region(call.status ~= "incomplete" and call.valid == false and "invalid" or call.status)
  self.after = "call"
  self.options.on_call(call)
end

function steps.error(self, _, event)
  self.options.on_error(event)
end

function steps.over(self) -- `finish` is an event of the wire formats
  self.next_is_new = true
  self.options.on_finish()
end

-- Applies the queued changes.
function View:work()
  while self.todo[self.first] do
    local item = self.todo[self.first]
    self.todo[self.first] = nil -- a callback that fails is not called again
    self.first = self.first + 1
    steps[item.step](self, table.concat(item), item.event)
    if self:over() then -- a callback closed the view or the buffer
      return
    end
  end
end

-- The windows whose cursor is at the end: they follow it.
local function followers(buffer)
  local last = api.nvim_buf_line_count(buffer)
  return vim.tbl_filter(function(window)
    return api.nvim_win_get_buf(window) == buffer and api.nvim_win_get_cursor(window)[1] == last
  end, api.nvim_list_wins())
end

--- view:sync(): updates the buffer with everything received so far, now.
function View:sync()
  self.waiting = false
  if self:over() then
    return
  end
  local began = loop.hrtime()
  local follow = followers(self.buffer)
  local locked = not vim.bo[self.buffer].modifiable
  if locked then
    vim.bo[self.buffer].modifiable = true
  end
  if self.next_is_new then -- another response begins another undo step
    self.next_is_new, self.tick = nil, nil
  end
  self:join_undo()
  local good, problem = xpcall(self.work, debug.traceback, self)
  self.flushed = loop.hrtime()
  self.took = self.flushed - began
  if locked and api.nvim_buf_is_valid(self.buffer) then
    vim.bo[self.buffer].modifiable = false
  end
  if not self:over() then
    self.tick = api.nvim_buf_get_changedtick(self.buffer)
    local last = api.nvim_buf_line_count(self.buffer)
    for _, window in ipairs(follow) do
      if api.nvim_win_is_valid(window) then
        api.nvim_win_set_cursor(window, { last, 0 })
      end
    end
  end
  if not good then
    self:schedule()
    error(problem, 0)
  end
end

-- Schedules an update: `interval` after the last one, and not before three times the last one's time.
function View:schedule()
  if self.waiting or self.gone then
    return
  end
  self.waiting = true
  local due = self.flushed + math.max(self.options.interval * 1000000, 3 * self.took) - loop.hrtime()
  self.timer:start(math.max(math.ceil(due / 1000000), 0), 0, vim.schedule_wrap(function()
    if self.waiting then
      self:sync()
    end
  end))
end

-- ---- For the host ------------------------------------------------------------------------------------------------------

--- view:feed(bytes): feeds bytes of the response. Call it from any callback, including those that may not call the editor's functions.
---@param bytes string
function View:feed(bytes)
  for event in self.stream:feed(bytes) do
    self:take(event)
  end
  self:schedule()
end

--- view:finish(): ends the response. The next feed begins another one.
function View:finish()
  for event in self.stream:finish() do
    self:take(event)
  end
  self.stream:reset()
  self.collect, self.calls = collector(), nil
  self:note("over", {})
  self:schedule()
end

--- view:state(): as stream:state(), for a status line: "text", "reasoning", "possible_block" or "call", the call's name, the number of
-- held bytes.
---@return "text"|"reasoning"|"possible_block"|"call" state
---@return string? name of the open call
---@return integer held bytes
function View:state()
  return self.stream:state()
end

--- view:detach(): stops updating the buffer; its text stays.
function View:detach()
  self.gone = true
  if not self.timer:is_closing() then
    self.timer:close()
  end
  if views[self.buffer] == self then
    views[self.buffer] = nil
  end
end

-- Sets up folding in the windows that show the buffer. vim.wo would also set the options for new windows.
local function fold(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    api.nvim_win_call(window, function()
      vim.cmd "setlocal foldmethod=expr foldlevel=99"
      vim.cmd "setlocal foldexpr=v:lua.require'sluice.nvim'.foldexpr(v:lnum) foldtext=v:lua.require'sluice.nvim'.foldtext()"
    end)
  end
end

---@class sluice.nvim.Options
---@field syntax sluice.Name|sluice.Syntax
---@field tools? sluice.Tools tool definitions
---@field stream? sluice.StreamOptions other options of the stream
---@field on_call? fun(call: sluice.nvim.Call) is called for each finished call
---@field on_error? fun(event: sluice.Event) is called for "error" events
---@field on_finish? fun() is called when the buffer has the whole response
---@field fold? boolean false: does not change the windows' folding
---@field interval? number milliseconds between updates (16)

---@class sluice.nvim.RunOptions: sluice.nvim.Options
---@field syntax? sluice.Name|sluice.Syntax
---@field from? "text"|"openai"|"anthropic"|"ollama" the wire format of the output

---@class sluice.nvim.Call: sluice.ParsedCall
---@field index integer from 1

-- The options of attach and run, and their types.
local kinds = { syntax = "string or table", tools = "table or string", stream = "table", on_call = "function", on_error = "function",
  on_finish = "function", fold = "boolean", interval = "number" }
local run_kinds = vim.tbl_extend("force", { from = "string" }, kinds)
local function nothing() end
local defaults = { interval = 16, fold = true, on_call = nothing, on_error = nothing, on_finish = nothing }

-- What f returns; its error is raised where the host called the function that calls this.
local function try(f, ...)
  local good, made, more = pcall(f, ...)
  if not good then
    error("sluice.nvim: " .. tostring(made):gsub("^[^\n]-:%d+: ", ""), 3)
  end
  return made, more
end

-- The options with their defaults, and a stream with them. Raises if one is wrong.
local function prepare(options, known)
  check(options, 0, known)
  if options.syntax == nil then
    error("the option 'syntax' is missing", 0)
  end
  local given = vim.tbl_extend("force", defaults, options)
  return given, sluice.stream(given.syntax, vim.tbl_extend("force", given.stream or {}, { parameters = true, tools = given.tools }))
end

local function attach(buffer, given, stream)
  local self = setmetatable({ buffer = buffer, options = given, collect = collector(), todo = {}, first = 1, last = 0, flushed = 0,
    took = 0, stream = stream }, View)
  local old = views[buffer]
  if old then
    old:sync()
    old:detach()
  end
  views[buffer] = self
  self.timer = loop.new_timer()
  self:tail() -- sets its mark
  for group, link in pairs(highlights) do
    api.nvim_set_hl(0, group, { link = link, default = true })
  end
  if given.fold then
    fold(buffer)
    if not vim.b[buffer].sluice_folds then
      vim.b[buffer].sluice_folds = true
      api.nvim_create_autocmd("BufWinEnter", { buffer = buffer, callback = function()
        fold(buffer)
      end })
    end
  end
  return self
end

--- attach(buffer, options): opens a view at the end of the buffer (0: the current one). Callbacks may call the editor's functions.
-- Raises if an option is unknown or of another type.
---@param buffer integer 0: the current one
---@param options sluice.nvim.Options
---@return sluice.nvim.View view
function M.attach(buffer, options)
  if type(buffer) ~= "number" or (buffer ~= 0 and not api.nvim_buf_is_valid(buffer)) then
    error("sluice.nvim: there is no buffer " .. tostring(buffer), 2)
  end
  buffer = buffer == 0 and api.nvim_get_current_buf() or buffer
  local given, stream = try(prepare, options, kinds)
  vim.fn.bufload(buffer)
  return attach(buffer, given, stream)
end

--- view(buffer): the view attached to the buffer, if any.
---@param buffer integer
---@return sluice.nvim.View? view
function M.view(buffer)
  return views[buffer == 0 and api.nvim_get_current_buf() or buffer]
end

-- The region of the call that contains the line (from 0): the row of its name, its last row.
local function region_at(buffer, row)
  local found = api.nvim_buf_get_extmarks(buffer, calls_space, { row, -1 }, 0, { limit = 1, details = true })[1]
  if found and found[4].end_row and row <= found[4].end_row then
    return found[2], found[4].end_row
  end
end

--- For 'foldexpr'.
function M.foldexpr(number)
  local buffer, row = api.nvim_get_current_buf(), number - 1
  local view = views[buffer]
  if view and view.open_row and row > view.open_row then
    return "1" -- in the unfinished call
  end
  local from = region_at(buffer, row)
  return from == row and ">1" or from and "1" or "0"
end

--- For 'foldtext'.
function M.foldtext()
  return ("%s (%d lines)"):format(vim.fn.getline(vim.v.foldstart), vim.v.foldend - vim.v.foldstart)
end

--- The calls in a buffer: { { name, first, last } }, lines from 1.
---@param buffer integer
---@return { name: string, first: integer, last: integer }[] regions
function M.regions(buffer)
  return vim.tbl_map(function(mark)
    local line = api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, false)[1]
    return { name = line, first = mark[2] + 1, last = (mark[4].end_row or mark[2]) + 1 }
  end, api.nvim_buf_get_extmarks(buffer, calls_space, 0, -1, { details = true }))
end

-- Starts a shell command. `take(bytes)` receives its output, and at the end nil; `over(status, errors)` is called when it has ended.
local function spawn(command, take, over)
  local said = {}
  vim.fn.jobstart({ "sh", "-c", command }, { stdin = "null",
    on_stdout = function(_, lines)
      for i, line in ipairs(lines) do
        lines[i] = line:gsub("\n", "\0")
      end
      local bytes = table.concat(lines, "\n")
      take(bytes ~= "" and bytes or nil)
    end,
    on_stderr = function(_, lines)
      local bytes = table.concat(lines, "\n")
      if bytes ~= "" then
        said[#said + 1] = bytes
        api.nvim_echo({ { bytes, "WarningMsg" } }, true, {})
      end
    end,
    on_exit = function(_, status)
      over(status, table.concat(said))
    end })
end

local runs = 0

--- run(syntax, command[, options]): runs a shell command whose output is a model's response, in a new buffer named
-- sluice://SYNTAX/NUMBER, as :SluiceRun does. Options: those of attach, and `from`: "text", or the response's wire format.
-- Returns the view. Raises, before a window opens, if an option is wrong. A command that fails without output leaves no window; the
-- user is notified.
---@param syntax sluice.Name|sluice.Syntax
---@param command string
---@param options? sluice.nvim.RunOptions
---@return sluice.nvim.View view
function M.run(syntax, command, options)
  if type(command) ~= "string" then
    error(("sluice.nvim: the command must be a string, not a %s"):format(type(command)), 2)
  end
  options = vim.tbl_extend("force", { syntax = syntax }, options or {})
  local given, stream = try(prepare, options, run_kinds)
  local decoder = try(require("sluice.wire").decoder, given.from or "text", function(choice)
    return choice == 1 and stream or sluice.stream(given.syntax)
  end)

  vim.cmd "botright new"
  local buffer = api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile = "nofile", false
  runs = runs + 1
  api.nvim_buf_set_name(buffer, ("sluice://%s/%d"):format(type(given.syntax) == "table" and given.syntax.name or given.syntax, runs))
  local view, received = attach(buffer, given, stream), false
  local function show(events)
    for event in events do
      if (event.choice or 1) == 1 then -- other choices are not shown
        view:take(event)
      end
      if event.type == "other" and event.message then -- a server's error, or not an answer
        vim.notify("SluiceRun: " .. event.message, vim.log.levels.ERROR)
      end
    end
    view:schedule()
  end
  spawn(command, function(bytes)
    if bytes then
      received = true
      show(decoder:feed(bytes))
    else
      show(decoder:finish())
      view:note("over", {})
    end
  end, function(status, errors)
    if status ~= 0 then
      if not received then
        view:detach()
        pcall(api.nvim_buf_delete, view.buffer, { force = true }) -- with its windows
      end
      local last = vim.trim(errors):match "[^\n]*$"
      vim.notify(("SluiceRun: the command ended with status %d%s"):format(status, last ~= "" and ": " .. last or ""),
        vim.log.levels.ERROR)
    end
  end)
  return view
end

return M
