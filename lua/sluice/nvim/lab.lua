--- The format lab, :SluiceLab: a script and its program, below them a sample and its events, all live.
--
-- Every change of script or sample is parsed again. The sample is coloured by what each byte was parsed as; errors in the script and in
-- the sample are shown as diagnostics. In the lab's windows `gs` feeds the sample slowly, byte by byte, `gn` feeds one byte, `gA`
-- feeds the whole sample, `gS` picks another sample.

local sluice = require "sluice"
local laws = require "sluice.author.laws"
local listing = require "sluice.author.listing"
local nvim = require "sluice.nvim"
local scripts = require "sluice.nvim.scripts"

local M = {}

local api, loop = vim.api, vim.uv or vim.loop
local colours = api.nvim_create_namespace "sluice_lab"
local diagnostics = api.nvim_create_namespace "sluice_lab_script"
local inline = vim.fn.has "nvim-0.10" == 1 and "inline" or "eol" -- where virtual text is shown

--- The contents of a lab opened without a script and a sample.
M.template = [[
return s.syntax {
  api = 3,
  name = "mine",
  think = { "<think>", "</think>" },
  call = { "<<TOOL ", s.name(), ">>\n", s.args(), "\n<<END>>" },
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

-- Maps offsets of bytes (from 0) to row and column.
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

-- The row of a script that a message refers to, from 0, and the message without its position. The row is the one in the message, or
-- the first that contains the quoted word.
local function place_of(message, path, script)
  local text = message
  if text:sub(1, #path) == path then
    text = text:sub(#path + 1):gsub("^: ", "")
  end
  local number, rest = text:match "^:(%d+): (.*)$"
  if number then
    return tonumber(number) - 1, rest
  end
  local word = text:match "'([^']+)'" or text:match ": (%l+): "
  if word then
    local row = 0
    for line in (script .. "\n"):gmatch "(.-)\n" do
      if line:find(word, 1, true) then
        return row, text
      end
      row = row + 1
    end
  end
  return 0, text
end

local function write(buffer, lines)
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
end

-- Compiles the script, if it has changed, and lists its program. Returns true if it is valid.
function Lab:compile()
  local script = text_of(self.script)
  if script ~= self.compiled_from then
    self.compiled_from = script
    local path = self.path or api.nvim_buf_get_name(self.script)
    local syntax, message = sluice.compile(script, path)
    local list, program = {}, { "-- no program: the script has an error" }
    if syntax then
      program = vim.split(listing.of(syntax.plan), "\n", { plain = true })
    else
      local row
      row, message = place_of(message, path, script)
      row = math.min(row, api.nvim_buf_line_count(self.script) - 1)
      list[1] = { lnum = row, col = 0, message = message, severity = vim.diagnostic.severity.ERROR, source = "sluice" }
    end
    self.syntax, self.problem = syntax, message
    write(self.program, program)
    vim.diagnostic.set(diagnostics, self.script, list)
  end
  return self.syntax ~= nil
end

-- Parses the first `fed` bytes of the sample (nil: all, and its end), and shows the result.
function Lab:show()
  for _, buffer in ipairs { self.script, self.sample, self.events, self.program } do
    if not api.nvim_buf_is_valid(buffer) then
      self:close()
      return
    end
  end
  local text = text_of(self.sample)
  for _, buffer in ipairs { self.sample, self.events, self.program, self.script } do
    api.nvim_buf_clear_namespace(buffer, colours, 0, -1)
  end
  vim.diagnostic.reset(diagnostics, self.sample)
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
  local events = {}
  local function take(iterator)
    for event in iterator do
      events[#events + 1] = event
    end
  end
  if fed then
    take(stream:feed(text:sub(1, fed)))
  else
    take(stream:feed(text))
    take(stream:finish())
  end

  local place = places(text)
  local lines, colour, calls = self:show_events(laws.joined(events), place)
  if fed then
    local state, name, held = stream:state()
    paint(self, place, fed - held, fed, "SluiceHeld")
    paint(self, place, fed, #text, "SluiceUnread")
    lines[#lines + 1] = ("-- %d of %d bytes; %s%s; %d held"):format(fed, #text, state, name and " " .. name or "", held)
    colour[#lines] = "SluiceHeld"
  elseif #calls > 0 then
    local written, message = sluice.render(self.syntax, calls)
    lines[#lines + 1] = ""
    lines[#lines + 1] = "-- the calls as rendered by this script:"
    colour[#lines] = "SluiceMarkup"
    vim.list_extend(lines, vim.split(written or message, "\n", { plain = true }))
  end
  write(self.events, lines)
  for number, group in pairs(colour) do
    api.nvim_buf_set_extmark(self.events, colours, number - 1, 0, { end_row = number, end_col = 0, hl_group = group, strict = false })
  end
end

-- Colours the sample by its events. Returns the events as lines, the highlight of each, and the calls.
function Lab:show_events(events, place)
  local lines, colour, calls, problems = {}, {}, {}, {}
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
      local row, column = place(event.last)
      api.nvim_buf_set_extmark(self.sample, colours, row, column, { virt_text_pos = inline,
        virt_text = { { ("⟨#%d %s⟩"):format(event.index, event.status), group } } })
    elseif event.type == "error" then
      local row, column = place(event.first - 1)
      problems[#problems + 1] = { lnum = row, col = column, message = event.message, code = event.code, source = "sluice",
        severity = vim.diagnostic.severity.WARN }
    end
  end
  vim.diagnostic.set(diagnostics, self.sample, problems)
  return lines, colour, calls
end

-- Schedules one update for several changes.
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

-- Feeds one more byte.
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

-- Feeds the sample byte by byte, `pace` milliseconds each; called again, stops or goes on.
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
        self.fed = nil -- then the end of the text
        self:show()
      end
    end
  end))
end

-- Feeds the whole sample.
function Lab:all()
  self:stop()
  self.fed = nil
  self:show()
end

function Lab:close()
  self.closed = true
  self:stop()
end

-- Parses again when a buffer changes.
function Lab:follow(buffer)
  api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      if self.closed or (buffer ~= self.script and buffer ~= self.sample) then
        return true
      end
      self:refresh()
    end,
    on_reload = function()
      self:refresh()
    end,
  })
end

local keys = { gs = "slow", gn = "step", gA = "all", gS = "pick" }

function Lab:map(buffer)
  for key, method in pairs(keys) do
    vim.keymap.set("n", key, function()
      if method == "step" then
        self:stop()
      end
      self[method](self)
    end, { buffer = buffer, desc = "Sluice lab: " .. method })
  end
end

-- Puts a text into the lab's own sample buffer. A sample that is a file is left unchanged.
function Lab:set_sample(text)
  local buffer = self.sample
  if not buffer or vim.bo[buffer].buftype == "" then
    self.sample = scripts.scratch "sample"
    for _, window in ipairs(buffer and vim.fn.win_findbuf(buffer) or {}) do
      api.nvim_win_set_buf(window, self.sample)
    end
    self:follow(self.sample)
    self:map(self.sample)
  end
  api.nvim_buf_set_lines(self.sample, 0, -1, false, vim.split((text:gsub("\n$", "")), "\n", { plain = true }))
end

-- Lets the user pick one of the script's samples.
function Lab:pick()
  if not self:compile() then
    vim.notify("SluiceLab: the script has an error, so it has no samples", vim.log.levels.ERROR)
    return
  end
  vim.ui.select(scripts.samples(self.syntax, self.path or api.nvim_buf_get_name(self.script)), { prompt = "Sample:",
    format_item = function(item)
      return item.label
    end }, function(item)
      if item and not self.closed then
        self:stop()
        self.fed, self.tools = nil, item.tools or self.given_tools
        self:set_sample(item.text)
        self:show()
      end
    end)
end

-- Opens the four windows in a new tab.
local function lay_out(self)
  vim.cmd "tabnew"
  local empty = api.nvim_get_current_buf()
  local function show(buffer, title)
    api.nvim_win_set_buf(0, buffer)
    nvim.set_window(0, { statusline = title })
    return api.nvim_get_current_win()
  end
  local first = show(self.script, " script  %t %m")
  vim.cmd "belowright split"
  show(self.sample, " sample  gs: slowly  gn: a byte  gA: all  gS: another")
  vim.cmd "rightbelow vsplit"
  show(self.events, " events")
  nvim.set_window(0, { wrap = true, number = false, foldmethod = "manual" })
  api.nvim_set_current_win(first)
  vim.cmd "rightbelow vsplit"
  show(self.program, " program")
  nvim.set_window(0, { wrap = false, number = false, foldmethod = "manual" })
  api.nvim_set_current_win(first)
  if api.nvim_buf_is_valid(empty) and empty ~= self.script and api.nvim_buf_get_name(empty) == "" then
    pcall(api.nvim_buf_delete, empty, {})
  end
end

--- open([script[, sample[, tools[, in_place]]]]): opens a lab in a new tab. `script`: a name or an alias (to edit a copy of the script;
-- with `in_place` the script itself) or a path (a new file begins with a template); `sample`: a file with a model's
-- output (default: the script's first example); `tools`: a file with an OpenAI `tools` array.
function M.open(script, sample, tools, in_place)
  local self = setmetatable({}, Lab)
  nvim.define_highlights()
  if tools then
    self.given_tools = assert(require("sluice.core").read_file(vim.fn.expand(tools)))
  end
  self.script, self.path = scripts.script(script, M.template, in_place)
  local text = text_of(self.script)
  local syntax = sluice.compile(text, self.path or api.nvim_buf_get_name(self.script))
  local first = syntax and (sluice.description(syntax).examples or {})[1]
  self.tools = self.given_tools or first and first.tools
  if sample then
    self.sample = scripts.file(vim.fn.expand(sample))
    self:follow(self.sample)
    self:map(self.sample)
  else
    self:set_sample(first and first.text or text == vim.trim(M.template) and M.sample or "")
  end
  self.events, self.program = scripts.scratch "events", scripts.scratch "program"

  lay_out(self)
  scripts.highlight(self.script)
  self:follow(self.script)
  for _, buffer in ipairs { self.script, self.events, self.program } do
    self:map(buffer)
  end
  self:show()
  M.current = self
  return self
end

return M
