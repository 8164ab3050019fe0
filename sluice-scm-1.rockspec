-- luarocks make sluice-scm-1.rockspec; needs cJSON's headers (Debian: libcjson-dev)
rockspec_format = "3.0"
package = "sluice"
version = "scm-1"
source = { url = "." }
description = {
  summary = "Tool calls out of a language model's raw output, while it streams",
  license = "MIT",
}
dependencies = { "lua >= 5.1, < 5.5", "lpeg >= 1.0" }
external_dependencies = { CJSON = { header = "cjson/cJSON.h", library = "cjson" } }
build = {
  type = "builtin",
  modules = {
    sluice = "lua/sluice/init.lua",
    ["sluice.anchors"] = "lua/sluice/anchors.lua",
    ["sluice.auto"] = "lua/sluice/auto.lua",
    ["sluice.check"] = "lua/sluice/check.lua",
    ["sluice.compile"] = "lua/sluice/compile.lua",
    ["sluice.explain"] = "lua/sluice/explain.lua",
    ["sluice.gbnf"] = "lua/sluice/gbnf.lua",
    ["sluice.grammar"] = "lua/sluice/grammar.lua",
    ["sluice.guess"] = "lua/sluice/guess.lua",
    ["sluice.host"] = "lua/sluice/host.lua",
    ["sluice.infer"] = "lua/sluice/infer.lua",
    ["sluice.lark"] = "lua/sluice/lark.lua",
    ["sluice.laws"] = "lua/sluice/laws.lua",
    ["sluice.new"] = "lua/sluice/new.lua",
    ["sluice.notation"] = "lua/sluice/notation.lua",
    ["sluice.paths"] = "lua/sluice/paths.lua",
    ["sluice.prompt"] = "lua/sluice/prompt.lua",
    ["sluice.render"] = "lua/sluice/render.lua",
    ["sluice.schema"] = "lua/sluice/schema.lua",
    ["sluice.stream"] = "lua/sluice/stream.lua",
    ["sluice.structural"] = "lua/sluice/structural.lua",
    ["sluice.syntax"] = "lua/sluice/syntax.lua",
    ["sluice.tree"] = "lua/sluice/tree.lua",
    ["sluice.validate"] = "lua/sluice/validate.lua",
    ["sluice.wire"] = "lua/sluice/wire.lua",
    ["sluice.wire.anthropic"] = "lua/sluice/wire/anthropic.lua",
    ["sluice.wire.frames"] = "lua/sluice/wire/frames.lua",
    ["sluice.wire.ollama"] = "lua/sluice/wire/ollama.lua",
    ["sluice.wire.openai"] = "lua/sluice/wire/openai.lua",
    ["sluice.wire.read"] = "lua/sluice/wire/read.lua",
    ["sluice.wire.text"] = "lua/sluice/wire/text.lua",
    ["sluice.core"] = {
      sources = {
        "core/alloc.c", "core/json.c", "core/marker.c", "core/ops.c", "core/output.c", "core/scan.c", "core/stream.c", "core/typed.c",
        "core/utf8.c", "core/window.c", "lua/bridge.c", "lua/files.c", "lua/luajson.c",
      },
      incdirs = { "core/include", "$(CJSON_INCDIR)" },
      libdirs = { "$(CJSON_LIBDIR)" },
      libraries = { "cjson", "m" },
    },
  },
  copy_directories = { "syntaxes" }, -- found there by the module
}
