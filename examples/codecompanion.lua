--- Handlers for an adapter of codecompanion.nvim: for a model behind any OpenAI-compatible server that writes its tool calls as
--- text. Copy this file into your configuration:
--
--    local sluice_handlers = dofile "/path/to/examples/codecompanion.lua"
--    require("codecompanion").setup {
--      adapters = {
--        local_qwen = function()
--          return require("codecompanion.adapters").extend("openai_compatible", {
--            name = "local_qwen",
--            env = { url = "http://127.0.0.1:8080" },
--            handlers = sluice_handlers("hermes"),
--          })
--        end,
--      },
--    }
--
-- They return codecompanion's format: { status, output = { role, content, reasoning = { content } } } for each piece of the response, or
-- { status = "error", output = message }, and in `tools` a list of calls { _index, id, type, ["function"] = { name, arguments } } whose
-- arguments grow.
-- Tested with that format, not with the plugin itself.

-- luacheck: globals vim
local sluice = require "sluice"
local wire = require "sluice.wire"

return function(syntax, options)
  local handlers = {}

  -- The events in one piece of a response, as output and tools.
  local function take(events, tools)
    local content, reasoning, done, problem = {}, {}, false, nil
    for event in events do
      if event.type == "text" then
        content[#content + 1] = event.text
      elseif event.type == "reasoning" then
        reasoning[#reasoning + 1] = event.text
      elseif event.type == "call_begin" and tools then
        tools[#tools + 1] = { _index = event.index - 1, id = event.id or ("call_%d_%d"):format(os.time(), event.index),
          type = "function", ["function"] = { name = event.name, arguments = "" } }
      elseif (event.type == "arguments" or event.type == "call_end") and tools then
        for _, call in ipairs(tools) do
          local text = call["function"].arguments
          if call._index == event.index - 1 and event.text then
            call["function"].arguments = text .. event.text
          elseif call._index == event.index - 1 and event.status == "incomplete" then -- without its last brace the plugin refuses to run it
            call["function"].arguments = text:sub(1, -2)
          end
        end
      elseif event.type == "done" then
        done = true
      elseif event.type == "other" then
        problem = problem or event.message -- of the server, or a frame that is lost
      end
    end
    if problem then
      return { status = "error", output = problem }, done
    end
    local output = { role = "assistant", content = #content > 0 and table.concat(content) or nil }
    if #reasoning > 0 then
      output.reasoning = { content = table.concat(reasoning) }
    end
    return { status = "success", output = output }, done
  end

  --- One line of a stream ("data: {...}"), or the whole answer ({ body = "..." }).
  function handlers.chat_output(self, data, tools)
    local function decoder()
      return wire.decoder("openai", function()
        return sluice.stream(syntax, options)
      end)
    end
    if type(data) == "table" then
      local whole = decoder()
      whole:feed(data.body or "")
      return (take(whole:finish(), tools))
    elseif data and data ~= "" then
      self.sluice = self.sluice or decoder()
      local result, done = take(self.sluice:feed(data .. "\n\n"), tools)
      if done then
        self.sluice = nil
      end
      return result
    end
  end

  --- Called at the end of the request, even if the server broke off.
  function handlers.on_exit(self, data)
    self.sluice = nil
    if data and (data.status or 0) >= 400 then
      vim.notify(("The server's answer: %d %s"):format(data.status, tostring(data.body)), vim.log.levels.ERROR)
    end
  end

  return handlers
end
