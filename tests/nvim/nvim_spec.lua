--- The plugin in the real editor, used through its commands.

local api = vim.api
local before = {}
for name in pairs(_G) do
  before[name] = true
end
local string_index, lpeg_before = getmetatable("").__index, {}

local sluice = require "sluice"
for key, value in pairs(require "lpeg") do
  lpeg_before[key] = value
end
local nvim = require "sluice.nvim"

local function lines(buffer)
  return api.nvim_buf_get_lines(buffer, 0, -1, false)
end

-- Lets the editor run until `done` returns true.
local function wait(done)
  assert.is_true(vim.wait(300000, done, 5), "it did not come to pass")
end

local function settle()
  vim.wait(60, function()
    return false
  end)
end

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read "*a"
  f:close()
  return text
end

local response = read "examples/response.txt"
local command = (os.getenv "SLUICE_BUILD" or "build") .. "/sluice"

local shown = {
  "The user wants to know whether to take an umbrella in Paris and in Oslo. I have a weather tool; I need to ask it twice. "
    .. "I must not confuse `days <= 3` with a tag.",
  "Let me check both cities for you, it takes < 1 second.", "", "get_weather", "  city: Paris", "  days: 3",
  "  note: café weather 🌧", "get_weather", "  city: Oslo", "  days: 3" }

