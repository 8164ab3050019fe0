--- JSON has a decimal point, whatever the locale of the process: the specs of schemas, of grammars and of values, under a locale with a
-- decimal comma. It is made here if the system has none.

local support = require "support"

local name = "de_DE.UTF-8"

-- True if a program in this environment writes a decimal comma.
local function works(environment)
  local out = io.popen(environment .. [[ lua5.4 -e 'print(os.setlocale("de_DE.UTF-8"), 0.5)' 2>&1]]):read "*a"
  return out:find("0,5", 1, true) ~= nil
end

describe("under a decimal comma", function()
  local folder = support.folder()
  teardown(function()
    os.execute("rm -r " .. folder)
  end)
  local environment = "LOCPATH=" .. folder
  if works "env" then
    environment = "env"
  elseif not os.execute(("localedef -i de_DE -f UTF-8 %s/%s >/dev/null 2>&1"):format(folder, name)) or not works(environment) then
    it("nothing is tested: there is no locale de_DE.UTF-8, and localedef cannot make it (Debian: apt-get install locales)", function()
      pending "no locale with a decimal comma"
    end)
    return
  end

  local function run(code)
    local file = folder .. "/code.lua"
    support.write(file, ('assert(os.setlocale "%s")\nassert(tostring(0.5) == "0,5")\n'):format(name) .. code)
    local pipe = io.popen(("%s %s %s 2>&1"):format(environment, os.getenv "SLUICE_LUA" or "lua5.4", file))
    local out = pipe:read "*a"
    pipe:close()
    return out
  end

  it("JSON is written and read with a point", function()
    assert.are.equal('[1.5,0.25,-1e+300,2.0]\t0.75\tnumber\t1.5\n', run [[
      local json = require "sluice".json
      local read = json.decode '{"a": 0.75, "b": 1234567890123456789012.5}'
      print(json.encode { 1.5, 0.25, -1e300, 2.0 }, json.encode(read.a), json.kind(read.b), json.encode(json.number "1.5"))]])
  end)

  it("bounds, constants and factors of a schema count", function()
    assert.are.equal(("true false\n"):rep(7), run [[
      local sluice = require "sluice"
      for _, case in ipairs {
        { { minimum = 0.5 }, "0.5", "0.4" }, { { maximum = 0.5 }, "0.5", "0.9" }, { { exclusiveMinimum = 1.25 }, "1.5", "1.25" },
        { { const = 1.5 }, "1.5", "1" }, { { enum = { 0.25, 7 } }, "0.25", "0" }, { { multipleOf = 0.5 }, "1.5", "1.4" },
        { { type = "number", maximum = 2.5 }, "2.25", "2.75" } } do
        local said = {}
        for i = 2, 3 do
          local tools = { { name = "f", parameters = { type = "object", properties = { n = case[1] } } } }
          local text = ('<tool_call>{"name": "f", "arguments": {"n": %s}}</tool_call>'):format(case[i])
          said[#said + 1] = tostring(sluice.parse("hermes", text, { tools = tools }).calls[1].valid)
        end
        print(table.concat(said, " "))
      end]])
  end)

  it("grammars and prompts are the same as with a point", function()
    local code = [[
      local sluice = require "sluice"
      local tools = { { name = "f", parameters = { type = "object", properties = { n = { enum = { 1.5, 2 } }, m = { type = "number",
        minimum = 0.5, maximum = 2.5 }, k = { const = 0.125 } }, required = { "n", "m", "k" } } } }
      for _, syntax in ipairs { "hermes", "qwen3_coder", "pythonic", "glm45" } do
        for _, target in ipairs { "gbnf", "lark", "structural-tag" } do
          print(sluice.grammar(syntax, tools, target))
        end
        print(sluice.prompt(syntax, tools))
        print(sluice.render(syntax, { { name = "f", arguments = { n = 1.5, m = 0.25 } } }))
      end]]
    local comma = run(code)
    assert.is_truthy(comma:find("1.5", 1, true), comma:sub(1, 500))
    assert.are.equal(run('os.setlocale "C"\n' .. code), comma)
  end)

  for _, spec in ipairs { "schema_spec", "raw_quotes_spec" } do
    it("all of " .. spec .. " holds", function()
      local temporary = folder .. "/" .. spec
      assert(os.execute("mkdir " .. temporary))
      local lua = ("%s SLUICE_TEMPORARY=%s %s -e 'assert(os.setlocale \"%s\")' %s/tests/spec/run_busted.lua "
        .. "--output=plainTerminal %s/tests/spec/%s.lua 2>&1"):format(
        environment, temporary, os.getenv "SLUICE_LUA" or "lua5.4", name, support.root, support.root, spec)
      local out = io.popen(lua):read "*a"
      assert.is_truthy(out:find(" 0 failures / 0 errors", 1, true), out:sub(-3000))
    end)
  end
end)
