--- Deviations that models write, one case per line: each was once wrong. Every case is parsed whole and in chunks of 1 and 3.

local sluice, support = require "sluice", require "support"

local json = sluice.json
local tools = json.encode {
  { type = "function", ["function"] = { name = "f", parameters = { type = "object", properties = {
    a = { type = "string" }, b = { type = "integer" } } } } },
  { type = "function", ["function"] = { name = "g", parameters = { type = "object", properties = { x = { type = "string" } } } } },
}
local only_g = json.encode { { type = "function", ["function"] = { name = "g", parameters = { type = "object", properties = {
  x = { type = "string" } } } } } }

-- One parameter of f, which the text declares as JSON.
local function said_json(key, value)
  return ('<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="%s" string="false">%s</｜DSML｜parameter>\n'
    .. "</｜DSML｜invoke>\n</｜DSML｜tool_calls>"):format(key, value)
end

-- The syntax, the text, the result: content, reasoning, calls as `name arguments status`, one per line.
local cases = {
  -- A tag whose name only begins like the format's; a missing blank before an attribute.
  { "minicpm5", '<functionality name="f">x</functionality>', '<functionality name="f">x</functionality>', "", "" },
  { "minicpm5", '<functionname="f"><paramname="a">1</param></function>', "", "", 'f {"a":"1"} complete' },
  -- Reasoning after blanks at the beginning of a line; if its opener is text, so is its closer.
  { "hermes", "A\n  <think>x</think> there", "A\n   there", "x", "" },
  { "hermes", "Hello <think>x</think> there", "Hello <think>x</think> there", "", "" },
  { "mistral", '<think>hm</think>[TOOL_CALLS]f[ARGS]{"a":"1"}', "", "hm", 'f {"a":"1"} complete' },
  -- No arguments before the end of the turn. Before anything else it is not a call: a following call shows that this one broke off.
  { "mistral", '[TOOL_CALLS]f[ARGS][TOOL_CALLS]g[ARGS]{"x":"1"}', "[TOOL_CALLS]f[ARGS]", "", 'g {"x":"1"} complete' },
  { "mistral", "[TOOL_CALLS]f[ARGS]</s>", "", "", "f {} complete" },
  { "mistral", "[TOOL_CALLS]f[ARGS]", "[TOOL_CALLS]f[ARGS]", "", "" },
  { "mistral", '[TOOL_CALLS]f[ARGS]"x"</s>', '[TOOL_CALLS]f[ARGS]"x"', "", "" },
  -- A block with any indentation; a line with less makes the lines before doubtful.
  { "caret", "^^^f\na: |\n    one\n      two\n\n    x\nb: 3\n^^^", "", "", 'f {"a":"one\\n  two\\n\\nx\\n","b":3} complete' },
  { "caret", "^^^f\na: |-\n one\n   two\nb: 3\n^^^", "", "", 'f {"a":"one\\n  two","b":3} complete' },
  { "caret", "^^^f\na: |\n\tone\n\t\ttwo\n^^^", "", "", 'f {"a":"one\\n\\ttwo\\n"} complete' },
  { "caret", "^^^f\na: |\n   one\n two\n^^^", "", "", 'f {"a":"one\\ntwo\\n"} incomplete' },
  -- Several calls in one block.
  { "gemma4", '<|tool_call>call:f{a:<|"|>x<|"|>}call:g{x:<|"|>y<|"|>}<tool_call|>', "", "",
    'f {"a":"x"} complete\ng {"x":"y"} complete' },
  { "functiongemma", "<start_function_call>call:f{a:<escape>x<escape>}call:g{x:<escape>y<escape>}<end_function_call>", "", "",
    'f {"a":"x"} complete\ng {"x":"y"} complete' },
  -- A message to the assistant itself is not a call.
  { "harmony", "<|channel|>commentary to=assistant<|message|><|end|><|start|>assistant<|channel|>final<|message|>Bye<|return|>",
    "Bye", "", "" },
  { "harmony", "<|start|>assistant to=assistant<|channel|>final<|message|>Bye<|return|>", "Bye", "", "" },
  { "harmony", "<|channel|>analysis to=assistant<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Bye<|return|>",
    "Bye", "hm", "" },
  { "harmony", '<|channel|>commentary to=assistants.f<|message|>{}<|call|>', "", "", "assistants.f {} complete" },
  -- A counter in place of the name: the only tool is meant, or the only one with these parameters.
  { "kimi_k2", '<|tool_call_begin|>0<|tool_call_argument_begin|>{"x":"1"}<|tool_call_end|>', "", "", 'g {"x":"1"} recovered', only_g },
  { "kimi_k2", '<|tool_calls_section_begin|><|tool_call_begin|>0<|tool_call_argument_begin|>{"x":"1"}<|tool_call_end|>', "", "",
    'g {"x":"1"} recovered' },
  { "kimi_k2", '<|tool_calls_section_begin|><|tool_call_begin|>0<|tool_call_argument_begin|>{}<|tool_call_end|>', "", "",
    '0 {} recovered' },
  -- Defects of autumn: suffixes that the model chooses, quotes in CDATA, empty elements, bodies of built-in tools, numbers in quotes.
  { "hy3_opensource", "<tool_calls:6c><tool_call:6c>f<arg_key:6c>a</arg_key:6c><arg_value:6c>x</arg_value>y</arg_value:6c></tool_call:6c>"
    .. "</tool_calls:6c>", "", "", 'f {"a":"x</arg_value>y"} complete' },
  { "hy_v3", "<think:6c>hm</think:6c>Hi", "Hi", "hm", "" },
  { "minicpm5", '<function name="g"><param name="x"><![CDATA[<function name="f"><param name="a">1</param></function>]]></param></function>'
    .. '<function name="f"><param name="b">2</param></function>', "", "",
    'g {"x":"<function name=\\"f\\"><param name=\\"a\\">1</param></function>"} complete\nf {"b":2} complete' },
  { "harmony", "<|channel|>analysis to=g code<|message|>print(1)<|call|>", "", "", 'g {"x":"print(1)"} complete' },
  { "harmony", "<|start|>assistant to=user<|message|>Hi<|end|>", "Hi", "", "" },
  { "harmony", ' to=f<|channel|>analysis <|constrain|>xml<|message|><rfl:parameter name="b">\n3\n</rfl:parameter><|call|>', "", "",
    'f {"b":3} complete' },
  { "functiongemma", "<start_function_call>call:f{a:<escape>3<escape>,b:<escape>3<escape>}<end_function_call>", "", "",
    'f {"a":"3","b":3} complete' },
  { "tool_code", "```tool_code\nprint(default_api.f(a='x'))\n```", "", "", 'f {"a":"x"} complete' },
  { "llama3_json", '<|python_tag|>g.call(x="y")<|eom_id|>', "", "", 'g {"x":"y"} complete' },
  { "gemma4", 'call:default_api:g{x:"y"}', "", "", 'g {"x":"y"} recovered' },
  { "react", "Action 1: g[y]", "", "", 'g {"x":"y"} complete' },
  { "cline", "<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>g</tool_name>\n"
    .. '<arguments>\n{"x":"y"}\n</arguments>\n</use_mcp_tool>', "", "", 'g {"x":"y"} complete' },
  { "xlam", '{"thought":"hm","tool_calls":[{"name":"g","arguments":{"x":"y"}}]}', "", "hm", 'g {"x":"y"} complete' },
  { "json", '```json\n{"tool_calls":[{"name":"g","input":{"x":"y"}}]}\n```', "", "", 'g {"x":"y"} complete' },
  -- The last fence of a message is the command; a line of a hunk is no other file; values that may be JSON.
  { "swe_agent", "```\n1\n```\na\n```sh\n2\n```", "```\n1\n```\na\n", "", 'bash {"command":"2"} complete', "[]" },
  { "aider_udiff", "--- a\n+++ a\n@@\n--- x\n+y\n--- b\n+++ b\n@@\n+z\n```", "", "",
    'edit {"path":"a","diff":"@@\\n--- x\\n+y\\n"} complete\nedit {"path":"b","diff":"@@\\n+z\\n"} complete', "[]" },
  { "hyperclovax_glm", '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>"x\\n\\"y\\""</arg_value>\n</tool_call>', "", "",
    'f {"a":"x\\n\\"y\\""} complete' },
  -- A value declared as JSON: JSON strings are decoded; invalid JSON is reported; strings by the tool's schema stay strings.
  { "deepseek_v4", said_json("a", '"q\\u00e9"'), "", "", 'f {"a":"q\\u00e9"} complete' },
  { "deepseek_v4", said_json("c", ' "q" '), "", "", 'f {"c":"q"} complete' },
  { "deepseek_v4", said_json("a", "123"), "", "", 'f {"a":"123"} complete' },
  { "deepseek_v4", said_json("a", "null"), "", "", 'f {"a":"null"} complete' },
  { "deepseek_v4", said_json("a", '{"a":1}'), "", "", 'f {"a":"{\\"a\\":1}"} complete' },
  { "deepseek_v4", said_json("c", '{"k":1}'), "", "", 'f {"c":{"k":1}} complete' },
  { "deepseek_v4", said_json("c", "{'k':True}"), "", "", 'f {"c":{"k":true}} recovered' },
  { "deepseek_v4", said_json("c", "abc"), "", "", 'f {"c":"abc"} recovered' },
  { "deepseek_v4", said_json("a", "abc"), "", "", 'f {"a":"abc"} recovered' },
  { "deepseek_v4", said_json("c", '{"a":1'), "", "", 'f {"c":"{\\"a\\":1"} incomplete' },
  { "deepseek_v4", said_json("a", '"q'), "", "", 'f {"a":"\\"q"} incomplete' },
  { "deepseek_v4", '<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">"q\\n', "", "",
    'f {"a":"q\\n"} incomplete' },
  -- All arguments in one undeclared parameter, whose members the tool declares.
  { "deepseek_v4", said_json("input", '{"a":"1"}'), "", "", 'f {"a":"1"} recovered' },
  { "deepseek_v4", said_json("input", '{"c":"1"}'), "", "", 'f {"input":{"c":"1"}} incomplete' },
  { "deepseek_v4", said_json("params", '{}'), "", "", 'f {"params":{}} complete' },
  { "deepseek_v4", said_json("other", '{"a":"1"}'), "", "", 'f {"other":{"a":"1"}} incomplete' },
  -- DSML without its mark, which is a dropped token; the section's opener is then required.
  { "deepseek_v32", 'Hi\n<function_calls>\n<invoke name="f">\n<parameter name="a" string="true">1</parameter>\n'
    .. '<parameter name="b" string="false">1</parameter>\n</invoke>\n</function_calls>', "Hi\n", "", 'f {"a":"1","b":1} recovered' },
  { "deepseek_v4", '<tool_calls><invoke name="f"><parameter name="c" string="true">1</parameter></invoke></tool_calls>', "", "",
    'f {"c":"1"} recovered' },
  { "deepseek_v4", 'A <invoke name="f"><parameter name="a" string="true">1</parameter></invoke>',
    'A <invoke name="f"><parameter name="a" string="true">1</parameter></invoke>', "", "" },
  { "deepseek_v4", "The tag <tool_calls> opens calls.", "The tag <tool_calls> opens calls.", "", "" },
  { "deepseek_v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">'
    .. '<tool_calls><invoke name="g"><parameter name="x" string="true">1</parameter></invoke></tool_calls></｜DSML｜parameter>\n'
    .. "</｜DSML｜invoke>\n</｜DSML｜tool_calls>", "", "",
    'f {"a":"<tool_calls><invoke name=\\"g\\"><parameter name=\\"x\\" string=\\"true\\">1</parameter></invoke></tool_calls>"} complete' },
  { "deepseek_v4", '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">'
    .. '<tool_calls><invoke name="g"><parameter name="x" string="true">1</parameter></invoke></tool_calls>', "", "",
    'f {"a":"<tool_calls><invoke name=\\"g\\"><parameter name=\\"x\\" string=\\"true\\">1</parameter></invoke></tool_calls>"} incomplete' },
  -- Without the mark, a tag in a marked call is text; so is the end of a tag that another block has.
  { "deepseek_v32", '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">x</parameter>y'
    .. "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", "", "", 'f {"a":"x</parameter>y"} complete' },
  { "deepseek_v32", '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">'
    .. '<｜DSML｜parameter name="z" string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>', "", "",
    'f {"a":"<｜DSML｜parameter name=\\"z\\" string=\\"true\\">x"} incomplete' },
  { "hy3_opensource", "<tool_calls:opensource>\n<tool_call:opensource>f<tool_sep:opensource>\n<arg_key:opensource>a</arg_key:opensource>\n"
    .. "<arg_value:opensource>key: v</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>", "", "",
    'f {"a":"key: v"} complete' },
  -- A closer is markup after a call and at the start of the message, and text elsewhere: in a sentence, after anything but a call.
  { "deepseek_v31", "The token <｜tool▁call▁end｜> closes a call.", "The token <｜tool▁call▁end｜> closes a call.", "", "" },
  { "deepseek_v31", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "", "", "" },
  { "deepseek_v31", '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n<｜tool▁calls▁end｜>',
    "", "", "f {} complete" },
  { "deepseek_v32", "A <｜DSML｜function_calls>broken</｜DSML｜function_calls>",
    "A <｜DSML｜function_calls>broken</｜DSML｜function_calls>", "", "" },
  -- The same for calls with closers: with neither arguments nor its own closer a call broke off.
  { "deepseek_v31", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜><｜tool▁call▁end｜><｜tool▁calls▁end｜>", "", "", "f {} complete" },
  { "deepseek_v31", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜><｜tool▁calls▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜><｜tool▁calls▁end｜>", "", "" },
  { "deepseek_v31", '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{"x":"1"}<｜tool▁call▁end｜>'
    .. "<｜tool▁calls▁end｜>", "", "", 'g {"x":"1"} complete' },
  { "deepseek_v3", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n<｜tool▁calls▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n<｜tool▁calls▁end｜>", "", "" },
  { "kimi_k2", '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|><|tool_calls_section_end|>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|><|tool_calls_section_end|>', "", "" },
  -- DeepSeek V3 without the opener of its section, and with half a fence or none.
  { "deepseek_v31", '<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a":"1"}<｜tool▁call▁end｜>', "", "", 'f {"a":"1"} recovered' },
  { "deepseek_v3", '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":"1"}\n```<｜tool▁call▁end｜>', "", "",
    'f {"a":"1"} recovered' },
  { "deepseek_v3", '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n{"a":"1"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>', "", "",
    'f {"a":"1"} recovered' },
  { "deepseek_v3", '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```\n{"a":"1"}\n```<｜tool▁call▁end｜>'
    .. "<｜tool▁calls▁end｜>", "", "", 'f {"a":"1"} complete' },
  { "deepseek_v3", '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":"1"}\n```', "", "",
    'f {"a":"1"} recovered' },
  -- Without a schema a single JSON string is decoded if the format reads JSON, and is text otherwise.
  { "minicpm5", '<function name="f"><param name="c">"q"</param><param name="d">"q" r</param></function>', "", "",
    'f {"c":"q","d":"\\"q\\" r"} complete' },
  { "minicpm5", '<function name="f"><param name="a">"q"</param></function>', "", "", 'f {"a":"\\"q\\""} complete' },
}

local function read(syntax, text, given, size)
  local content, reasoning, calls = "", "", {}
  for _, event in ipairs(support.events(sluice.stream(syntax, { tools = given }), text, size)) do
    if event.type == "text" then
      content = content .. event.text
    elseif event.type == "reasoning" then
      reasoning = reasoning .. event.text
    elseif event.type == "call_begin" then
      calls[event.index] = { event.name, " " }
    elseif event.type == "arguments" then
      table.insert(calls[event.index], event.text)
    elseif event.type == "call_end" then
      table.insert(calls[event.index], " " .. event.status)
    end
  end
  for i, parts in ipairs(calls) do
    calls[i] = table.concat(parts)
  end
  return { content, reasoning, table.concat(calls, "\n") }
end

describe("beside the format", function()
  for _, case in ipairs(cases) do
    local syntax, text, content, reasoning, calls, given = (table.unpack or unpack)(case, 1, 6)
    it(("%s: %s"):format(syntax, text:gsub("\n", "\\n")), function()
      for _, size in ipairs { #text, 1, 3 } do
        assert.are.same({ content, reasoning, calls }, read(syntax, text, given or tools, size))
      end
    end)
  end
end)
