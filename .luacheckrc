-- Lua 5.1 to 5.4 and LuaJIT read the modules.
std = "max"
max_line_length = 140
files["syntaxes"] = { read_globals = { "inherit", "lpeg", "s" } }
files["tests/spec"] = { std = "max+busted" }
for _, folder in ipairs { "lua/sluice/nvim", "lua/sluice/health", "plugin", "tests/nvim" } do
  files[folder] = { globals = { "vim" } }
end
files["tests/nvim"].std = "max+busted"
files["examples/nginx"] = { globals = { "ngx" } }
files["examples/haproxy"] = { read_globals = { "core", "filter" } }
exclude_files = { "lua/sluice/meta" } -- functions without bodies, for language servers
