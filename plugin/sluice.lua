-- The commands of Sluice in Neovim; see :help sluice.
if vim.g.loaded_sluice then
  return
end
vim.g.loaded_sluice = true

local function names(lead)
  local found = {}
  for _, item in ipairs(require("sluice").syntaxes()) do
    if item.name:sub(1, #lead) == lead then
      found[#found + 1] = item.name
    end
  end
  return found
end

-- :SluiceRun {syntax} [from={format}] {shell command}
vim.api.nvim_create_user_command("SluiceRun", function(command)
  local syntax, rest = command.args:match "^(%S+)%s+(.+)$"
  if not syntax then
    vim.notify("SluiceRun: which command? :SluiceRun {syntax} {shell command}", vim.log.levels.ERROR)
    return
  end
  local from, rest_of_command = rest:match "^from=(%S+)%s+(.+)$"
  local ok, problem = pcall(require("sluice.nvim").run, syntax, rest_of_command or rest, { from = from })
  if not ok then
    vim.notify("SluiceRun: " .. tostring(problem), vim.log.levels.ERROR)
  end
end, { nargs = "+", desc = "Run a shell command and show its output as a model's response", complete = function(lead, line)
  return line:match "^%S+%s+%S*$" and names(lead) or {}
end })

-- :SluiceLab[!] [script] [sample] [tools]
vim.api.nvim_create_user_command("SluiceLab", function(command)
  local ok, problem = pcall(require("sluice.nvim.lab").open, command.fargs[1], command.fargs[2], command.fargs[3], command.bang)
  if not ok then
    vim.notify("SluiceLab: " .. tostring(problem), vim.log.levels.ERROR)
  end
end, { nargs = "*", bang = true, desc = "Edit a format's script with a live sample and its events", complete = function(lead, line)
  local files = vim.fn.getcompletion(lead, "file")
  return line:match "^%S+%s+%S*$" and vim.list_extend(names(lead), files) or files
end })
