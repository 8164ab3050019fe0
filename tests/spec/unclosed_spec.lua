--- Values without a closer before other calls: the calls after them may be part of the value, so all of them are in doubt. Each
-- text is a call of write_file whose content quotes a call, which is never valid.

local sluice = require "sluice"

local tools = [[ [{ "type": "function", "function": { "name": "write_file", "parameters": { "type": "object", "properties": {
  "path": { "type": "string" }, "content": { "type": "string" } }, "required": ["path", "content"] } } },
  { "type": "function", "function": { "name": "delete_all", "parameters": { "type": "object", "properties": {
  "sure": { "type": "string" } }, "required": ["sure"] } } }] ]]

-- Calls in each form; %s is the content, without its closer, and what follows it.
local forms = {
  glm45 = {
    write = "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>content</arg_key>\n<arg_value>%s",
    delete = "<tool_call>delete_all\n<arg_key>sure</arg_key>\n<arg_value>%s",
    value = "</arg_value>", call = "\n</tool_call>", section = "",
  },
  qwen3_coder = {
    write = "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n%s",
    delete = "<tool_call>\n<function=delete_all>\n<parameter=sure>\n%s",
    value = "\n</parameter>", call = "\n</function>", section = "\n</tool_call>",
  },
  deepseek_v4 = {
    write = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="write_file">\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n'
      .. '<｜DSML｜parameter name="content" string="true">%s',
    delete = '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="delete_all">\n<｜DSML｜parameter name="sure" string="true">%s',
    value = "</｜DSML｜parameter>", call = "\n</｜DSML｜invoke>", section = "\n</｜DSML｜tool_calls>",
  },
}

local function phantoms(syntax, text)
  local result = sluice.parse(syntax, text, { tools = tools })
  for _, call in ipairs(result.calls) do
    assert.is_true(call.name == "write_file" or not (call.valid or result.calls[1].valid), text)
  end
  return result
end

-- The whole text, and its prefixes from the first quoted byte on.
local function none(syntax, text, from)
  local result = phantoms(syntax, text)
  for n = from, #text - 1 do
    phantoms(syntax, text:sub(1, n))
  end
  return result
end

describe("after a value without a closer", function()
  for syntax, form in pairs(forms) do
    local ends = form.call .. form.section
    local begin = form.write:format ""
    local one = form.delete:format "yes" .. form.value .. ends

    it("a call is in doubt, and so is the one before it, in " .. syntax, function()
      local result = sluice.parse(syntax, form.write:format "text" .. ends .. "\n" .. one, { tools = tools })
      assert.are.equal(2, #result.calls)
      assert.are.same({ "incomplete", false, "incomplete", false },
        { result.calls[1].status, result.calls[1].valid, result.calls[2].status, result.calls[2].valid })
    end)
    it("it does not if the value is empty, in " .. syntax, function()
      local result = phantoms(syntax, begin .. ends .. "\n" .. one)
      assert.is_false(result.calls[1].valid)
    end)
    it("it does not if it contains part of a closer, in " .. syntax, function()
      local half = form.delete:format("yes" .. form.value:sub(1, 6)) .. form.value .. ends
      assert.is_false(phantoms(syntax, form.write:format "text" .. ends .. "\n" .. half).calls[1].valid)
    end)
    it("it does not if it is empty, or quotes a call itself, in " .. syntax, function()
      local empty, quoting = form.delete:format "" .. form.value .. ends, form.delete:format(one) .. form.value .. ends
      assert.is_false(phantoms(syntax, form.write:format "text" .. ends .. "\n" .. empty).calls[1].valid)
      assert.is_false(phantoms(syntax, form.write:format "text" .. ends .. "\n" .. quoting).calls[1].valid)
    end)
    it("it does not if prose follows it, in " .. syntax, function()
      assert.is_false(phantoms(syntax, form.write:format "text" .. ends .. "\n" .. one .. "\nand so on").calls[1].valid)
    end)
    if form.section ~= "" then
      it("it does not after only the closer of the section, in " .. syntax, function()
        assert.is_false(phantoms(syntax, form.write:format "text" .. form.section .. "\n" .. one).calls[1].valid)
      end)
    end
    it("a quoted call with its own closers, cut anywhere, does not count, in " .. syntax, function()
      local text = form.write:format("use\n" .. one .. "\n" .. one .. "\nhere") .. form.value .. ends
      local result = none(syntax, text, #begin)
      assert.are.same({ "complete", true }, { result.calls[1].status, result.calls[1].valid })
    end)
  end

  it("an undeclared parameter makes the call doubtful if the value quoted a call", function()
    local call = '<｜DSML｜invoke name="delete_all">\n<｜DSML｜parameter name="sure" string="true">yes</｜DSML｜parameter>\n</｜DSML｜invoke>'
    local text = forms.deepseek_v4.write:format("<｜DSML｜tool_calls>\n" .. call .. "\n</｜DSML｜tool_calls>\n</｜DSML｜parameter>\n"
      .. '<｜DSML｜parameter name="sure" string="true">') .. "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
    local result = phantoms("deepseek_v4", text)
    assert.are.same({ "incomplete", false, 1 }, { result.calls[1].status, result.calls[1].valid, result.errors[1].index })
  end)
  it("nor behind text that begins like a parameter, but is not one", function()
    local text = forms.glm45.write:format "" .. "</arg_value>\n\n<arg_key>\n\nx < y\n\n" .. forms.glm45.delete:format "yes"
      .. "</arg_value>\n</tool_call></arg_value>\n</tool_call>"
    assert.is_false(phantoms("glm45", text).calls[1].valid)
  end)
  it("nor does one whose value ends in the same closers, after a call", function()
    local text = forms.glm45.write:format "" .. "</arg_value>\n</tool_call>\n" .. forms.glm45.delete:format "yes"
      .. "</arg_value>\n</tool_call></arg_value>\n</tool_call>"
    local result = sluice.parse("glm45", text, { tools = tools })
    assert.are.same({ "incomplete", false, 2 }, { result.calls[2].status, result.calls[2].valid, result.errors[1].index })
  end)
  it("nor after the opener of another format", function()
    local text = forms.deepseek_v4.write:format "<｜DSML｜function_calls>\n"
      .. forms.deepseek_v4.delete:gsub("^[^\n]*\n", ""):format "yes" .. "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
    assert.is_false(phantoms("deepseek_v4", text).calls[1].valid)
  end)
  it("nor in a list of calls after an unreadable one", function()
    local text = "<start_function_call>call:write_file{path:<escape>a<escape>,content:<escape><escape> x: y = parse("
      .. '"<start_function_call>call:delete_all{sure:<escape>yes<escape>}<end_function_call>")<escape>}<end_function_call>'
    assert.is_false(phantoms("functiongemma", text).calls[1].valid)
  end)
  it("a call in another spelling of the name is also quoted", function()
    local text = "<tool_calls>\n<tool_call>write_file<tool_sep>\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n"
      .. "<arg_key>content</arg_key>\n<arg_value>" .. forms.glm45.delete:format "yes" .. "</arg_value>\n</tool_call> "
      .. forms.glm45.delete:format "yes" .. "</arg_value>\n</tool_call> use"
    none("hy_v3", text .. "</arg_value>\n</tool_call>\n</tool_calls>", #text - 100)
  end)
end)
