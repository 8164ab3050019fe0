-- luarocks make sluice-scm-1.rockspec
-- Needs CMake and a C compiler. cJSON is the system's where it has it (Debian: libcjson-dev), else it is fetched. The syntaxes are
-- inside the C module.
rockspec_format = "3.0"
package = "sluice"
version = "scm-1"
source = { url = "." }
description = {
  summary = "Tool calls out of a language model's raw output, while it streams",
  license = "MIT",
}
dependencies = { "lua >= 5.1, < 5.5", "lpeg >= 1.0" }
build = {
  type = "command",
  install_command = 'cmake "-DPREFIX=$(PREFIX)" "-DLUA_INCDIR=$(LUA_INCDIR)" "-DLUADIR=$(LUADIR)" "-DLIBDIR=$(LIBDIR)" '
    .. "-P cmake/rock.cmake",
}
