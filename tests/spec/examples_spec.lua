--- The examples that replace other projects' parsers give the same results.

local support = require "support"

package.path = support.root .. "/examples/?.lua;" .. package.path
local avante, cline = require "avante", require "cline"

describe("examples/avante.lua", function()
  local call = '<tool_use>{"name": "write", "input": {"path": "p", "content": "foo"}}</tool_use>'
  local text = { type = "text", text = "Hello!", partial = false }
  local function tool(input, partial)
    return { type = "tool_use", tool_name = "write", tool_input = input, partial = partial }
  end

  -- From the project's own documentation of its parser.
  for _, case in ipairs {
    { "Hello!", { text } },
    { "Hello!" .. call, { text, tool({ path = "p", content = "foo" }, false) } },
    { "Hello!" .. call .. "and" .. call .. "end", { text, tool({ path = "p", content = "foo" }, false),
      { type = "text", text = "and", partial = false }, tool({ path = "p", content = "foo" }, false),
      { type = "text", text = "end", partial = false } } },
    { 'Hello!<tool_use>{"name"', { text } },
    { 'Hello!<tool_use>{"name": "write"', { text, tool({}, true) } },
    { 'Hello!<tool_use>{"name": "write", "input": {"path": "p"', { text, tool({ path = "p", _incomplete = true }, true) } },
    { 'Hello!<tool_use>{"name": "write", "input": {"path": "p", "content": "foo ba', { text,
      tool({ path = "p", content = "foo ba", _incomplete = true }, true) } },
    { 'Hello!<tool_use>{"name": "write", "input": {"path": "p", "lines": [1, {"a": "b\\', { text,
      tool({ path = "p", lines = { 1, { a = "b" } }, _incomplete = true }, true) } },
    { 'Hello!<tool_use>{"name": "write", "input": {"path": "p"}}', { text, tool({ path = "p" }, true) } },
    { 'Hello!{"name": "write", "input": {"path": "p"', { { type = "text", text = 'Hello!{"name": "write", "input": {"path": "p"',
      partial = false } } },
  } do
    it("reads " .. case[1], function()
      local messages = avante.parse(case[1])
      assert.are.same(case[2], messages)
      local reader = avante.reader()
      for i = 1, #case[1] do
        reader:feed(case[1]:sub(i, i)):messages() -- there are results at every byte
      end
      assert.are.same(case[2], (reader:messages()))
    end)
  end

  it("counts the calls, and ends one at the stop word", function()
    local reader = avante.reader():feed(call .. '<tool_use>{"name": "write", "input": {}}')
    local _, metadata = reader:messages()
    assert.are.same({ tool_count = 2, partial_tool_count = 1, all_tools_complete = false, has_tools = true }, metadata)
    _, metadata = reader:finish():messages()
    assert.are.same({ tool_count = 2, partial_tool_count = 0, all_tools_complete = true, has_tools = true }, metadata)
    _, metadata = avante.parse "text"
    assert.are.same({ tool_count = 0, partial_tool_count = 0, all_tools_complete = false, has_tools = false }, metadata)
  end)
end)

describe("examples/cline.lua", function()
  local function block(name, params, partial)
    return { type = "tool_use", name = name, params = params, partial = partial }
  end
  local function text(content, partial)
    return { type = "text", content = content, partial = partial }
  end

  for _, case in ipairs {
    { "Just text", { text("Just text", true) } },
    { "I read.\n<read_file><path>a.ts</path></read_file>", { text("I read.", false), block("read_file", { path = "a.ts" }, false) } },
    { "<read_file><path>src/fi", { block("read_file", { path = "src/fi" }, true) } },
    { "<read_file>\n<path>a</path>\n", { block("read_file", { path = "a" }, true) } },
    { "<b>x</b> <read_file><path>a</path></read_file> done", { text("<b>x</b>", false), block("read_file", { path = "a" }, false),
      text("done", true) } },
    { "<write_to_file><path>a</path><content>\nif a < b\n  </div> tag\n</content></write_to_file>", {
      block("write_to_file", { path = "a", content = "if a < b\n  </div> tag" }, false) } },
    { "<write_to_file><path>a</path><content>\n</content> in it\n</content></write_to_file>", { -- in doubt: not to be run
      block("write_to_file", { path = "a", content = "</content> in it" }, true) } },
    { "<thinking>Hm.</thinking>\n<read_file><path>a</path></read_file>", { { type = "reasoning", content = "Hm.", partial = false },
      block("read_file", { path = "a" }, false) } },
  } do
    it("reads " .. case[1], function()
      local reader = cline.reader()
      for i = 1, #case[1] do
        reader:feed(case[1]:sub(i, i))
      end
      assert.are.same(case[2], reader:blocks())
      assert.are.same(case[2], cline.parse(case[1]))
    end)
  end

  it("shows a file while it is written, and completes it at the end of the message", function()
    local reader, sizes = cline.reader(), {}
    local content = ("line of text\n"):rep(20)
    for piece in ("<write_to_file><path>a</path><content>" .. content):gmatch ".............?" do
      local blocks = reader:feed(piece):blocks()
      sizes[#sizes + 1] = blocks[1] and blocks[1].params.content and #blocks[1].params.content or 0
    end
    for i = 2, #sizes do
      assert.is_true(sizes[i] >= sizes[i - 1])
    end
    assert.is_true(sizes[#sizes] > #content - 40)
    assert.is_true(reader:finish():blocks()[1].partial)
    assert.is_false(cline.reader():feed("text"):finish():blocks()[1].partial)
  end)
end)
