// The initial state of the lab.

export const script = `-- The format, written down. The other panes follow it.
local s = require "sluice.syntax"

return s.syntax {
  api = 3,
  name = "mine",
  origin = "the lab",
  source = "https://example.org/where-the-format-is-described",
  think = { "<think>", "</think>" },
  call = { "<<TOOL ", s.name(), ">>\\n", s.args(), "\\n<<END>>" },
  examples = {
    {
      text = '<<TOOL add>>\\n{"x": 1}\\n<<END>>',
      calls = { { name = "add", arguments = { x = 1 } } },
    },
  },
}
`;

export const sample = `<think>Two cities: the weather of each.</think>
I ask for the weather in both cities.
<<TOOL get_weather>>
{"city": "Paris", "days": 3}
<<END>>
<<TOOL get_weather>>
{"city": "Zürich", "days": 1}
<<END>>
`;

export const tools = `[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "description": "The weather of the coming days.",
      "parameters": {
        "type": "object",
        "properties": {
          "city": { "type": "string" },
          "days": { "type": "integer" }
        },
        "required": ["city"]
      }
    }
  }
]
`;
