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
