--- busted inside Neovim; its exit status is the editor's.
_G.arg = { [0] = "busted", "--output=plainTerminal", "tests/nvim/nvim_spec.lua" }
local fine = pcall(require, "busted.runner")
if fine then
  fine = pcall(require "busted.runner", { standalone = false }) -- it raises where a test failed
end
vim.cmd(fine and "qall!" or "cquit 1")
