--- Lets a model operate mpv: `script-message sluice-say TEXT` (in the console: `script-message sluice-say "a bit louder"`).
--
--    LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;;" LUA_CPATH="$PWD/build/lua5.2/?.so;;" \
--      mpv --script=examples/mpv.lua --script-opts=sluice-url=http://localhost:8000/v1/chat/completions,sluice-model=Qwen3-8B FILE
--
-- The module must be built for mpv's Lua: 5.2 in Debian, LuaJIT (lua5.1) elsewhere. curl sends the requests. Options: url, model,
-- syntax ("": by the model's name).

local mp, options = require "mp", require "mp.options"
local sluice = require "sluice"
local wire = require "sluice.wire"

local settings = { url = "http://localhost:8000/v1/chat/completions", model = "", syntax = "" }
options.read_options(settings, "sluice")

local function tool(name, about, properties, required)
  return { type = "function", ["function"] = { name = name, description = about,
    parameters = { type = "object", properties = properties, required = sluice.json.array(required), additionalProperties = false } } }
end

-- The only things that the model can do.
local tools = {
  tool("set_volume", "Set the volume in percent", { percent = { type = "integer", minimum = 0, maximum = 100 } }, { "percent" }),
  tool("pause", "Pause, or go on", { paused = { type = "boolean" } }, { "paused" }),
  tool("seek", "Go to a time", { seconds = { type = "number", minimum = 0 } }, { "seconds" }),
}
local run = {
  set_volume = function(arguments)
    mp.set_property_number("volume", arguments.percent)
  end,
  pause = function(arguments)
    mp.set_property_bool("pause", arguments.paused)
  end,
  seek = function(arguments)
    mp.commandv("seek", tostring(arguments.seconds), "absolute")
  end,
}

local function show(text)
  mp.osd_message(text, 5)
  mp.msg.info(text)
end

-- The syntax of the model, its entry, and where its responses start; or nil and a message.
local function syntax()
  if settings.syntax ~= "" then
    return settings.syntax
  end
  return sluice.syntax_for(settings.model)
end

-- Reads the server's answer, and runs its calls.
local function act(name, start, body)
  local text = {}
  local arguments = {}
  local decoder = wire.decoder("openai", function()
    return sluice.stream(name, { tools = tools, start = start })
  end)
  local function take(events)
    for event in events do
      if event.type == "text" then
        text[#text + 1] = event.text
      elseif event.type == "call_begin" then
        arguments[event.index] = { name = event.name }
      elseif event.type == "arguments" then
        table.insert(arguments[event.index], event.text)
      elseif event.type == "call_end" and event.valid then -- one of our tools, with arguments that match its schema
        local call = arguments[event.index]
        run[call.name](sluice.json.decode(table.concat(call)))
      elseif event.type == "other" and event.message then -- a server's error, or not an answer
        show("sluice: " .. event.message)
      end
    end
  end
  take(decoder:feed(body))
  take(decoder:finish())
  if #text > 0 then
    show(table.concat(text))
  end
end

mp.register_script_message("sluice-say", function(text)
  local name, problem, start = syntax()
  if not name then
    return show("sluice: " .. problem)
  end
  local request = { model = settings.model, stream = true, tools = tools,
    messages = { { role = "system", content = assert(sluice.prompt(name, tools)) }, { role = "user", content = text } } }
  mp.command_native_async({ name = "subprocess", capture_stdout = true, playback_only = false, args = { "curl", "-sSN", settings.url,
    "-H", "Content-Type: application/json", "-d", sluice.json.encode(request) } }, function(_, result, failure)
    if failure or result.status ~= 0 then
      return show("sluice: the server does not answer")
    end
    act(name, start, result.stdout)
  end)
end)
