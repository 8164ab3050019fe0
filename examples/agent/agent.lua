#!/usr/bin/env lua5.4
--- A complete agent: asks a model behind an OpenAI-compatible server, prints its answer as it arrives, runs the calls in its text, and
-- returns the results, until it answers. The server needs no support for tools.
--
--    lua5.4 examples/agent/agent.lua http://localhost:8000/v1 hermes "Do I need an umbrella in Oslo?" [MODEL [required]]
--
-- required: the first answer must be a call, by a grammar of llama.cpp. examples/agent/smollm2 runs it with a small model of its own.

local here = arg[0]:match "^(.*)/" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s/../../lua/?/init.lua;"):format(here, here, here) .. package.path
local sluice, wire, tools = require "sluice", require "sluice.wire", require "tools"
local url, syntax, question, model, required = arg[1], arg[2], arg[3], arg[4] or "default", arg[5] == "required"
if not question then
  io.stderr:write "usage: agent.lua URL SYNTAX QUESTION [MODEL [required]]\n"
  os.exit(1)
end
local rounds_max = 8

-- Makes outside text safe for a terminal: control characters, which could move the cursor or change the title, become �.
local function printable(text)
  return (text:gsub("[%z\1-\8\11-\31\127]", "\239\191\189"):gsub("\194[\128-\159]", "\239\191\189"))
end

-- Exits with an error message.
local function give_up(sentence)
  io.stderr:write("\n", printable(sentence), "\n")
  os.exit(2)
end

local definitions = sluice.json.array()
for name, tool in pairs(tools) do
  definitions[#definitions + 1] = { type = "function",
    ["function"] = { name = name, description = tool.description, parameters = tool.parameters } }
end
table.sort(definitions, function(a, b)
  return a["function"].name < b["function"].name
end)

-- Sends the conversation; calls take(event) for the events of the answer. Returns the model's text, and true if it is complete; or nil
-- and a message if the response is not an answer.
local function ask(messages, take)
  local raw, finished, began, wrong = {}, false, false, nil
  local decoder = wire.decoder("openai", function()
    local stream = sluice.stream(syntax, { tools = definitions })
    return { feed = function(_, text) -- the model gets its own text back
      raw[#raw + 1] = text
      return stream:feed(text)
    end, finish = function()
      return stream:finish()
    end }
  end)
  local request = os.tmpname()
  local file <close> = assert(io.open(request, "wb"))
  local grammar = required and assert(sluice.grammar(syntax, definitions, "gbnf", { tool_choice = "required", max_calls = 1 }))
  required = false
  file:write(sluice.json.encode { model = model, stream = true, messages = messages, grammar = grammar or nil })
  file:flush()
  local command = "exec curl -sSfN --max-time 600 -H 'Content-Type: application/json' -d @%s '%s/chat/completions'"
  local answer = io.popen(command:format(request, url:gsub("'", "")))
  local function all(events)
    for event in events do
      finished = finished or event.type == "finish" and event.reason ~= "length"
      began = began or event.type == "message"
      wrong = wrong or event.type == "other" and event.message
      take(event)
    end
  end
  for line in answer:lines "L" do
    all(decoder:feed(line))
  end
  all(decoder:finish())
  os.remove(request)
  local good = answer:close()
  if not began and not good then
    return nil, "the server cannot be reached, or refused"
  elseif wrong then
    return nil, "the server sent something else than an answer: " .. wrong
  elseif not began then
    return nil, "the server sent nothing"
  elseif not good and not finished then
    return nil, "the server broke off"
  end
  return table.concat(raw), finished
end

-- Runs a call. Errors become text for the model.
local function run(call)
  local tool = tools[call.name]
  if not tool then
    return ("error: there is no tool '%s'"):format(call.name)
  elseif call.status == "incomplete" then
    return "error: the call was cut off and was not run; write it again"
  elseif call.problem then
    return "error: " .. call.problem
  end
  local good, result = pcall(tool.run, sluice.json.decode(call.arguments))
  return good and result or "error: " .. tostring(result)
end

local function show(text, style)
  text = printable(text)
  io.write(style and ("\27[%sm%s\27[0m"):format(style, text) or text)
  io.flush()
end

local messages = sluice.json.array { { role = "system", content = assert(sluice.prompt(syntax, definitions)) },
  { role = "user", content = question } }
for _ = 1, rounds_max do
  local calls, problem = {}, nil
  local text, whole = ask(messages, function(event)
    if event.type == "text" then
      show(event.text)
    elseif event.type == "reasoning" then
      show(event.text, "2")
    elseif event.type == "call_begin" then
      calls[event.index] = { name = event.name, pieces = {} }
      show(("\n-> %s "):format(event.name), "36")
    elseif event.type == "arguments" then
      table.insert(calls[event.index].pieces, event.text)
      show(event.text, "36")
    elseif event.type == "error" and (event.code == "schema_mismatch" or event.code == "bad_arguments") then
      problem = event.message -- belongs to the call that ends next
    elseif event.type == "call_end" then
      local call = calls[event.index]
      call.id, call.status, call.problem, problem = event.id, event.status, problem, nil
      call.arguments = table.concat(call.pieces)
      show "\n"
    end
  end)
  if not text then
    give_up(whole)
  end
  messages[#messages + 1] = { role = "assistant", content = text }
  if #calls == 0 and whole then
    show "\n"
    return
  end
  local results, plain = sluice.json.array(), {}
  for i, call in ipairs(calls) do
    results[i] = { name = call.name, id = call.id, content = run(call) }
    plain[i] = ("%s: %s"):format(call.name, results[i].content)
    show(("<- %s\n"):format(results[i].content), "33")
  end
  if #calls == 0 then
    plain[1] = "Your answer was cut off. Go on."
  end
  -- in the format's own notation for results, if it has one
  local written = #calls > 0 and sluice.render(syntax, { results = results })
  messages[#messages + 1] = { role = "user", content = written or table.concat(plain, "\n") }
end
give_up(("no answer after %d rounds"):format(rounds_max))
