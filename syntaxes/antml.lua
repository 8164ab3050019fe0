--- Claude's own form: like `invoke`, with a namespace before each tag. Origin: Anthropic's prompts for tools.

local own = "antml" .. ":" -- this script never holds a whole tag

return inherit("invoke", {
  api = 3, name = "antml",
  origin = "Anthropic", source = "https://docs.anthropic.com/en/docs/build-with-claude/tool-use",
  literals = { { ["<function"] = "<" .. own .. "function", ["</function"] = "</" .. own .. "function", ["<invoke"] = "<" .. own .. "invoke",
    ["</invoke"] = "</" .. own .. "invoke", ["<parameter"] = "<" .. own .. "parameter", ["</parameter"] = "</" .. own .. "parameter" },
    { ["<function"] = "<function" } },
  marked = false,
  examples = { {
    text = (('<*function_calls>\n<*invoke name="search">\n<*parameter name="query">cats</*parameter>\n</*invoke>\n</*function_calls>')
      :gsub("%*", own)),
    calls = { { name = "search", arguments = { query = "cats" } } },
  } },
})
