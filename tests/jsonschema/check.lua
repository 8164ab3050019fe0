-- Checks values: on each line of the input { "schema": text, "values": [text, ...] }; prints "fits" or an error code for each value.
local core = require "sluice.core"

for line in io.lines() do
  local asked = core.json.decode(line)
  local schema = core.schema(asked.schema)
  for _, value in ipairs(asked.values) do
    local at, _, code = schema:check(value)
    print(at == nil and "fits" or at and code or "limit_exceeded")
  end
end
