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
    ["sluice.author.anchors"] = "lua/sluice/author/anchors.lua",
    ["sluice.forms"] = "lua/sluice/forms.lua",
    ["sluice.parse.declared"] = "lua/sluice/parse/declared.lua",
    ["sluice.parse.words_agents"] = "lua/sluice/parse/words_agents.lua",
    ["sluice.parse.auto"] = "lua/sluice/parse/auto.lua",
    ["sluice.author.check"] = "lua/sluice/author/check.lua",
    ["sluice.parse.compile"] = "lua/sluice/parse/compile.lua",
    ["sluice.author.explain"] = "lua/sluice/author/explain.lua",
    ["sluice.constrain.gbnf"] = "lua/sluice/constrain/gbnf.lua",
    ["sluice.constrain.grammar"] = "lua/sluice/constrain/grammar.lua",
    ["sluice.author.guess"] = "lua/sluice/author/guess.lua",
    ["sluice.registry"] = "lua/sluice/registry.lua",
    ["sluice.author.infer"] = "lua/sluice/author/infer.lua",
    ["sluice.constrain.lark"] = "lua/sluice/constrain/lark.lua",
    ["sluice.author.laws"] = "lua/sluice/author/laws.lua",
    ["sluice.author.new"] = "lua/sluice/author/new.lua",
    ["sluice.constrain.notation"] = "lua/sluice/constrain/notation.lua",
    ["sluice.paths"] = "lua/sluice/paths.lua",
    ["sluice.prompt"] = "lua/sluice/prompt.lua",
    ["sluice.write.render"] = "lua/sluice/write/render.lua",
    ["sluice.schema.types"] = "lua/sluice/schema/types.lua",
    ["sluice.stream"] = "lua/sluice/stream.lua",
    ["sluice.constrain.structural"] = "lua/sluice/constrain/structural.lua",
    ["sluice.syntax"] = "lua/sluice/syntax.lua",
    ["sluice.constrain.tree"] = "lua/sluice/constrain/tree.lua",
    ["sluice.schema.validate"] = "lua/sluice/schema/validate.lua",
    ["sluice.wire"] = "lua/sluice/wire/init.lua",
    ["sluice.wire.anthropic"] = "lua/sluice/wire/anthropic.lua",
    ["sluice.wire.frames"] = "lua/sluice/wire/frames.lua",
    ["sluice.wire.ollama"] = "lua/sluice/wire/ollama.lua",
    ["sluice.wire.openai"] = "lua/sluice/wire/openai.lua",
    ["sluice.wire.read"] = "lua/sluice/wire/read.lua",
    ["sluice.wire.text"] = "lua/sluice/wire/text.lua",
    ["sluice.core"] = {
      sources = {
        "core/alloc.c", "core/block.c", "core/call.c", "core/events.c", "core/json.c", "core/marker.c", "core/op.c",
        "core/op_arguments.c", "core/op_speech.c", "core/op_lines.c", "core/op_text.c", "core/op_value.c", "core/options.c", "core/output.c", "core/scan.c", "core/stream.c",
        "core/text.c", "core/typed.c", "core/utf8.c", "core/window.c", "lua/bridge.c", "lua/files.c", "lua/luajson.c",
      },
      incdirs = { "core/include", "$(CJSON_INCDIR)" },
      libdirs = { "$(CJSON_LIBDIR)" },
      libraries = { "cjson", "m" },
    },
  },
  copy_directories = { "syntaxes" }, -- found there by the module
}
