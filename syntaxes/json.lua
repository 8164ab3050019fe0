--- A bare JSON object, or an array of them, as the whole message or its beginning. Without a marker it counts as a call
-- only if it starts the message, names a given tool (if tools are given), and has its argument key.
-- Origin: servers that constrain a model to tool calls, and models without their own format.

local function call(each)
  return s.json { each = each, args = { "arguments", "parameters", "input" }, name = { "name", "function" } }
end

return s.syntax {
  api = 3, name = "json",
  origin = "bare JSON, as constrained decoding gives it", source = "https://platform.openai.com/docs/guides/function-calling",
  blocks = {
    s.any { s.also(call()), call "*" },
    { "```tool_call\n", s.any { s.also(call()), call "*", call "tool_calls.*" }, "\n```" },
    { at = "start", s.any { "```json\n", "```\n" }, s.any { s.also(call()), call "*", call "tool_calls.*" }, "\n```" },
    call "tool_calls.*",
  },
  examples = {
    {
      text = '[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
      calls = { { name = "get_weather", arguments = { city = "Paris" } } },
    },
    { text = '{"city": "Paris"} is an object.', content = '{"city": "Paris"} is an object.', calls = {} },
  },
}
