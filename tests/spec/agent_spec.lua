--- The example agent, with a scripted model.

local sluice = require "sluice"
local support = require "support"
local json = sluice.json

-- Runs the agent with these replies: its output, its exit status, and the requests that it sent.
local function agent(syntax, replies, more)
  local base = os.tmpname()
  support.write(base, json.encode(json.array(replies)))
  local server = io.popen(("python3 %s/tests/agent/server.py %s %s.log & echo $!; wait"):format(support.root, base, base))
  local pid, port = server:read "*l", server:read "*l"
  local status
  local command = io.popen(("cd %s && LUA_CPATH='%s/lua/?.so;;' timeout 300 lua5.4 examples/agent/agent.lua http://127.0.0.1:%s/v1 %s "
    .. "'What now?' %s 2>&1; echo $?"):format(support.root, support.build, port, syntax, more or ""))
  local shown = command:read("*a"):gsub("\27%[[%d;]*m", "")
  command:close()
  shown, status = shown:match "^(.*)\n(%d+)\n$"
  os.execute("kill " .. pid)
  server:close()
  local requests = {}
  for line in io.lines(base .. ".log") do
    requests[#requests + 1] = json.decode(line)
  end
  os.remove(base)
  os.remove(base .. ".log")
  return shown, tonumber(status), requests
end

local function call(syntax, name, arguments)
  return assert(sluice.render(syntax, { { name = name, arguments = arguments } }))
end

if os.getenv "SLUICE_PRELOAD" then
  return -- a sanitizer loaded into this interpreter would also be loaded into curl and Python
end

describe("the example agent", function()
  for _, syntax in ipairs { "hermes", "qwen3_coder", "llama3_json", "glm45" } do
    it("asks, runs several calls in sequence and answers, in " .. syntax, function()
      local first, second = call(syntax, "get_weather", { city = "Oslo" }), call(syntax, "add", { a = 2, b = 40 })
      local shown, status, requests = agent(syntax, { { text = first }, { text = second }, { text = "Snow, and 42." } })
      assert.are.equal(0, status, shown)
      assert.is_truthy(shown:find("-> get_weather", 1, true))
      assert.is_truthy(shown:find("<- snow, -3 degrees", 1, true))
      assert.is_truthy(shown:find("<- 42", 1, true))
      assert.is_truthy(shown:find("Snow, and 42.", 1, true))
      assert.are.equal(3, #requests)
      local last = requests[3].messages
      assert.is_truthy(last[1].content:find("get_weather", 1, true))
      assert.are.equal(first, last[3].content) -- what the model wrote, byte for byte
      assert.is_truthy(last[4].content:find("snow, -3 degrees", 1, true))
      local native = sluice.render(syntax, { results = { { name = "get_weather", content = "snow, -3 degrees" } } })
      assert.are.equal(native or "get_weather: snow, -3 degrees", last[4].content)
    end)
  end

  it("demands a first call by a grammar on request", function()
    local shown, status, requests = agent("hermes", { { text = call("hermes", "add", { a = 2, b = 40 }) }, { text = "42." } },
      "small required")
    assert.are.equal(0, status, shown)
    assert.is_truthy(requests[1].grammar:find("root ::= ", 1, true))
    assert.is_nil(requests[2].grammar)
  end)

  it("reports a model's mistakes to it, and runs no such call", function()
    local shown, status, requests = agent("hermes", {
      { text = call("hermes", "launch", { x = 1 }) },
      { text = call("hermes", "get_weather", { town = "Oslo" }) },
      { text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os', finish = "length" },
      { text = call("hermes", "get_weather", { city = "Atlantis" }) },
      { text = call("hermes", "read_file", { path = "../../etc/passwd" }) },
      { text = "I was going to", finish = "length" },
      { text = call("hermes", "add", { a = 1, b = 2 }) .. call("hermes", "add", { a = 3, b = 4 }) },
      { text = "Done." } })
    assert.are.equal(0, status, shown)
    local said = {}
    for _, message in ipairs(requests[#requests].messages) do
      if message.role == "user" then
        said[#said + 1] = message.content
      end
    end
    for i, wanted in ipairs { "What now?", "there is no tool 'launch'", "city", "was cut off", "nothing is known of Atlantis", "error: ",
      "Go on." } do
      assert.is_truthy(said[i]:find(wanted, 1, true), said[i])
    end
    assert.is_nil(said[6]:find("root:", 1, true))
    assert.is_truthy(said[8]:find("3\n</tool_response>\n<tool_response>\n7", 1, true), said[8])
  end)

  it("exits with an error message if the server breaks off, refuses or never answers", function()
    local shown, status = agent("hermes", {})
    assert.is_true(status ~= 0)
    assert.is_truthy(shown:find("the server cannot be reached, or refused", 1, true), shown)
    local text = call("hermes", "add", { a = 1, b = 2 })
    local replies = {}
    for i = 1, 9 do
      replies[i] = { text = text }
    end
    shown, status = agent("hermes", replies)
    assert.are.equal(2, status)
    assert.is_truthy(shown:find("no answer after 8 rounds", 1, true))
    shown, status = agent("hermes", { { text = "half an ans", ["break"] = true }, { text = "The answer." } })
    assert.are.equal(0, status, shown)
    assert.is_truthy(shown:find("The answer.", 1, true))
  end)

  it("exits with one error message after one request if the response is not an answer", function()
    for _, reply in ipairs { { raw = "<html>502</html>", type = "text/html" }, { raw = "" }, { raw = "{}", status = 500 },
      { raw = '{"error": "slow down"}', status = 429 }, { raw = 'data: {"error": {"message": "busy \27[2J"}}\n\n' },
      { raw = "data: {broken\n\n" } } do
      local shown, status, requests = agent("hermes", { reply, reply, reply })
      assert.are.equal(2, status, shown)
      assert.are.equal(1, #requests)
      assert.is_nil(shown:find("traceback", 1, true), shown)
      assert.is_nil(shown:find "[%z\1-\8\11-\31\127]", shown)
      assert.is_truthy(shown:find("the server", 1, true), shown)
    end
  end)

  it("does not print the model's control characters", function()
    local evil = "a\27]0;title\7b\27[31mc\127d\194\155e"
    local shown, status = agent("hermes", { { text = call("hermes", evil, { x = evil }) }, { text = evil .. "." } })
    assert.are.equal(0, status, shown)
    assert.is_nil(shown:find "[%z\1-\8\11-\31\127]")
    assert.is_nil(shown:find "\194[\128-\159]")
  end)
end)
