--- A tag named after the tool, with tags named after its parameters; other tags are text. Values are not escaped, and trimmed.
-- Origin: Cline; also Roo Code, Kilo Code and Void.

local word = (1 - lpeg.S " \t\r\n<>/=\"")^1 * -1

return s.syntax {
  api = 3, name = "cline", family = "agent",
  origin = "Cline, Roo Code, Kilo Code, Void", source = "https://github.com/cline/cline",
  think = { "<thinking>\n", "\n</thinking>\n\n" },
  blocks = {
    {
      "<", s.given(), ">\n",
      s.params { "<", s.key(word), ">", s.value { trim = true }, "</", s.same "key", ">\n" },
      "</", s.same "name", ">",
    },
    { -- a server's tool, where the host gave it by its own name
      "<use_mcp_tool>\n", "<server_name>", s.capture("server", "default"), "</server_name>\n", "<tool_name>", s.name(), "</tool_name>\n",
      "<arguments>\n", s.args(), "\n</arguments>\n", "</use_mcp_tool>",
    },
  },
  between = "\n",
  values = { default = "string" },
  options = { reasoning_opens = "anywhere" },
  tools = { "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace", "search_files",
    "list_files", "list_code_definition_names", "execute_command", "browser_action", "use_mcp_tool", "access_mcp_resource",
    "ask_followup_question", "attempt_completion", "switch_mode", "new_task", "new_rule", "fetch_instructions", "plan_mode_respond",
    "load_mcp_documentation", "codebase_search", "update_todo_list" },
  marked = { "<{mark:}", "</{mark:}" },
  examples = { {
    text = "<read_file>\n<path>src/a.ts</path>\n</read_file>",
    calls = { { name = "read_file", arguments = { path = "src/a.ts" } } },
  } },
}