describe("the plugin", function()
  after_each(function()
    vim.cmd "silent! tabonly! | silent! only! | enew!"
  end)

  it("does not change the host's globals, string methods and LPeg", function()
    sluice.parse("hermes", response)
    for name in pairs(_G) do
      assert.is_true(before[name] ~= nil or name == "_" or name:find "^busted" ~= nil, "a new global: " .. tostring(name))
    end
    assert.are.equal(string_index, getmetatable("").__index)
    for key, value in pairs(require "lpeg") do
      assert.are.equal(lpeg_before[key], value)
    end
  end)

  it("uses no deprecated functions", function()
    local files = vim.fn.glob("lua/sluice/nvim/*.lua", false, true)
    assert.is_true(#files > 0)
    for _, path in ipairs(vim.list_extend(files, { "lua/sluice/health/init.lua", "plugin/sluice.lua" })) do
      local text = read(path)
      for _, name in ipairs { "nvim_buf_[gs]et_option", "nvim_win_[gs]et_option", "nvim_[gs]et_option%f[(]", "vim%.validate",
        "vim%.tbl_islist", "vim%.lsp%.diagnostic", "tbl_flatten", "vim%.region", "nvim_exec%f[(]" } do
        assert.is_nil(text:find(name), path .. " has " .. name)
      end
    end
    assert.are.same({}, package.loaded["sluice_test.deprecated"])
  end)

  it("reports no problems in :checkhealth", function()
    vim.cmd "checkhealth sluice"
    local report = table.concat(lines(0), "\n")
    assert.is_truthy(report:find("59 syntaxes", 1, true) or report:find "%d+ syntaxes")
    assert.is_truthy(report:find("Parsing a call works", 1, true))
    assert.is_nil(report:find "ERROR")
  end)

  it("has help, with a tag for each command and function", function()
    local folder = vim.fn.tempname()
    vim.fn.mkdir(folder .. "/doc", "p")
    vim.fn.writefile(vim.fn.readfile "doc/sluice.txt", folder .. "/doc/sluice.txt")
    vim.cmd("helptags " .. folder .. "/doc")
    local tags = table.concat(vim.fn.readfile(folder .. "/doc/tags"), "\n")
    for _, tag in ipairs { "sluice.txt", ":SluiceRun", "sluice.nvim.attach()" } do
      assert.is_truthy(tags:find(tag, 1, true), tag)
    end
  end)
end)

describe("sluice.nvim.attach", function()
  local buffer
  before_each(function()
    vim.cmd "enew!"
    buffer = api.nvim_get_current_buf()
  end)
  after_each(function()
    local view = nvim.view(buffer)
    if view then
      view:detach()
    end
    vim.cmd("silent! bwipeout! " .. buffer)
  end)

  for _, step in ipairs { 1, 4, 7, 1000000 } do
    it(("shows text, reasoning and calls in chunks of %d bytes"):format(step), function()
      local calls, finished = {}, false
      local view = nvim.attach(0, { syntax = "hermes", on_call = function(call)
        calls[#calls + 1] = call
      end, on_finish = function()
        finished = true
      end })
      for i = 1, #response, step do
        view:feed(response:sub(i, i + step - 1))
      end
      view:finish()
      assert.are.same({ "" }, lines(buffer)) -- the buffer changes when the editor runs its callbacks
      wait(function()
        return finished
      end)
      assert.are.same(shown, lines(buffer))
      assert.are.equal(2, #calls)
      assert.are.equal("get_weather", calls[1].name)
      assert.are.equal("Paris", sluice.json.decode(calls[1].arguments).city)
      assert.are.equal("complete", calls[2].status)
      assert.are.same({ { name = "get_weather", first = 4, last = 7 }, { name = "get_weather", first = 8, last = 10 } },
        nvim.regions(buffer))
    end)
  end

  it("accepts bytes in callbacks that may not call the editor's functions", function()
    local view = nvim.attach(0, { syntax = "hermes" })
    local timer, at, fast = vim.loop.new_timer(), 1, true
    timer:start(0, 1, function()
      fast = fast and vim.in_fast_event()
      view:feed(response:sub(at, at + 40))
      at = at + 41
      if at > #response then
        view:finish()
        timer:close()
      end
    end)
    wait(function()
      return #lines(buffer) == #shown and lines(buffer)[#shown] == shown[#shown]
    end)
    assert.are.same(shown, lines(buffer))
    assert.is_true(fast)
  end)

  it("shows the arguments while they grow, and folds them", function()
    local view = nvim.attach(0, { syntax = "hermes" })
    view:feed '<tool_call>{"name": "write", "arguments": {"path": "a.txt", "text": "one\\ntw'
    view:sync()
    assert.are.same({ "write", "  path: a.txt", "  text: one", "    tw" }, lines(buffer))
    assert.are.same({ { name = "write", first = 1, last = 4 } }, nvim.regions(buffer))
    assert.are.equal("call", (view:state()))
    for line = 1, 4 do
      assert.are.equal(1, vim.fn.foldlevel(line))
    end
    view:feed 'o"}}</tool_call>\nDone.'
    view:sync()
    assert.are.same({ "write", "  path: a.txt", "  text: one", "    two", "Done." }, lines(buffer))
    assert.are.equal(0, vim.fn.foldlevel(5))
    vim.cmd "normal! ggzc"
    assert.are.equal(1, vim.fn.foldclosed(3))
    assert.are.equal(-1, vim.fn.foldclosed(5))
    assert.are.equal("write (3 lines)", vim.fn.foldtextresult(1))
  end)

  it("works if the user edits the buffer, and if it is locked", function()
    api.nvim_buf_set_lines(buffer, 0, -1, false, { "above", "> " })
    local view = nvim.attach(0, { syntax = "hermes" })
    view:feed 'Hi<tool_call>{"name": "f", "arguments": {"x": "a'
    view:sync()
    api.nvim_buf_set_lines(buffer, 0, 1, false, { "more", "lines", "above" })
    vim.bo[buffer].modifiable = false
    view:feed 'b"}}</tool_call>'
    view:finish()
    view:sync()
    assert.are.same({ "more", "lines", "above", "> Hi", "f", "  x: ab" }, lines(buffer))
    assert.are.same({ { name = "f", first = 5, last = 6 } }, nvim.regions(buffer))
    assert.is_false(vim.bo[buffer].modifiable)
  end)

  it("reports errors", function()
    local errors = {}
    local view = nvim.attach(0, { syntax = "hermes", tools = {}, on_error = function(e)
      errors[#errors + 1] = e.code
    end })
    view:feed '<tool_call>{"name": "f", "arguments": {"x": [1, 2'
    view:finish()
    view:sync()
    assert.are.same({ "f", "  x: [1]" }, lines(buffer))
    assert.is_truthy(#errors > 0)
  end)

  it("shows what came before another view, all arguments, and that a call is not valid", function()
    nvim.attach(0, { syntax = "hermes" }):feed "one "
    local view = nvim.attach(0, { syntax = "hermes", tools = { { name = "g" } }, stream = { parameters = false } })
    view:feed 'two <tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
    view:sync()
    assert.are.same({ "one two ", "f", "  a: 1" }, lines(buffer))
    local space = api.nvim_create_namespace "sluice_calls"
    assert.are.equal(" ✗ not valid", api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })[1][4].virt_text[1][1])
  end)

  it("goes on after a callback that fails, and ends with its buffer", function()
    local view = nvim.attach(0, { syntax = "hermes", on_call = function()
      error "mine"
    end })
    view:feed '<tool_call>{"name": "f", "arguments": {}}</tool_call>after'
    assert.has_error(function()
      view:sync()
    end)
    view:sync()
    assert.are.same({ "f", "after" }, lines(buffer))
    local other = api.nvim_create_buf(true, true)
    local second = nvim.attach(other, { syntax = "hermes" })
    api.nvim_buf_delete(other, { force = true })
    second:feed "text"
    second:sync()
    assert.is_nil(nvim.view(other))
  end)

  local function told_end(view)
    local over = false
    view.options.on_finish = function()
      over = true
    end
    return function()
      return over
    end
  end

  it("refuses unknown options, at the caller's line", function()
    local function refused(options, message)
      local here = debug.getinfo(1, "l").currentline + 1
      local fine, said = pcall(function() nvim.attach(0, options) end)
      assert.is_false(fine)
      assert.is_truthy(said:find(("nvim_spec.lua:%d: sluice.nvim: %s"):format(here, message), 1, true), said)
    end
    refused({ syntax = "hermes", oncall = print }, "there is no option 'oncall'; the nearest is 'on_call'")
    refused({ syntax = "hermes", on_call = "print" }, "the option 'on_call' must be a function, not a string")
    refused({ syntax = "hermes", stream = { markupp = true } }, "there is no option 'markupp'; the nearest is 'markup'")
    refused({ syntax = "hermez" }, "there is no syntax 'hermez'")
    refused({}, "the option 'syntax' is missing")
    refused(nil, "the options must be a table, not a nil")
    assert.has_error(function()
      nvim.attach(4711, { syntax = "hermes" })
    end, nil)
    assert.is_nil(nvim.view(buffer))
    assert.is_false(pcall(nvim.run, "hermes", "true", { form = "openai" }))
  end)

  it("loads an unloaded buffer", function()
    local other = vim.fn.bufadd(vim.fn.tempname())
    local view = nvim.attach(other, { syntax = "hermes" })
    view:feed "Hi"
    view:sync()
    assert.are.same({ "Hi" }, lines(other))
    view:detach()
    api.nvim_buf_delete(other, { force = true })
  end)

  it("changes the options of the buffer's windows, and of no other", function()
    vim.cmd "new"
    local other = api.nvim_get_current_win()
    vim.cmd "wincmd p"
    nvim.attach(buffer, { syntax = "hermes" })
    assert.are.equal("expr", vim.wo.foldmethod)
    api.nvim_set_current_win(other)
    assert.are.equal("manual", vim.wo.foldmethod)
    vim.cmd "new"
    assert.are.equal("manual", vim.wo.foldmethod)
    vim.cmd "close"
    vim.cmd "close"
  end)

  it("makes each response one undo step, even with updates in between", function()
    api.nvim_buf_set_lines(0, 0, -1, false, { "mine" })
    vim.cmd "let &undolevels = &undolevels"
    local view = nvim.attach(0, { syntax = "hermes" })
    for _ = 1, 5 do
      view:feed " word\nand"
      view:sync()
      settle()
    end
    view:finish()
    view:sync()
    assert.is_true(#lines(0) > 5)
    vim.cmd "silent undo"
    assert.are.same({ "mine" }, lines(0))
    vim.cmd "silent redo"
    assert.is_true(#lines(0) > 5)
  end)

  it("keeps the user's edits separate undo steps", function()
    local view = nvim.attach(0, { syntax = "hermes" })
    view:feed "one"
    view:sync()
    settle()
    api.nvim_buf_set_lines(0, 0, 0, false, { "mine" })
    vim.cmd "let &undolevels = &undolevels"
    view:feed " two"
    view:sync()
    assert.are.same({ "mine", "one two" }, lines(0))
    vim.cmd "silent undo"
    assert.are.same({ "mine", "one" }, lines(0))
  end)

  it("ends with a buffer that a callback deletes, and goes on in one that it reloads", function()
    local call = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
    for _, how in ipairs { "bwipeout!", "bdelete!", "bunload!" } do
      local other = api.nvim_create_buf(true, false)
      local view
      view = nvim.attach(other, { syntax = "hermes", on_call = function()
        vim.cmd(how .. " " .. other)
      end })
      view:feed(call .. "after" .. call)
      assert.has_no.errors(function()
        view:sync()
        view:feed(call)
        view:sync()
      end)
      assert.is_nil(nvim.view(other), how)
    end
    local path = os.tmpname()
    local f = assert(io.open(path, "w"))
    f:write "of the file\n"
    f:close()
    vim.cmd("edit! " .. path)
    local view = nvim.attach(0, { syntax = "hermes", on_call = function()
      vim.cmd "edit!"
    end })
    view:feed(call .. "after")
    view:feed '<tool_call>{"name": "g", "arguments": {"a": 1'
    assert.has_no.errors(function()
      view:sync()
    end)
    vim.cmd "edit!"
    view:feed '}}</tool_call>'
    assert.has_no.errors(function()
      view:sync()
    end)
    assert.are.equal("of the file", lines(0)[1])
    view:detach()
    os.remove(path)
  end)

  it("costs in proportion to the bytes: one long line, many calls, invalid UTF-8", function()
    local function memory()
      local f = io.open "/proc/self/statm"
      local pages = f and tonumber(f:read "*a":match "^%d+ (%d+)") or 0
      if f then
        f:close()
      end
      return pages * 4096
    end
    local function streamed(text, chunk)
      vim.cmd "enew!"
      local view = nvim.attach(0, { syntax = "hermes", fold = false })
      local over, memory_before = told_end(view), memory()
      local began = os.clock()
      for i = 1, #text, chunk do
        view:feed(text:sub(i, i + chunk - 1))
        vim.wait(0)
      end
      view:finish()
      assert.is_true(vim.wait(600000, over, 1), "it did not end")
      local used = os.clock() - began
      view:detach()
      return used, memory() - memory_before
    end
    local function check(what, text, chunk, most)
      local used, grown = streamed(text, chunk)
      print(("\n%s: %.1f MB in %.1f s of the processor, %.0f MB more"):format(what, #text / 1e6, used, grown / 1e6))
      assert.is_true(used < most, ("%s takes %g s"):format(what, used))
      assert.is_true(grown < 100e6 + 20 * #text, ("%s takes %g MB"):format(what, grown / 1e6))
    end
    check("a line of 2 MB", ("word "):rep(400000), 2048, 20)
    check("1,000 calls", ('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>\n'):rep(1000), 4096, 20)
    check("10 MB in one piece", ("some text of a line\n"):rep(500000), 10000000, 20)
    check("continuations without a character", ("\128"):rep(300000), 300000, 20)
  end)

  it("does not block the editor with an argument of 64 KB in 4-byte chunks", function()
    local function argument(size)
      local text = ("a line of the file that the model writes, eighty bytes with its end, or nearly so.\\n"):rep(size / 84)
      return '<tool_call>{"name": "write", "arguments": {"path": "x", "text": "' .. text .. '"}}</tool_call>'
    end
    -- its own clock, printed
    local text = argument(65536)
    local view = nvim.attach(0, { syntax = "hermes" })
    local over, worst, total, shown_in = told_end(view), 0, 0, 0
    local sync = view.sync
    view.sync = function(...)
      local began = vim.loop.hrtime()
      sync(...)
      shown_in = shown_in + vim.loop.hrtime() - began
    end
    collectgarbage()
    for i = 1, #text, 4 do
      local began = vim.loop.hrtime()
      view:feed(text:sub(i, i + 3))
      local took = vim.loop.hrtime() - began
      total, worst = total + took, math.max(worst, took)
      if i % 400 == 1 then
        vim.wait(0)
      end
    end
    view:finish()
    wait(over)
    print(("\n64 KB in 4-byte chunks: %.1f ms in feed, at most %.2f ms in one; %.1f ms in the buffer")
      :format(total / 1e6, worst / 1e6, shown_in / 1e6))
    assert.are.equal(3 + math.floor(65536 / 84), #lines(buffer))

    -- the same work for each chunk, by Lua's own count
    local function work(size)
      local input = argument(size)
      local stream = sluice.stream("hermes", { parameters = true })
      local count = 0
      jit.off()
      jit.flush()
      debug.sethook(function()
        count = count + 1
      end, "", 10)
      for i = 1, #input, 4 do
        for _ in stream:feed(input:sub(i, i + 3)) do end
      end
      debug.sethook()
      jit.on()
      return count / #input
    end
    local small, large = work(4200), work(65536)
    assert.is_true(large < small * 1.05, ("%g and %g"):format(small, large))
  end)
end)

describe(":SluiceRun", function()
  local said
  local notify = vim.notify
  before_each(function()
    said = nil
    vim.notify = function(message) -- luacheck: ignore
      said = message
    end
  end)
  after_each(function()
    vim.notify = notify -- luacheck: ignore
  end)

  it("shows a command's output as it arrives", function()
    vim.cmd "SluiceRun hermes cat examples/response.txt"
    local buffer = api.nvim_get_current_buf()
    wait(function()
      return #lines(buffer) == #shown
    end)
    assert.are.same(shown, lines(buffer))
    vim.cmd "bwipeout!"
  end)

  it("reads wire formats", function()
    local path = vim.fn.tempname()
    local out = vim.fn.system(command .. " parse -s hermes -o openai examples/response.txt >" .. path)
    assert.are.equal("", out)
    vim.cmd("SluiceRun hermes from=openai cat " .. path)
    local buffer = api.nvim_get_current_buf()
    wait(function()
      return #lines(buffer) == 7
    end)
    assert.are.same({ "get_weather", '  {"city": "Oslo", "days": 3}' }, vim.list_slice(lines(buffer), 6))
    assert.are.equal(2, #nvim.regions(buffer))
    vim.cmd "bwipeout!"
    local ends = 0
    nvim.run("hermes", "cat " .. path, { from = "openai", on_finish = function()
      ends = ends + 1
    end })
    wait(function()
      return ends > 0
    end)
    settle()
    assert.are.equal(1, ends)
    vim.cmd "bwipeout!"
    os.remove(path)
  end)

  it("refuses with a message", function()
    vim.cmd "SluiceRun hermes"
    assert.is_truthy(said:find("which command?", 1, true))
    vim.cmd "SluiceRun hermez cat examples/response.txt"
    assert.is_truthy(said:find("the nearest is 'hermes'", 1, true), said)
    vim.cmd "SluiceRun hermes from=opneai cat examples/response.txt"
    assert.is_truthy(said:find("opneai", 1, true), said)
    assert.are.equal(1, #api.nvim_list_wins())
    assert.is_truthy(vim.tbl_contains(vim.fn.getcompletion("SluiceRun herm", "cmdline"), "hermes"))
  end)

  it("reports a response that is not an answer, and shows the first of several", function()
    local path = vim.fn.tempname()
    local function run(body)
      local f = assert(io.open(path, "wb"))
      f:write(body)
      f:close()
      vim.cmd("SluiceRun hermes from=openai cat " .. path)
      return api.nvim_get_current_buf()
    end
    for body, word in pairs { ['{"error":{"message":"no such model"}}'] = "no such model", ["<html>502</html>"] = "502", [""] = "empty",
      ['data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"error":"broke"}\n\n'] = "broke" } do
      said = nil
      run(body)
      wait(function()
        return said
      end)
      assert.is_truthy(said:find("^SluiceRun: .*" .. word), said)
      vim.cmd "bwipeout!"
    end
    said = nil
    local piece = 'data: {"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":%s},{"index":1,"delta":{"content":"<tool"}}]}\n\n'
    local buffer = run(piece:format("one", "null") .. piece:format(" two", '"stop"'))
    wait(function()
      return lines(buffer)[1] == "one two"
    end)
    assert.is_nil(said)
    vim.cmd "bwipeout!"
    os.remove(path)
  end)

  it("leaves no window for a failed command without output", function()
    local buffers = #api.nvim_list_bufs()
    vim.cmd "SluiceRun hermes echo no such model >&2; exit 3"
    wait(function()
      return said
    end)
    assert.are.equal("SluiceRun: the command ended with status 3: no such model", said)
    assert.are.equal(1, #api.nvim_list_wins())
    assert.are.equal(buffers, #api.nvim_list_bufs())
    said = nil
    vim.cmd "SluiceRun hermes echo half an answer; exit 4"
    local buffer = api.nvim_get_current_buf()
    assert.is_truthy(api.nvim_buf_get_name(buffer):find "^sluice://hermes/%d+$")
    wait(function()
      return said and lines(buffer)[1] == "half an answer"
    end)
    assert.are.equal("SluiceRun: the command ended with status 4", said)
    vim.cmd "bwipeout!"
  end)
end)

describe("the adapter for codecompanion", function()
  local handlers = dofile "examples/codecompanion.lua" "hermes"

  it("returns its format of content, reasoning and tool calls", function()
    local self, tools, content, reasoning = {}, {}, "", ""
    for line in vim.fn.system(command .. " parse -s xlam --chunk 5 -o openai", response):gmatch "[^\n]+" do
      local result = handlers.chat_output(self, line, tools)
      assert.are.equal("success", result.status)
      content = content .. (result.output.content or "")
      reasoning = reasoning .. (result.output.reasoning and result.output.reasoning.content or "")
    end
    local direct = sluice.parse("hermes", response)
    assert.are.equal(direct.content, content)
    assert.are.equal(direct.reasoning, reasoning)
    assert.are.equal(2, #tools)
    assert.are.equal(1, tools[2]._index)
    assert.are.equal("get_weather", tools[1]["function"].name)
    assert.are.equal(direct.calls[1].arguments, tools[1]["function"].arguments)
    assert.is_nil(self.sluice)
    local body = sluice.json.encode { choices = sluice.json.array { { message = { content = response }, finish_reason = "stop" } } }
    tools = {}
    local whole = handlers.chat_output({}, { body = body }, tools)
    assert.are.equal(direct.content, whole.output.content)
    assert.are.equal(2, #tools)
  end)

  it("does not let a call in doubt look like a clean one, and tells of errors", function()
    local tools, told = {}, nil
    local body = { choices = sluice.json.array { { message = { content = '<tool_call>{"name": "f", "arguments": {"a": 1, "b' } } } }
    handlers.chat_output({}, { body = sluice.json.encode(body) }, tools)
    assert.are.equal('{"a": 1', tools[1]["function"].arguments)
    local notify = vim.notify
    vim.notify = function(text) -- luacheck: ignore
      told = text
    end
    handlers.on_exit({}, { status = 500, body = "busy" })
    vim.notify = notify -- luacheck: ignore
    assert.is_truthy(told:find "500 busy")
    local overloaded = { status = "error", output = "overloaded" } -- in a response that began well
    assert.are.same(overloaded, handlers.chat_output({}, 'data: {"error":{"message":"overloaded"}}'))
    assert.are.same(overloaded, handlers.chat_output({}, { body = '{"error":{"message":"overloaded"}}' }))
  end)
end)
