--- :checkhealth sluice

local M = {}

local health = vim.health or require "health"
local start, ok = health.start or health.report_start, health.ok or health.report_ok
local warn, fail = health.warn or health.report_warn, health.error or health.report_error

local sample = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'

function M.check()
  start "sluice"
  local version = vim.version()
  local spelt = ("%d.%d.%d"):format(version.major, version.minor, version.patch)
  if vim.fn.has "nvim-0.7" == 1 then
    ok("Neovim " .. spelt)
  else
    fail(("Neovim %s; 0.7 or later is needed"):format(spelt))
  end
  if not (pcall(require, "lpeg") or vim.lpeg) then
    return fail("LPeg: not found", { "Install LPeg for Lua 5.1 (Debian: lua-lpeg), or use Neovim 0.10 or later" })
  end
  ok "LPeg"
  local loaded, sluice = pcall(require, "sluice")
  if not loaded then
    return fail("The module cannot be loaded: " .. tostring(sluice),
      { "Build it in the plugin's folder: cmake -P cmake/nvim.cmake", "This needs CMake and a C compiler" })
  end
  ok(("Sluice %s, %s"):format(sluice.version, jit and jit.version or _VERSION))
  local count = #sluice.syntaxes()
  if count == 0 then
    return fail("No syntax found", { "Set SLUICE_PATH to the folder of the scripts" })
  end
  ok(("%d syntaxes"):format(count))
  for _, problem in ipairs(sluice.problems()) do
    warn(problem)
  end
  local works, result = pcall(sluice.parse, "hermes", sample)
  if works and #result.calls == 1 and result.calls[1].status == "complete" then
    ok "Parsing a call works"
  else
    fail("Parsing a call failed: " .. tostring(works and vim.inspect(result) or result))
  end
end

return M
