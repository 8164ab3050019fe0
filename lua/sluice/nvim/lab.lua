--- The format lab, :SluiceLab: a script on the left, a sample below it, the events of the sample on the right, all live.
--
-- Each change of script or sample parses anew. The sample is coloured by what each byte was taken for; what is wrong with the
-- script stands at its line as a diagnostic. In the lab's windows `gs` feeds the sample slowly, byte by byte, `gn` feeds one
-- byte, `gA` all of it again.

local sluice = require "sluice"
local nvim = require "sluice.nvim"

local M = {}

local api, loop = vim.api, vim.uv or vim.loop
local colours = api.nvim_create_namespace "sluice_lab"
local diagnostics = api.nvim_create_namespace "sluice_lab_script"

--- What stands in a lab that is opened without a script and a sample.
M.template = [[
local s = require "sluice.syntax"

return s.syntax {
  api = 2,
  name = "mine",
  reasoning = { open = "<think>", close = "</think>" },
  call = { "<<TOOL ", s.name(), ">>\n", s.arguments(), "\n<<END>>" },
}
]]
M.sample = [[
<think>Two cities.</think>I ask for the weather.
<<TOOL get_weather>>
{"city": "Paris", "days": 3}
<<END>>
]]

local groups = { text = "SluiceText", reasoning = "SluiceReasoning", call_begin = "SluiceName", arguments = "SluiceArguments",
  markup = "SluiceMarkup" }

local Lab = {}
Lab.__index = Lab

