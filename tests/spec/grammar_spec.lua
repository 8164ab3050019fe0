--- Grammars, prompts and turns. tests/engines tests that the engines agree.

local sluice = require "sluice"
local support = require "support"

local forms = require "sluice.ways"
local json = sluice.json
local targets = { "lark", "gbnf", "structural-tag" }

local tools = [==[[
  {"type": "function", "function": {"name": "search", "description": "Searches the files.", "parameters": {"type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "kind": {"type": "string", "enum": ["file", "folder"]}},
    "required": ["query"]}}},
  {"type": "function", "function": {"name": "add", "parameters": {"type": "object",
    "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]}}}]]==]

-- The tools for a syntax: two of the user's, or its fixed ones, with parameters that it can carry; their names; and true if
-- grammars contain the names.
local function tools_for(name)
  local list = forms.of(sluice.description(name))
  if not list then
    return tools, { "search", "add" }, true
  end
  local out, names, said = json.array(), {}, true
  for i, given in ipairs(list[1].name and list or { { name = "search" }, { name = "add" } }) do
    local properties, required = json.object(), json.array()
    for _, member in ipairs(list[1].name and given or list[1]) do
      properties[member.key] = json.object { { "type", "string" } }
      required[#required + 1] = not member.optional and member.key or nil
    end
    names[i], said = given.name, said and not list[1].name
    out[i] = json.object { { "name", given.name }, { "parameters", json.object { { "type", "object" }, { "properties", properties },
      { "required", required } } } }
  end
  return json.encode(out), names, said
end

local function one_tool(schema)
  return ('[{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": %s}, "required": ["a"]}}}]')
    :format(schema)
end

local function syntax_table()
  local out = { "| syntax | lark | gbnf | structural-tag |", "|---|---|---|---|" }
  for _, name in ipairs(support.syntaxes()) do
    local row = { "`" .. name .. "`" }
    for i, target in ipairs(targets) do
      local can = {}
      for _, choice in ipairs { "auto", "required" } do
        if sluice.grammar(name, (tools_for(name)), target, { tool_choice = choice }) then
          can[#can + 1] = choice
        end
      end
      row[i + 1] = #can > 0 and table.concat(can, ", ") or "–"
    end
    out[#out + 1] = "| " .. table.concat(row, " | ") .. " |"
  end
  return table.concat(out, "\n") .. "\n"
end

local asked = {
  { "string", '{"type": "string"}' },
  { "length of a string", '{"type": "string", "minLength": 2, "maxLength": 5}' },
  { "pattern of a string, `^...$`", '{"type": "string", "pattern": "^[a-z]+$"}' },
  { "pattern of a string, unanchored", '{"type": "string", "pattern": "[a-z]"}' },
  { "enum", '{"type": "string", "enum": ["a", "b"]}' },
  { "integer, number, boolean, null", '{"type": ["integer", "number", "boolean", "null"]}' },
  { "integer from 0 or 1", '{"type": "integer", "minimum": 1}' },
  { "bounds of a number", '{"type": "number", "minimum": -1, "exclusiveMaximum": 10}' },
  { "multipleOf", '{"type": "integer", "multipleOf": 3}' },
  { "array with minItems, maxItems", '{"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}' },
  { "prefixItems", '{"type": "array", "prefixItems": [{"type": "string"}]}' },
  { "uniqueItems, contains, not, if", '{"type": "array", "uniqueItems": true}' },
  { "object with members", '{"type": "object", "properties": {"b": {"type": "string"}}}' },
  { "object with any members", '{"type": "object"}' },
  { "additionalProperties next to members", '{"type": "object", "properties": {"b": {}}, "additionalProperties": {"type": "string"}}' },
  { "patternProperties", '{"type": "object", "patternProperties": {"^x": {"type": "string"}}}' },
  { "patternProperties, `^...$`, no others", '{"type": "object", "patternProperties": {"^x.*$": {}}, "additionalProperties": false}' },
  { "anyOf", '{"anyOf": [{"type": "integer"}, {"type": "null"}]}' },
  { "oneOf, different types", '{"oneOf": [{"type": "integer"}, {"type": "null"}]}' },
  { "oneOf, overlapping", '{"oneOf": [{"type": "integer"}, {"type": "number"}]}' },
  { "oneOf, constants", '{"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}' },
  { "allOf", '{"allOf": [{"type": "integer"}, {"description": "a number"}]}' },
  { "anyOf next to members", '{"type": "object", "properties": {"b": {}, "c": {}}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}' },
  { "no type", "{}" },
}

local function schema_table()
  local out = { "| a value's schema | lark: JSON, tags | gbnf: JSON, tags | structural-tag: JSON, tags |", "|---|---|---|---|" }
  for _, item in ipairs(asked) do
    local row = { item[1] }
    for i, target in ipairs(targets) do
      local can = {}
      for k, name in ipairs { "hermes", "qwen3_coder" } do
        can[k] = sluice.grammar(name, one_tool(item[2]), target, { tool_choice = "required" }) and "yes" or "refused"
      end
      row[i + 1] = table.concat(can, ", ")
    end
    out[#out + 1] = "| " .. table.concat(row, " | ") .. " |"
  end
  return table.concat(out, "\n") .. "\n"
end

describe("the tables of grammars", function()
  for name, table_of in pairs { ["tests/engines/grammars.md"] = syntax_table, ["docs/constrain-a-model.md"] = schema_table } do
    it("are up to date in " .. name, function()
      local path = support.root .. "/" .. name
      local text = support.read(path)
      local before, after = text:match "^(.-\n<!%-%- %l+ %-%->\n\n).-(<!%-%- end %-%->.*)$"
      local made = before .. table_of() .. after
      if os.getenv "SLUICE_REWRITE" then
        support.write(path, made)
      else
        assert.are.equal(made, text)
      end
    end)
  end
end)

describe("a grammar", function()
  for _, name in ipairs(support.syntaxes()) do
    it(("of %s contains the tools' names in every target, or is refused with a message"):format(name), function()
      local given, names, said = tools_for(name)
      local last = names[#names]
      for _, target in ipairs(targets) do
        for _, choice in ipairs { "auto", "required", last } do
          for _, parallel in ipairs { true, false } do
            local text, message, code = sluice.grammar(name, given, target, { tool_choice = choice, parallel = parallel })
            if text and said then
              assert.is_truthy(text:find(last, 1, true))
              assert.are.equal(choice ~= last, text:find(names[1], 1, true) ~= nil)
            elseif text then
              assert.is_true(#text > 0)
            else
              assert.are.equal("unsupported", code)
              assert.is_truthy(message:find(name .. ", " .. target .. ": cannot express ", 1, true), message)
              -- a required id is refused in any case, and so is what a function writes, and s.lines without a form
              assert.is_truthy(choice == "auto" or message:find("an id", 1, true) or message:find("a function ", 1, true), message)
            end
          end
        end
      end
    end)
  end

  it("of a third-party script needs no further code", function()
    assert.are.equal("stranger", sluice.load(support.root .. "/tests/engines/strangers/stranger.lua"))
    assert.are.equal([[
start: "<<do " ("search>>\n| query = " text ("| limit = " limit " |\n")? ("| kind = " ("file" | "folder") " |\n")? ]]
      .. [[| "add>>\n| x = " x " |\n| y = " x " |\n") "<<done>>"
text[suffix=" |\n"]: /(.|\n)*/
limit: %json {"type":"integer"}
x: %json {"type":"number"}
]], sluice.grammar("stranger", tools, "lark", { tool_choice = "required", parallel = false }))
    assert.is_truthy(sluice.prompt("stranger", tools):find("<<do search>>\n| query = some query |\n<<done>>", 1, true))
  end)

  it("writes special tokens on request", function()
    local text = sluice.grammar("hermes", tools, "lark", { tokens = { ["<tool_call>"] = 151657, ["</tool_call>"] = 151658 } })
    assert.is_truthy(text:find("<[151657]>", 1, true))
    assert.is_nil(text:find('"<tool_call>', 1, true))
    assert.is_truthy(sluice.grammar("hermes", tools, "lark", { tokens = "special" }):find(" <tool_call> ", 1, true))
    local none, message = sluice.grammar("mistral", tools, "lark", { tokens = "special" })
    assert.is_nil(none)
    assert.is_truthy(message:find("[TOOL_CALLS]", 1, true))
  end)

  it("allows reasoning before calls if the format has it", function()
    assert.is_truthy(sluice.grammar("hermes", tools, "gbnf", { tool_choice = "required", reasoning = true }):find("<think>", 1, true))
    local none, message = sluice.grammar("functools", tools, "gbnf", { tool_choice = "required", reasoning = true })
    assert.is_nil(none)
    assert.are.equal("functools, gbnf: cannot express reasoning: the format has none", message)
  end)

  it("refuses unknown options, tools and targets", function()
    for _, case in ipairs {
      { "lark", { toolchoice = "auto" }, "there is no option 'toolchoice'; the nearest is 'tool_choice'" },
      { "lark", { parallel = "no" }, "the option 'parallel' must be a boolean, not a string" },
      { "lark", { max_calls = 1.5 }, "the option 'max_calls' must be a whole number from 0, not 1.5" },
      { "lark", { max_calls = -1 }, "the option 'max_calls' must be a whole number from 0, not -1" },
      { "lark", { max_calls = 101 }, "the option 'max_calls' must be a whole number up to 100, 0 for no limit" },
      { "lark", { tool_choice = "nobody" }, "'tool_choice' must be auto, required or the name of a tool; there is no tool named nobody" },
      { "lark", { tool_choice = "requird" }, "'tool_choice' must be auto, required or the name of a tool; there is no tool named requird; "
        .. "the nearest is 'required'" },
      { "gbnf", { tokens = "special" }, "the option 'tokens' is for lark: gbnf has only text" },
      { "ebnf", {}, "there is no target 'ebnf'; the targets are gbnf, lark, structural-tag" },
    } do
      local none, message, code = sluice.grammar("hermes", tools, case[1], case[2])
      assert.is_nil(none)
      assert.are.equal(case[3], message)
      assert.are.equal("bad_option", code)
    end
  end)

  it("has a limit of calls", function()
    for _, choice in ipairs { "auto", "required" } do
      for _, target in ipairs(targets) do
        local function of(options)
          options.tool_choice = choice
          return assert(sluice.grammar("hermes", tools, target, options))
        end
        assert.are.equal(of {}, of { max_calls = 0 })
        assert.are.equal(of { parallel = false }, of { max_calls = 1 })
        assert.are.equal(of { parallel = false }, of { max_calls = 3, parallel = false })
        assert.are_not.equal(of { max_calls = 2 }, of { max_calls = 3 })
      end
    end
    -- a format has a limit of its own
    assert.are.equal(sluice.grammar("react", tools, "gbnf"), sluice.grammar("react", tools, "gbnf", { max_calls = 5 }))
  end)

  it("leaves out on request what the target cannot express, and names it", function()
    local schema = '{"e": {"type": "string"%s}, "b~c": {"anyOf": [{"type": "string"%s}, {"type": "null"}]}, "d": {"type": "array", '
      .. '"items": {%s}%s}}'
    local full = one_tool(('{"type": "object", "properties": %s}'):format(schema:format(', "maxLength": 5', ', "minLength": 1',
      '"oneOf": [{"type": "integer"}, {"type": "number"}]', ', "uniqueItems": true')))
    local function plain(...)
      return one_tool(('{"type": "object", "properties": %s}'):format(schema:format(...)))
    end
    local any, of = '"anyOf": [{"type": "integer"}, {"type": "number"}]', "f#/properties/a/properties/"
    for _, case in ipairs {
      { "hermes", "lark", { "d/uniqueItems", "d/items/oneOf" }, plain(', "maxLength": 5', ', "minLength": 1', any, "") },
      { "hermes", "gbnf", { "d/uniqueItems", "d/items/oneOf" }, plain(', "maxLength": 5', ', "minLength": 1', any, "") },
      { "minimax_m3", "gbnf", { "e/maxLength", "b~0c/anyOf/0/minLength", "d/uniqueItems", "d/items/oneOf" },
        plain("", "", any, "") },
      { "hermes", "structural-tag", { "d/uniqueItems", "d/items/oneOf" }, plain(', "maxLength": 5', ', "minLength": 1', any, "") },
    } do
      local name, target, names = case[1], case[2], case[3]
      for i, place in ipairs(names) do
        names[i] = of .. place
      end
      local none, why = sluice.grammar(name, full, target)
      assert.is_nil(none)
      assert.is_truthy(why:find(("relax=true, which leaves out %s"):format(table.concat(names, ", ", 1,
        math.min(#names, 4))), 1, true), why)
      local wanted, text = sluice.grammar(name, case[4], target), sluice.grammar(name, full, target, { relax = true })
      local list = json.encode(json.array(names), ", ", ": ")
      assert.are.equal(target == "structural-tag" and ('{"without": %s, %s'):format(list, wanted:sub(2))
        or ("# without: %s\n%s"):format(list, wanted), text)
      assert.are.equal(wanted, (sluice.grammar(name, case[4], target, { relax = true }))) -- without need nothing is left out
    end
    assert.is_truthy(sluice.grammar("pythonic", one_tool '{"type": "string", "maxLength": 5}', "gbnf", { tool_choice = "required" })
      :find("pychar{0,5}", 1, true))
    assert.is_truthy(sluice.grammar("hermes", one_tool '{"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": false}',
      "gbnf", { relax = true, tool_choice = "required" }):find('{" ((string ": " value)', 1, true)) -- any members
    assert.are.equal('# without: ["f#/properties/a/oneOf"]', (sluice.grammar("hermes",
      one_tool '{"type": "string", "oneOf": [{"pattern": "a"}, {"pattern": "b"}]}', "gbnf", { relax = true }) or ""):match "^[^\n]*")
    local open = one_tool '{"type": "object"}' -- elements of unknown names become JSON
    assert.is_nil((sluice.grammar("minimax_m3", open, "lark")))
    assert.is_truthy(sluice.grammar("minimax_m3", open, "lark", { relax = true }):find('a: %json {"x-guidance"', 1, true))
    local none, message = sluice.grammar("json", full, "gbnf", { relax = true })
    assert.is_nil(none)
    assert.is_truthy(message:find("nothing marks the beginning of a call", 1, true))
  end)

  -- Combined keywords, and an equivalent schema with one keyword at a time.
  local same = {
    { '{"type": "string", "enum": ["a", 1, null, "b"]}', '{"enum": ["a", "b"]}' },
    { '{"type": "integer", "minimum": 2, "enum": [1, 2, 3.5, "x", 4]}', '{"enum": [2, 4]}' },
    { '{"enum": ["a", "b"], "const": "b"}', '{"enum": ["b"]}' },
    { '{"type": "string", "nullable": true, "enum": ["a"]}', '{"enum": ["a", null]}' },
    { '{"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}, {"enum": ["b", "c"]}]}', '{"enum": ["a", "c"]}' },
    { '{"oneOf": [{"type": "string"}, {"type": "null"}]}', '{"anyOf": [{"type": "string"}, {"type": "null"}]}' },
    { '{"$ref": "#/$defs/n", "description": "a number"}', '{"$ref": "#/$defs/n"}' },
    { '{"type": ["integer", "null"], "minimum": 0}', '{"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]}' },
    { '{"allOf": [{"$ref": "#/$defs/n"}]}', '{"$ref": "#/$defs/n"}' },
    { '{"type": "integer", "minimum": 1, "minLength": 3}', '{"type": "integer", "minimum": 1}' },
    { '{"anyOf": [{"type": "boolean"}, {"type": "string", "minLength": 3, "maxLength": 2}]}', '{"type": "boolean"}' },
    { '{"maxItems": 2}', '{"anyOf": [{"type": "null"}, {"type": "boolean"}, {"type": "number"}, {"type": "object"}, '
      .. '{"type": "array", "maxItems": 2}, {"type": "string"}]}' },
    { '{"type": "object", "properties": {"x": {"type": "string"}, "y": false}}',
      '{"type": "object", "properties": {"x": {"type": "string"}}}' },
  }
  for _, pair in ipairs(same) do
    it("combines keywords: " .. pair[1], function()
      local form = '[{"name": "f", "parameters": {"type": "object", "properties": {"a": %s}, "required": ["a"],'
        .. '"$defs": {"n": {"type": "integer"}, "o": {"type": "object", "properties": {"x": {"type": "string"}}}}}}]'
      for _, name in ipairs { "hermes", "qwen3_coder", "pythonic", "deepseek_v32" } do
        for _, target in ipairs(targets) do
          local text, message = sluice.grammar(name, form:format(pair[1]), target, { tool_choice = "required" })
          local wanted, why = sluice.grammar(name, form:format(pair[2]), target, { tool_choice = "required" })
          assert.are.equal(wanted, text, name .. ", " .. target)
          assert.are.equal(why, message)
        end
      end
    end)
  end

  it("takes alternatives apart where a tag tells the kind of a value", function()
    local function of(schema)
      return (sluice.grammar("deepseek_v32", one_tool(schema), "gbnf", { tool_choice = "required" }))
    end
    assert.are.equal(of '{"type": ["string", "null"]}', of '{"anyOf": [{"type": "string"}, {"type": "null"}]}')
    assert.is_truthy(of '{"anyOf": [{"type": "integer"}, {"type": "number"}]}':find("integer | number", 1, true))
  end)

  it("refuses keywords that it cannot combine", function()
    for _, case in ipairs {
      { '{"type": "string", "enum": [1]}', "no object matches" },
      { '{"type": "integer", "minimum": 3, "maximum": 2}', "no object matches" },
      { '{"type": "array", "minItems": 2, "maxItems": 1}', "no object matches" },
      { '{"type": "string", "minLength": 3, "maxLength": 2}', "no object matches" },
      { '{"$ref": "#/$defs/loop", "minimum": 1}', "'$ref' with other keywords" },
      { '{"anyOf": [{"type": "string"}, {"type": "null"}], "type": ["string", "null"]}', "'anyOf' with other keywords" },
      { '{"properties": {"x": {}, "y": {}}, "anyOf": [{"required": ["x"]}, {"required": ["y"]}]}', "'anyOf' with other keywords" },
      { '{"allOf": [{"properties": {"x": {}}}, {"properties": {"y": {"type": "boolean"}}, "required": ["y"]}]}', "'allOf' of several" },
      { '{"anyOf": [{"type": "string"}], "not": {"const": "x"}}', "not" },
    } do
      for _, target in ipairs(targets) do
        local text, message = sluice.grammar("hermes", ('[{"name": "f", "parameters": {"type": "object", "properties": {"a": %s},'
          .. '"required": ["a"], "$defs": {"loop": {"$ref": "#/$defs/loop", "maximum": 5}}}}]'):format(case[1]), target,
          { tool_choice = "required" })
        assert.is_nil(text, case[1])
        assert.is_truthy(message:find(case[2], 1, true), message)
      end
    end
  end)

  -- Parameters, and what the grammar has, or why there is none.
  for _, case in ipairs {
    { "xml_tags", "lark", '"properties": {"c": {"type": "array", "items": {"type": "integer"}, "minItems": 1}}', ')+)? "</tool:f>"' },
    { "qwen3_coder", "lark", '"additionalProperties": {}', "'additionalProperties' of parameters that are written one by one" },
    { "pythonic", "gbnf", '"additionalProperties": {}', "'additionalProperties' of parameters that are written one by one" },
    { "hermes", "lark", '"additionalProperties": {}', '"additionalProperties":{}' },
    { "qwen3_coder", "lark", '"properties": {"c": {"type": "string", "minLength": 3}}', "& ~/(.|\\n)*(\\n<\\/parameter>)(.|\\n)*/" },
    { "hermes", "lark", '"properties": {"c": {"$ref": "#/$defs/e"}}, "$defs": {"e": {"type": "string", "enum": [1]}}', "no value" },
    { "hermes", "lark", '"properties": {"c": {"type": "array", "items": {"type": "string", "enum": [1]}}}', "no value matches" },
    { "qwen3_coder", "lark", '"properties": {"c": {"properties": {"x": {}}}}', '"type":"object","properties":{"x"' },
    { "hermes", "structural-tag", '"properties": {"c": {"patternProperties": {"^S": {}}, "additionalProperties": false}}', "^ and $" },
    { "hermes", "structural-tag", '"properties": {"c": {"patternProperties": {"^S.*$": {}}}}', "'additionalProperties': false" },
    { "nova", "gbnf", '"properties": {"o": {"type": "array", "items": {"properties": {"o": {}}}}}', "inside one of the same name" },
    { "nova", "gbnf", '"properties": {"item": {"type": "array", "items": {}}}', "elements inside one of the same name" },
    { "nova", "gbnf", '"properties": {"o": {"properties": {"a b": {}}}}', "the member 'a b' in elements: nova cannot carry" },
    { "bolt", "gbnf", '"properties": {}, "additionalProperties": false', "bolt always writes the argument 'content'" },
    { "hermes", "gbnf", '"properties": {"c": {"minLength": 2, "oneOf": [{"const": "a"}, {"const": "bb"}]}}', [["\"c\": \"bb\""]] },
    { "hermes", "gbnf", '"properties": {"c": {"minLength": 2, "anyOf": [{"const": "bb"}, {"type": "null"}]}}', [[("\"bb\"" | "null")]] },
    { "nova", "gbnf", '"properties": {"c": {"type": ["string", "array"], "items": {"type": "string"}}}', '"<c>" text' },
    { "pythonic", "gbnf", '"properties": {"größe": {"type": "integer"}}', '"größe=" integer' },
  } do
    it(("of %s for %s is exact, or refused: %s"):format(case[1], case[2], case[3]), function()
      local text, message = sluice.grammar(case[1], ('[{"name": "f", "parameters": {"type": "object", %s}}]'):format(case[3]), case[2],
        { tool_choice = "required" })
      assert.is_truthy((text or message):find(case[4], 1, true), text or message)
    end)
  end

  it("simplifies the tool's parameters like any schema", function()
    local object = '{"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}'
    local wanted = sluice.grammar("qwen3_coder", ('[{"name": "f", "parameters": %s}]'):format(object), "lark", { tool_choice = "required" })
    for _, parameters in ipairs {
      '{"$ref": "#/$defs/o", "$defs": {"o": ' .. object .. "}}",
      '{"allOf": [' .. object .. "]}",
      '{"oneOf": [' .. object .. ', {"type": "null"}]}',
      '{"type": ["object", "null"], "properties": {"x": {"type": "string"}}, "required": ["x"]}',
    } do
      assert.are.equal(wanted, (sluice.grammar("qwen3_coder", ('[{"name": "f", "parameters": %s}]'):format(parameters), "lark",
        { tool_choice = "required" })), parameters)
    end
    for parameters, why in pairs {
      ['{"type": "array", "items": {}}'] = "no object matches its parameters",
      ['{"type": "object", "properties": {"x": {}}, "minProperties": 1}'] = "'minProperties' of parameters that are written one by one",
      ['{"anyOf": [{"properties": {"x": {}}}, {"properties": {"y": {}}}]}'] = "'anyOf' of parameters that are written one by one",
      ['{"type": "object", "required": ["x"]}'] = "a required member 'x' that is not declared",
    } do
      local text, message = sluice.grammar("qwen3_coder", ('[{"name": "f", "parameters": %s}]'):format(parameters), "lark",
        { tool_choice = "required" })
      assert.is_nil(text, parameters)
      assert.is_truthy(message:find(why, 1, true), message)
    end
  end)

  it("takes null in place of a tool's parameters, or of the list of those required, for none", function()
    local function of(name, schema)
      return (assert(sluice.grammar(name, ('[{"name": "f", "parameters": {"type": "object"%s}}]'):format(schema), "gbnf")))
    end
    for _, name in ipairs { "hermes", "langchain_xml" } do
      assert.are.equal(of(name, ""), of(name, ', "required": null'))
      assert.are.equal(of(name, ', "properties": {}'), of(name, ', "properties": null'))
    end
  end)

  it("uses the last of several tools with one name, as validation does", function()
    local text = sluice.grammar("hermes", [==[[{"name": "f", "parameters": {"properties": {"first": {}}}},
      {"name": "f", "parameters": {"properties": {"last": {}}}}]]==], "lark", { tool_choice = "required" })
    assert.is_nil(text:find("first", 1, true))
    assert.is_truthy(text:find("last", 1, true))
  end)

  it("keeps the digits of numbers, and text after a NUL", function()
    local text = sluice.grammar("hermes", [==[[{"name": "f", "input_schema": {"properties": {"a": {"enum":
      [1234567890123456789, 12345678901234567890123, "x\u0000y"]}}}}]]==], "gbnf", { tool_choice = "required" })
    assert.is_truthy(text:find('"1234567890123456789" | "12345678901234567890123" | "\\"x\\\\u0000y\\""', 1, true), text)
  end)

  it("is made or refused with a message for any schema", function()
    local random = support.random(4711)
    local function pick(list)
      return list[random(#list)]
    end
    local odd
    local function schema(depth)
      if depth > 3 or random(8) == 1 then
        return pick { "{}", "true", "false", "null", "[]", "5", '"string"' }
      end
      if random(5) > 2 then
        return pick { '{"type": "string"}', '{"type": "integer"}', '{"type": ["string", "null"]}', '{"enum": ["a", 1]}',
          '{"type": "array", "items": {"type": "string"}}', '{"type": "object", "properties": {"a": {"type": "boolean"}}}' }
      end
      local out = {}
      for i = 1, random(4) do
        out[i] = odd(depth)
      end
      return "{" .. table.concat(out, ", ") .. "}"
    end
    local function list_of_schemas(depth)
      return ("[%s, %s]"):format(schema(depth), schema(depth))
    end
    local function members_of(depth)
      return ('{"a": %s, "b c": %s, "ü": %s}'):format(schema(depth), schema(depth), schema(depth))
    end
    local keywords = {
      type = function()
        return pick { '"string"', '"integer"', '"object"', '"array"', '"nothing"', '["string", "null"]', "[]", "7", '["array", "object"]' }
      end,
      enum = function()
        return pick { "[]", "[1]", '["a", null, {"b": 1}]', '"a"', '["line\\nbreak"]' }
      end,
      const = function()
        return pick { "1", '"x"', "null", "[1, 2]" }
      end,
      required = function()
        return pick { "[]", '["a"]', '["zz"]', '"a"' }
      end,
      ["$ref"] = function()
        return pick { '"#"', '"#/properties/p"', '"#/nowhere"', "1" }
      end,
      minLength = function()
        return pick { "0", "3", '"x"' }
      end,
      minItems = function()
        return pick { "0", "2", "-1" }
      end,
      maxItems = function()
        return pick { "0", "1" }
      end,
      pattern = function()
        return pick { '"^a$"', '"["', "1" }
      end,
      nullable = function()
        return pick { "true", "false", "1" }
      end,
      items = schema, additionalProperties = schema, properties = members_of, patternProperties = members_of, anyOf = list_of_schemas,
      oneOf = list_of_schemas, allOf = list_of_schemas,
    }
    local names = {}
    for name in pairs(keywords) do
      names[#names + 1] = name
    end
    table.sort(names)
    function odd(depth)
      local name = pick(names)
      return ('"%s": %s'):format(name, keywords[name](depth + 1))
    end
    local syntaxes, made = support.syntaxes(), 0
    local rounds = tonumber(os.getenv "SLUICE_ROUNDS") or 600
    for _ = 1, rounds do
      local definition = ('[{"name": "f", "parameters": {"type": "object", "properties": {"p": %s, "q": %s}, "required": ["p"]}}]')
        :format(schema(0), schema(0))
      local name, target = pick(syntaxes), pick(targets)
      local ok, text, message = pcall(sluice.grammar, name, definition, target, { tool_choice = "required" })
      assert.is_true(ok, ("%s, %s: %s\n%s"):format(name, target, tostring(text), definition))
      made = made + (text and 1 or 0)
      assert.is_true(text ~= nil or message:find(name, 1, true) == 1, definition)
      ok, text = pcall(sluice.prompt, name, definition)
      assert.is_true(ok, ("%s: %s\n%s"):format(name, tostring(text), definition))
    end
    assert.is_true(made > rounds / 10, made)
  end)

  it("is refused for names that the format cannot carry, and accepts only what parses as it was meant", function()
    for _, case in ipairs { { "caret", "read-file", "a" }, { "caret", "f", "file-path" }, { "pythonic", "f", "file-path" },
      { "emoji_bracket", "f", "b" } } do
      local text, _, code = sluice.grammar(case[1], { { name = case[2], parameters = { properties = { [case[3]] = { type = "string" } },
        required = case[3] == "b" and { "b" } or nil } } }, "lark", { tool_choice = "required" })
      assert.are.equal("unsupported", text or code)
    end
    local function of(name, schema)
      return (sluice.grammar(name, one_tool(schema), "gbnf", { tool_choice = "required" }))
    end
    assert.is_nil(of("caret", '{"type": "array", "items": {"type": "string"}}'):find "text")
    assert.is_nil(of("caret", '{"type": ["string", "array"], "items": {"type": "string"}}'):find(")+", 1, true))
    assert.is_truthy(of("caret", '{"type": "string"}'):find("[^ \\t\\r\\n|\\[^]", 1, true)) -- `a: [` and `a: |` begin other forms
    assert.is_truthy(sluice.grammar("search_replace", (tools_for "search_replace"), "gbnf", { tool_choice = "required" })
      :find("[^`<>*:# \\t\\r\\n{\\[-]", 1, true)) -- where no line of a call begins
    assert.is_truthy(of("llm_compiler", "{}"):find("[1-9][0-9]{0,3}", 1, true))
    assert.is_truthy(select(2, sluice.grammar("llm_compiler", one_tool "{}", "gbnf")):find("calls do not all begin alike", 1, true))
    assert.is_nil(of("k2_horizon", '{"enum": [1, "2"]}'):find '"2"')
    assert.are.equal("^^^f\na ---\n\n--- a\n^^^\n", sluice.render("caret", { { name = "f", arguments = { a = "" } } }))
    assert.is_truthy(sluice.render("emoji_bracket", { { name = "f", arguments = { raw_args = 5, body = "" } } }):find("[f 5]", 1, true))
  end)

  it("is also made by the command and by batch", function()
    local path = os.tmpname()
    support.write(path, tools)
    local wanted = sluice.grammar("qwen3_coder", tools, "gbnf", { tool_choice = "required" })
    local out, status = support.run(("grammar -s qwen3_coder --tools %s --to gbnf --option tool_choice=required"):format(path), "")
    assert.are.equal(0, status)
    assert.are.equal(wanted, out)
    local line = json.encode(json.object { { "id", 1 }, { "op", "grammar" }, { "syntax", "qwen3_coder" }, { "to", "gbnf" },
      { "tools", json.decode(tools) }, { "options", json.object { { "tool_choice", "required" } } } })
    out = support.run("batch", line .. "\n")
    assert.are.equal(wanted, json.decode(out).text)
    local err
    out, status, err = support.run(("grammar -s json --tools %s"):format(path), "")
    assert.are.equal("", out)
    assert.are.equal(1, status)
    assert.is_truthy(err:find("nothing marks the beginning of a call", 1, true))
    os.remove(path)
  end)
end)

describe("a prompt", function()
  for _, name in ipairs(support.syntaxes()) do
    it(("of %s shows a call that parses, and the tools"):format(name), function()
      local given, names = tools_for(name)
      local text, message = sluice.prompt(name, given)
      assert.is_truthy(text, message)
      local example = text:match "but the call:\n\n(.-)\n\nRules:"
      local result = sluice.parse(name, example .. (name == "caret" and "\n" or ""), { tools = given })
      assert.are.equal(1, #result.calls, example)
      assert.are.equal(names[1], result.calls[1].name)
      assert.are.equal("complete", result.calls[1].status)
      local short = sluice.prompt(name, given, { variant = "short" })
      if names[1] == "search" and not forms.of(sluice.description(name)) then
        assert.is_truthy(text:find("Searches the files.", 1, true))
        assert.is_truthy(short:find("add(x: number, y: number)", 1, true))
      end
      assert.is_true(#short < 0.75 * #text, ("%d of %d bytes"):format(#short, #text))
    end)
  end

  it("is refused if the format always writes what a tool forbids", function()
    local _, message, code = sluice.prompt("langchain_xml", { { name = "g" }, { name = "f",
      parameters = { additionalProperties = false } } })
    assert.are.equal("langchain_xml always writes the argument 'input', which 'f' does not declare", message)
    assert.are.equal("refused", code)
  end)

  it("shows a call that matches bounds, lengths and the schema's examples", function()
    local given = [==[[{"name": "f", "parameters": {"type": "object", "properties": {
      "a": {"type": "integer", "minimum": 5}, "b": {"type": "integer", "exclusiveMaximum": 1}, "c": {"type": "integer", "multipleOf": 4},
      "d": {"type": "number", "minimum": 100, "maximum": 100.25}, "e": {"type": "number", "exclusiveMinimum": 1.5},
      "f": {"type": "string", "minLength": 20}, "g": {"type": "string", "maxLength": 3}, "h": {"type": "array", "minItems": 2},
      "i": {"type": "string", "pattern": "^[0-9]+$", "examples": ["x", "42"]}, "j": {"type": "string", "default": 5},
      "k": {"type": "integer", "minimum": 7, "default": 9}},
      "required": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]}}]]==]
    local text = assert(sluice.prompt("hermes", given))
    local call = sluice.parse("hermes", text:match "<tool_call>.-</tool_call>", { tools = given }).calls[1]
    assert.is_true(call.valid, call.arguments)
    assert.is_truthy(call.arguments:find('"k": 9', 1, true), call.arguments)
    -- bounds beyond Lua's numbers
    assert.is_truthy(sluice.prompt("hermes", (given:gsub('"minimum": 5', '"minimum": 1e400, "multipleOf": 1e-320'))))
  end)

  it("says how values are written", function()
    for call, rule in pairs { ['"<c ", s.name(), ">", s.params { "<p ", s.key(), ">", s.value { entities = true }, "</p>" }, ">"'] =
      "- A string is written as it is: no quotes, no escapes. Every other value is JSON. But `&lt;` is read as `<`: write `&` as `&amp;`.",
      ['"<", s.match(lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name")) * -1, function(call) return call.name end), ">"'] =
      "- The arguments are written as in the example.\n" } do
      local script = 'return s.syntax { api = 3, name = "probe", blocks = { { "<plan>", s.think(), "</plan>" }, { %s } } }'
      local text = assert(sluice.prompt(assert(sluice.compile(script:format(call))), { { name = "f" } }))
      assert.is_truthy(text:find(rule, 1, true), text)
    end
  end)

  it("shows a call that matches its schema, if there is one", function()
    local text = sluice.prompt("hermes", { { name = "f", parameters = { properties = { a = { pattern = "^[0-9]$" } } } }, { name = "g" } })
    assert.is_truthy(text:find('call:\n\n<tool_call>\n{"name": "g"', 1, true))
  end)

  it("is the model's own template if the script has it", function()
    local text = sluice.prompt("hermes", tools, { variant = "native" })
    assert.is_truthy(text:find("<tools>\n" .. '{"type": "function", "function": {"name": "search"', 1, true))
    assert.are.equal(sluice.prompt("mistral", one_tool "{}", { variant = "native" }),
      '[AVAILABLE_TOOLS][{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}, '
      .. '"required": ["a"]}}}][/AVAILABLE_TOOLS]')
    assert.is_truthy(sluice.prompt("glm45", tools, { variant = "native" }):find("<tool_call>{function-name}\n<arg_key>", 1, true))
    assert.is_truthy(sluice.prompt("glm47", tools, { variant = "native" }):find("<tool_call>{function-name}<arg_key>", 1, true))
    assert.is_nil((sluice.prompt("ling3", tools, { variant = "native" }))) -- it does not inherit its parent's
    local none, message, code = sluice.prompt("caret", tools, { variant = "native" })
    assert.is_nil(none)
    assert.are.equal("caret has no native template", message)
    assert.are.equal("unsupported", code)
  end)
end)

describe("a text that ends with several literals", function()
  local todo = { { type = "function", ["function"] = { name = "todo", parameters = { type = "object", required = { "content" },
    properties = { content = { type = "string" } } } } } }
  it("ends at all of them, not at the white space before them", function()
    for name, closer in pairs { dyad = "\\n</todo>", tool_codeblock = "\\nEND_ARG" } do
      local text = sluice.grammar(name, todo, "lark", { tool_choice = "required" })
      assert.is_truthy(text:find('suffix="' .. closer, 1, true), text)
    end
  end)
  it("is without what is also read at its end", function()
    for target, part in pairs { lark = "& ~/(.|\\n)*(BEGIN_ARG:|END_ARG|", gbnf = '"E" text-17 | "B" text-8 | "b"',
      ["structural-tag"] = '"excludes": ["BEGIN_ARG:", "END_ARG", ' } do
      local text = sluice.grammar("tool_codeblock", todo, target, { tool_choice = "required" })
      assert.is_truthy(text:find(part, 1, true), text)
    end
  end)
  it("is without the opener of another form, beside a bare value", function()
    local text = sluice.grammar("minicpm5", todo, "lark", { tool_choice = "required" })
    assert.is_truthy(text:find('[suffix="]]></param>"]: /(.|\\n)*/ & ~/(.|\\n)*(<\\/arguments>)', 1, true), text)
    assert.is_truthy(text:find('[suffix="</param>"]: /(.|\\n)*/ & ~/(.|\\n)*(<\\/arguments>|<!\\[CDATA\\[)', 1, true), text)
  end)
  it("ends at the tag that names it, whatever follows", function()
    for _, name in ipairs { "cline", "xml_tags", "agixt" } do
      local text = sluice.grammar(name, todo, "lark", { tool_choice = "required" })
      assert.is_truthy(text:find('content>"]: ', 1, true), text)
    end
  end)
  it("has in lark the classes of its regular expressions", function()
    local syntax = assert(sluice.compile([[return s.syntax { api = 3, name = "probe",
      call = { at = "line", "[call ", s.name(), "]", s.args(), "[/call]" } }]], "probe.lua"))
    assert.is_truthy(sluice.grammar(syntax, todo, "lark", {}):find("[^\\n\\[]", 1, true))
    assert.is_truthy(sluice.grammar(syntax, todo, "gbnf", {}):find("[^\\n[]", 1, true))
  end)
  it("does not begin with its end, which would mean no text", function()
    local text = sluice.grammar("dyad", todo, "gbnf", { tool_choice = "required" })
    assert.is_truthy(text:find('beginning ::= ([^< \\t\\r\\n]|[<][^/\\n])', 1, true), text)
  end)
end)

describe("a turn", function()
  it("is written with reasoning, text, calls and results", function()
    assert.are.equal('<think>\nhm\n</think>\n\nHi <tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
      .. "<tool_response>\n42\n</tool_response>\n<tool_response>\n{\"a\": 1}\n</tool_response>",
      sluice.render("hermes", { reasoning = "hm", content = "Hi ", calls = { { name = "f" } },
        results = { { content = "42" }, { content = { a = 1 } } } }))
    assert.are.equal("<|im_system|>tool<|im_middle|>## Return of functions.f:0\n42<|im_end|>",
      sluice.render("kimi_k2", { results = { { id = "functions.f:0", content = "42" } } }))
    assert.is_truthy((sluice.render("kimi_k2", { { name = "f", id = "" } })))
    assert.are.equal("refused", select(3, sluice.render("antml", { results = { { content = "42" } } })))
  end)

  it("is parsed again with its results", function()
    for name, results in pairs {
      hermes = { { content = "42" }, { content = "two\nlines" } },
      harmony = { { name = "f", content = "42" }, { name = "g", content = "{}" } },
      deepseek_v31 = { { content = "" } },
      kimi_k2 = { { id = "functions.f:0", content = "a\nb" }, { id = "functions.g:1", content = "" } },
    } do
      local turn = { content = name ~= "harmony" and "Hi" or nil, calls = { { name = "f", arguments = { a = "b" } } }, results = results }
      local text = assert(sluice.render(name, turn))
      local result = sluice.parse_turn(name, text)
      assert.are.equal(turn.content, result.content)
      assert.are.equal(1, #result.calls)
      assert.are.same(results, result.results)
    end
    local result = sluice.parse_turn("hermes", "a <tool_response>\nb")
    assert.are.equal("a <tool_response>\nb", result.content)
    assert.are.same({}, result.results)
  end)

  it("has a newline between text and a call that must begin a line", function()
    local calls = { { name = "f", arguments = { a = "b" } } }
    for _, name in ipairs { "caret", "gptme", "tool_codeblock" } do
      local text = assert(sluice.render(name, { content = "I look.", calls = calls }))
      assert.are.equal("I look.\n" .. sluice.render(name, calls), text)
      assert.are.equal("I look.\n", sluice.parse(name, text).content)
    end
  end)

  it("may contain a lone surrogate if the format escapes it, and is refused otherwise", function()
    local calls = [==[[{"name": "f", "arguments": {"a": "x\ud800", "b": {"\udc00": ["\ud83d\ude00", "\ud83d"]}}}]]==]
    for _, name in ipairs { "hermes", "mistral", "harmony", "functools" } do
      local arguments = sluice.parse(name, assert(sluice.render(name, calls))).calls[1].arguments
      for _, half in ipairs { '"x\\ud800"', '"\\udc00"', '"\\ud83d"', '"\240\159\152\128"' } do
        assert.is_truthy(arguments:find(half, 1, true), arguments)
      end
    end
    for _, name in ipairs { "qwen3_coder", "pythonic", "gemma4", "caret" } do
      assert.is_nil((sluice.render(name, calls)), name)
    end
    for _, turn in ipairs { [==[{"content": "\ud800"}]==], [==[{"reasoning": "\udc00", "content": "x"}]==],
      [==[{"results": [{"name": "f", "content": "\ud800"}]}]==], [==[{"content": 5}]==] } do
      local text, message, code = sluice.render("hermes", turn)
      assert.is_nil(text)
      assert.are.equal("refused", code)
      assert.is_truthy(message:find("a lone surrogate", 1, true) or message:find("must be of the type string", 1, true), message)
    end
  end)

  it("is refused if it does not come back unchanged", function()
    for _, case in ipairs {
      { "gptme", { calls = { { name = "f", id = " a" } } }, "the id" },
      { "mirothinker_mcp", { calls = { { name = "f", extra = { server = " a" } } } }, "server" },
      { "hermes", { content = "a <tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>" }, "cannot carry this turn" },
      { "functools", { reasoning = "hm" }, "functools has no reasoning" },
      { "caret", { results = { { content = "x" } } }, "does not say how tool results are written" },
      { "hermes", { results = { { content = "a\n</tool_response>" } } }, "contains the literal that ends it" },
      { "kimi_k2", { results = { { content = "a" } } }, "result 1 has no id" },
      { "kimi_k2", { calls = { { name = "f", id = "call_1" } } }, "the id 'call_1' of call 1" },
    } do
      local none, message, code = sluice.render(case[1], case[2])
      assert.is_nil(none)
      assert.is_truthy(message:find(case[3], 1, true), message)
      assert.are.equal("refused", code)
    end
  end)
end)
