--- The buffers of the format lab: the script (a copy, if its syntax is installed) and samples for it.

local sluice = require "sluice"
local core = require "sluice.core"

local M = {}

local api = vim.api

-- A name that no buffer has yet.
local function free_name(name)
  local full, number = "sluice-lab://" .. name, 1
  while vim.fn.bufexists(full) == 1 do
    number = number + 1
    full = ("sluice-lab://%d/%s"):format(number, name)
  end
  return full
end

--- A new buffer without a file.
function M.scratch(name)
  local buffer = api.nvim_create_buf(true, true)
  api.nvim_buf_set_name(buffer, free_name(name))
  return buffer
end

--- A buffer with a file.
function M.file(path)
  local buffer = vim.fn.bufadd(path)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buflisted = true
  return buffer
end

-- The installed syntax with this name or alias: { name, path }, or nil.
local function installed(script)
  for _, item in ipairs(sluice.syntaxes()) do
    if item.name == script or vim.tbl_contains(item.aliases, script) then
      return item
    end
  end
end

-- A buffer with a text, which `:w FILE` saves.
local function copy(name, text)
  local buffer = M.scratch(name)
  api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text:gsub("\n$", ""), "\n", { plain = true }))
  return buffer
end

--- Opens a script in a buffer: `script` is a name, an alias, a path, or nil for `template`. Returns the buffer, and the path that
-- messages name and next to which parents are searched. An installed syntax's script is copied, unless `in_place`.
function M.script(script, template, in_place)
  local item = script and installed(script)
  if item and not (in_place and core.read_file(item.path)) then
    return copy(item.name .. ".lua", core.read_file(item.path) or core.embedded_script(item.name)), item.path
  elseif script then
    local path = vim.fn.expand(item and item.path or script)
    local buffer = M.file(path)
    if vim.fn.filereadable(path) == 0 and api.nvim_buf_line_count(buffer) == 1 then
      api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(template), "\n", { plain = true }))
    end
    return buffer
  end
  return copy("script.lua", template)
end

--- Highlights a script: with tree-sitter if the editor has a Lua parser, else with the editor's syntax file.
function M.highlight(buffer)
  if vim.bo[buffer].filetype == "" then
    vim.bo[buffer].filetype = "lua"
  end
  if not (vim.treesitter and vim.treesitter.start and pcall(vim.treesitter.start, buffer, "lua")) then
    vim.bo[buffer].syntax = "lua"
  end
end

--- The samples of a script: its examples, and in a checkout the texts of its cases, as { label, text, tools } each.
function M.samples(syntax, path)
  local list = {}
  for i, example in ipairs(sluice.description(syntax).examples or {}) do
    list[i] = { label = "example " .. i, text = example.text, tools = example.tools }
  end
  local folder = path and path:match "^(.*)[/\\]syntaxes[/\\][^/\\]*$" or path and path:find "^syntaxes[/\\]" and "."
    or debug.getinfo(1, "S").source:match "^@(.*)[/\\]lua[/\\]sluice[/\\]nvim[/\\]" -- of a script inside the library
  local cases = folder and core.read_file(("%s/tests/cases/%s.jsonl"):format(folder, syntax.name)) or ""
  for line in cases:gmatch "[^\n]+" do
    local case = core.json.decode(line)
    list[#list + 1] = case and case.text and { label = case.id, text = case.text } or nil
  end
  return list
end

return M