local function text_of(buffer)
  return table.concat(api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

-- One line without control characters.
local function shown(text)
  return (vim.inspect(text))
end

local function describe(event)
  local range = ("%d-%d"):format(event.first - 1, event.last)
  if event.type == "error" then
    return ("error      %d %s: %s"):format(event.first - 1, event.code, event.message), "SluiceError"
  elseif event.type == "call_begin" then
    return ("call_begin %s #%d %s%s"):format(range, event.index, event.name, event.id and " id=" .. event.id or ""), "SluiceName"
  elseif event.type == "call_end" then
    return ("call_end   %s #%d %s%s"):format(range, event.index, event.status, event.extra and " extra=" .. event.extra or ""),
      event.status == "incomplete" and "SluiceIncomplete" or "SluiceComplete"
  end
  return ("%-10s %s %s"):format(event.type, range, shown(event.text)), groups[event.type]
end

-- Where the byte at an offset (from 0) stands: row and column.
local function places(text)
  local starts = { 0 }
  for at in text:gmatch "()\n" do
    starts[#starts + 1] = at
  end
  return function(offset)
    local low, high = 1, #starts
    while low < high do
      local middle = math.ceil((low + high) / 2)
      if starts[middle] <= offset then
        low = middle
      else
        high = middle - 1
      end
    end
    return low - 1, offset - starts[low]
  end
end

local function paint(self, place, first, last, group)
  if last > first then
    local row, column = place(first)
    local end_row, end_column = place(last)
    api.nvim_buf_set_extmark(self.sample, colours, row, column, { end_row = end_row, end_col = end_column, hl_group = group })
  end
end

-- The line of a script that a message speaks of, from 0: the one it names, or the first that has the word it quotes.
local function line_of(message, script)
  local number = message:match ":(%d+):"
  if number then
    return tonumber(number) - 1
  end
  local word = message:match "'([^']+)'" or message:match ": (%l+): "
  if word then
    local row = 0
    for line in (script .. "\n"):gmatch "(.-)\n" do
      if line:find(word, 1, true) then
        return row
      end
      row = row + 1
    end
  end
  return 0
end

local function write(buffer, lines)
  api.nvim_buf_set_option(buffer, "modifiable", true)
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  api.nvim_buf_set_option(buffer, "modifiable", false)
end

-- Adjacent fragments of a kind are shown as one.
local function join(list, event)
  local last = list[#list]
  if last and last.type == event.type and last.index == event.index and event.text and event.first == last.last + 1 then
    last.text, last.last = last.text .. event.text, event.last
  else
    list[#list + 1] = event
  end
end

-- Compiles the script, where it has changed. Answers whether there is one that can be used.
function Lab:compile()
  local script = text_of(self.script)
  if script ~= self.compiled_from then
    self.compiled_from = script
    local name = api.nvim_buf_get_name(self.script)
    local syntax, message = sluice.compile(script, name ~= "" and name or "script")
    self.syntax, self.problem = syntax, message
    local list = {}
    if message then
      local row = math.min(line_of(message, script), api.nvim_buf_line_count(self.script) - 1)
      list[1] = { lnum = row, col = 0, message = message, severity = vim.diagnostic.severity.ERROR, source = "sluice" }
    end
    vim.diagnostic.set(diagnostics, self.script, list)
  end
  return self.syntax ~= nil
end

-- Parses the first `fed` bytes of the sample (nil: all, and its end), and shows what came of it.
function Lab:show()
  if not (api.nvim_buf_is_valid(self.script) and api.nvim_buf_is_valid(self.sample) and api.nvim_buf_is_valid(self.events)) then
    self:close()
    return
  end
  local text = text_of(self.sample)
  api.nvim_buf_clear_namespace(self.sample, colours, 0, -1)
  api.nvim_buf_clear_namespace(self.events, colours, 0, -1)
  if not self:compile() then
    write(self.events, vim.split(self.problem, "\n", { plain = true }))
    return
  end
  local made, stream = pcall(sluice.stream, self.syntax, { tools = self.tools, markup = true })
  if not made then
    write(self.events, vim.split(stream, "\n", { plain = true }))
    return
  end
  local fed = self.fed and math.min(self.fed, #text)
  local events, calls = {}, {}
  local function take(iterator)
    for event in iterator do
      join(events, event)
    end
  end
  take(stream:feed(fed and text:sub(1, fed) or text))
  local state, name, held
  if fed then
    state, name, held = stream:state()
  else
    take(stream:finish())
  end

  local place = places(text)
  local lines, colour = {}, {}
  for _, event in ipairs(events) do
    local line, group = describe(event)
    lines[#lines + 1] = line
    colour[#lines] = group
    if groups[event.type] then
      paint(self, place, event.first - 1, event.last, groups[event.type])
    end
    if event.type == "call_begin" then
      calls[event.index] = { name = event.name, arguments = "" }
    elseif event.type == "arguments" then
      calls[event.index].arguments = calls[event.index].arguments .. event.text
    elseif event.type == "call_end" then
      calls[event.index].id, calls[event.index].extra = event.id, event.extra and sluice.json.decode(event.extra)
    end
  end
  if fed then
    paint(self, place, fed - held, fed, "SluiceHeld")
    paint(self, place, fed, #text, "SluiceUnread")
    lines[#lines + 1] = ("-- %d of %d bytes; %s%s; %d held"):format(fed, #text, state, name and " " .. name or "", held)
    colour[#lines] = "SluiceHeld"
  elseif #calls > 0 then
    local written, message = sluice.render(self.syntax, calls)
    lines[#lines + 1] = ""
    lines[#lines + 1] = "-- the calls, as this script writes them:"
    colour[#lines] = "SluiceMarkup"
    vim.list_extend(lines, vim.split(written or message, "\n", { plain = true }))
  end
  write(self.events, lines)
  for number, group in pairs(colour) do
    api.nvim_buf_set_extmark(self.events, colours, number - 1, 0, { end_row = number, end_col = 0, hl_group = group, strict = false })
  end
end

-- Shows, once for all changes of a moment.
function Lab:refresh()
  if self.waiting then
    return
  end
  self.waiting = true
  vim.schedule(function()
    self.waiting = false
    if not self.closed then
      self:show()
    end
  end)
end

-- Feeds one byte more.
function Lab:step()
  local size = #text_of(self.sample)
  self.fed = math.min((self.fed or 0) + 1, size)
  self:show()
  return self.fed < size
end

function Lab:stop()
  if self.timer then
    self.timer:close()
    self.timer = nil
  end
end

-- Feeds the sample byte by byte, `pace` milliseconds each; again: stops and goes on.
function Lab:slow(pace)
  if self.timer then
    self:stop()
    return
  end
  if self.fed and self.fed >= #text_of(self.sample) then
    self.fed = nil
  end
  self.timer = loop.new_timer()
  self.timer:start(0, pace or 60, vim.schedule_wrap(function()
    if self.timer and (self.closed or not self:step()) then
      self:stop()
      if not self.closed then
        self.fed = nil -- and then the end of the text
        self:show()
      end
    end
  end))
end

-- All of the sample.
function Lab:all()
  self:stop()
  self.fed = nil
  self:show()
end

function Lab:close()
  self.closed = true
  self:stop()
end

local function scratch(name)
  local buffer = api.nvim_create_buf(true, true)
  api.nvim_buf_set_name(buffer, ("sluice-lab://%d/%s"):format(buffer, name))
  return buffer
end

-- The path of a script that was asked for by name, alias or path.
local function path_of(script)
  for _, item in ipairs(sluice.syntaxes()) do
    if item.name == script or vim.tbl_contains(item.aliases, script) then
      return item.path
    end
  end
  return script
end

local function file_buffer(path)
  local buffer = vim.fn.bufadd(path)
  vim.fn.bufload(buffer)
  api.nvim_buf_set_option(buffer, "buflisted", true)
  return buffer
end

--- open([script[, sample[, tools]]]): a lab in a new tab. `script`: a name, an alias or a path (one that is not there yet is
-- begun from a template); `sample`: a file with a model's output (else the script's first example); `tools`: a file with an
-- OpenAI `tools` array.
function M.open(script, sample, tools)
  local self = setmetatable({}, Lab)
  nvim.define_highlights()
  if tools then
    self.tools = assert(require("sluice.core").read_file(vim.fn.expand(tools)))
  end
  if script then
    self.script = file_buffer(vim.fn.expand(path_of(script)))
  else
    self.script = scratch "script.lua"
  end
  local example
  if text_of(self.script) == "" then
    api.nvim_buf_set_lines(self.script, 0, -1, false, vim.split(vim.trim(M.template), "\n", { plain = true }))
    example = M.sample
  else
    local syntax = sluice.compile(text_of(self.script), api.nvim_buf_get_name(self.script))
    local first = syntax and (sluice.description(syntax).examples or {})[1]
    example = first and first.text
    self.tools = self.tools or first and first.tools
  end
  if sample then
    self.sample = file_buffer(vim.fn.expand(sample))
  else
    self.sample = scratch "sample"
    api.nvim_buf_set_lines(self.sample, 0, -1, false, vim.split((example or ""):gsub("\n$", ""), "\n", { plain = true }))
  end
  self.events = scratch "events"

  vim.cmd "tabnew"
  local empty = api.nvim_get_current_buf()
  local function show(buffer, title)
    api.nvim_win_set_buf(0, buffer)
    vim.wo.statusline = title
  end
  show(self.script, " script  %t %m")
  vim.cmd "belowright split"
  show(self.sample, " sample  gs: slowly  gn: a byte  gA: all")
  vim.cmd "botright vsplit"
  show(self.events, " events")
  vim.wo.wrap, vim.wo.number, vim.wo.foldmethod = true, false, "manual"
  vim.cmd "wincmd t"
  if api.nvim_buf_is_valid(empty) and empty ~= self.script and api.nvim_buf_get_name(empty) == "" then
    pcall(api.nvim_buf_delete, empty, {})
  end
  if vim.bo[self.script].filetype == "" then
    vim.bo[self.script].filetype = "lua"
  end

  for _, buffer in ipairs { self.script, self.sample } do
    api.nvim_buf_attach(buffer, false, {
      on_lines = function()
        if self.closed then
          return true
        end
        self:refresh()
      end,
      on_reload = function()
        self:refresh()
      end,
    })
  end
  local keys = { gs = "slow", gn = "step", gA = "all" }
  for _, buffer in ipairs { self.script, self.sample, self.events } do
    for key, method in pairs(keys) do
      vim.keymap.set("n", key, function()
        if method == "step" then
          self:stop()
        end
        self[method](self)
      end, { buffer = buffer, desc = "Sluice lab: " .. method })
    end
  end
  self:show()
  M.current = self
  return self
end

return M
