--- Runs busted inside Neovim; its exit status becomes the editor's.
-- The plugin's uses of deprecated functions, with traces, for the last spec.
local deprecated = {}
local deprecate = vim.deprecate
if deprecate then
  vim.deprecate = function(name, ...)
    local trace = debug.traceback(name, 2)
    if trace:find("lua/sluice/", 1, true) or trace:find("plugin/sluice", 1, true) then
      deprecated[#deprecated + 1] = trace
    end
    return deprecate(name, ...)
  end
end
package.loaded["sluice_test.deprecated"] = deprecated

_G.arg = { [0] = "busted", "--output=plainTerminal", "tests/nvim/nvim_spec.lua" }
local fine = pcall(require, "busted.runner")
if fine then
  fine = pcall(require "busted.runner", { standalone = false }) -- it raises where a test failed
end
vim.cmd(fine and "qall!" or "cquit 1")
