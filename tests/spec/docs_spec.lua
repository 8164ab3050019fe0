--- The documents: every command and program in them runs, every link works, generated pages are up to date.

local sluice = require "sluice"
local support = require "support"

local root = support.root

if os.getenv "SLUICE_PRELOAD" then
  return -- the shells and programs here must not run under a sanitizer
end

local pages = { "README.md", "CONTRIBUTING.md", "SECURITY.md" }
for _, name in ipairs(support.files(root .. "/docs", ".md")) do
  pages[#pages + 1] = "docs/" .. name
end

-- The fenced blocks of a page: { language, text, line, after }; `after` is the line after the block. A `text` block right after an `sh`
-- block shows its output.
local function blocks(page)
  local out, current, number = {}, nil, 0
  for line in io.lines(page:sub(1, 1) == "/" and page or root .. "/" .. page) do
    number = number + 1
    local language = line:match "^```(%l*)$"
    if current and line == "```" then
      current.after = number + 1
      out[#out + 1], current = current, nil
    elseif language and not current then
      current = { language = language, line = number, text = "" }
    elseif current then
      current.text = current.text .. line .. "\n"
    end
  end
  return out
end

-- Generated ids differ each time.
local function without_ids(text)
  return (text:gsub("call_%w+", "call_…"):gsub("%s+$", ""))
end

-- Commands that other tests run: the beginning of the command, and the test.
local elsewhere = {
  { "^%./setup", "tests/run" }, { "^cmake ", "tests/install.sh" }, { "^cc examples/calls%.c", "tests/install.sh" },
  { "^ldconfig", "tests/install.sh" },
  { "^%./calls ", "tests/install.sh" },
  { "^luarocks make", "tests/install.sh" }, { "^%(cd build && cpack", "tests/package.sh" },
  { "^apt%-get install nginx", "tests/nginx/run" }, { "^cd examples/nginx", "tests/nginx/run" },
  { "^curl %-N http://127%.0%.0%.1:8080", "tests/nginx/check.py" }, { "^  %-d '{", "tests/nginx/check.py" },
  { "^build/tests/", "tests/CMakeLists.txt" },
  { "^build/sluice_bench", "tests/bench/bench.c" },
  { "^bindings/js/serve", "bindings/js/tests/lab/lab.test.js" },
  { "^bindings/python/test", "bindings/python/tests/test_vllm.py" }, { "^pip install", "bindings/python/test" },
  { "^vllm serve", "bindings/python/tests/test_vllm.py" }, { "^SLUICE_PATH=%S+ vllm serve", "bindings/python/tests/test_vllm.py" },
  { "^python3 %-m sglang", "bindings/python/tests/test_sglang.py" }, { "^docs/site", "docs/site" },
}

-- Adapts commands so that none waits for a person.
local function runnable(text, port)
  local out = {}
  for line in text:gmatch "[^\n]*\n" do
    local known
    for _, pair in ipairs(elsewhere) do
      known = known or (line:find(pair[1]) and pair[2])
    end
    local test = line:match "^tests/[%w/_.]+" or line:match "^SLUICE_.-%f[%w]tests/[%w/_.]+"
    if known then
      assert(io.open(root .. "/" .. known), known):close()
      line = "\n"
    elseif test then -- a test itself: must exist
      assert(io.open(root .. "/" .. test:match "tests/[%w/_.]+"), line)
      line = "\n"
    end
    line = line:gsub("localhost:8000", "127.0.0.1:" .. port)
    if line:find "^build/sluice watch" then
      line = "timeout 1 " .. line:gsub("%s*#.*$", ""):gsub("\n$", "") .. " || [ $? = 124 ]\n"
    elseif line:find "^nvim " then
      line = "timeout 20 nvim --headless " .. line:match "^nvim (.*)\n$" .. " -c 'sleep 300m' -c 'qa!' >nvim.out 2>&1\n"
    end
    out[#out + 1] = line
  end
  return table.concat(out)
end

-- A folder that looks like a built clone of the repository.
local function workplace()
  local folder = support.folder()
  local here = io.popen("cd " .. root .. " && pwd"):read "*l"
  for _, name in ipairs { "examples", "syntaxes", "tests", "lua", "plugin", "doc", "docs" } do
    os.execute(("ln -s %s/%s %s/%s"):format(here, name, folder, name))
  end
  os.execute(("ln -s $(realpath %s) %s/build"):format(support.build, folder))
  support.write(folder .. "/request.json", '{"model": "m", "stream": true, "messages": []}')
  return folder
end

-- A model server with one fixed answer.
local function server()
  local base = os.tmpname()
  local replies = {}
  for i = 1, 20 do
    replies[i] = { text = i % 2 == 1 and '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>' or "It is late." }
  end
  support.write(base, sluice.json.encode(sluice.json.array(replies)))
  local handle = io.popen(("python3 %s/tests/agent/server.py %s %s.log & echo $!; wait"):format(root, base, base))
  local pid, port = handle:read "*l", handle:read "*l"
  return port, function()
    os.execute("kill " .. pid)
    handle:close()
    os.remove(base)
    os.remove(base .. ".log")
  end
end

-- Steps that install from the repository's address, which tests/nvim/install runs.
local function installs(block)
  return block.text:find "git clone SLUICE" or block.text:find('"SLUICE"', 1, true)
end

describe("the documents", function()
  for _, page in ipairs(pages) do
    it(page .. ": its commands run", function()
      local folder, wrong = workplace(), nil
      local port, stop = server()
      local all = blocks(page)
      for i, block in ipairs(all) do
        if block.language == "sh" and not wrong and not installs(block) then
          support.write(folder .. "/block.sh", "set -e\n" .. runnable(block.text, port))
          local handle = io.popen(("cd %s && env -u LUA_PATH -u LUA_CPATH timeout 60 bash block.sh >out 2>&1 </dev/null; echo $?")
            :format(folder))
          local status, out = handle:read "*l", support.read(folder .. "/out")
          handle:close()
          wrong = status ~= "0" and ("%s:%d: %s\n%s"):format(page, block.line, status, out) or nil
          local shown = all[i + 1]
          if not wrong and shown and shown.language == "text" and shown.line == block.after then
            local given, got = without_ids(shown.text), without_ids(out)
            wrong = given ~= got and ("%s:%d: prints\n%s\nnot\n%s"):format(page, shown.line, got, given) or nil
          end
        end
      end
      stop() -- before anything raises, or it would be waited for
      os.execute("rm -r " .. folder)
      assert.is_nil(wrong)
    end)
  end

  it("have programs in the Lua reference that print the given output", function()
    local count = 0
    for _, block in ipairs(blocks(require("sluice.core").real_path(support.build) .. "/docs/reference/lua.md")) do
      if block.language == "lua" then
        local printed, expected = {}, {}
        local env = setmetatable({
          sluice = sluice, io = { write = function() end },
          tools = { { type = "function", ["function"] = { name = "f", parameters = { type = "object",
            properties = { a = { type = "integer" } } } } } },
          print = function(...)
            local out = {}
            for i = 1, select("#", ...) do
              out[i] = tostring((select(i, ...)))
            end
            printed[#printed + 1] = table.concat(out, "\t")
          end,
        }, { __index = _G })
        for said in block.text:gmatch "%-%-> ([^\n]*)" do
          expected[#expected + 1] = said
        end
        local where = "reference/lua.md:" .. block.line
        assert(load(block.text, "=" .. where, "t", env))()
        assert.are.same(expected, printed, where)
        count = count + 1
      end
    end
    assert.is_true(count > 10)
  end)

  it("have Lua programs that run, and scripts that load", function()
    local count = 0
    for _, page in ipairs(pages) do
      for _, block in ipairs(blocks(page)) do
        local where = ("%s:%d"):format(page, block.line)
        if installs(block) then
          assert.are.equal("docs/neovim.md", page)
        elseif block.text:find "^{" or block.text:find "\n%-%- [^\n]*\n%-%- [^\n]*\n?$" then
          count = count + 1 -- a word's example: words_spec reads it
        elseif block.language == "lua" and block.text:find("s.syntax {", 1, true) then
          assert(sluice.compile(block.text, where))
          count = count + 1
        elseif block.language == "lua" and block.text:find("sluice.nvim", 1, true) then
          local base = os.tmpname()
          support.write(base .. ".lua", "local chunk = '<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>'\n" .. block.text
            .. "view:finish()")
          local handle = io.popen(("nvim --headless --cmd 'set runtimepath^=%s' -c 'luafile %s.lua' -c 'sleep 100m' -c 'qa!' 2>&1")
            :format(root, base))
          local out = handle:read "*a"
          handle:close()
          assert.is_truthy(out:find("f {}", 1, true), where .. "\n" .. out)
          count = count + 1
        elseif block.language == "lua" then
          local text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
          local chunks = { "Hi ", text }
          local ran = 0
          local env = setmetatable({
            chunks = function()
              return table.remove(chunks, 1)
            end,
            tools = { { type = "function", ["function"] = { name = "f", parameters = { type = "object", properties = {} } } } },
            text = block.text:find "parse%(" and text or '{"choices": [{"index": 0, "message": {"role": "assistant"}}]}',
            bytes = "data: [DONE]\n\n",
            event = { type = "text", text = "x", choice = 1 },
            run = function(name, arguments)
              ran = ran + (name == "f" and arguments == "{}" and 1 or 0)
            end,
            print = function() end, io = { write = function() end },
          }, { __index = _G })
          local program = setfenv and loadstring(block.text, where) or load(block.text, where, "t", env)
          if setfenv then
            setfenv(program, env)
          end
          assert(program)()
          if block.text:find("run(", 1, true) then
            assert.are.equal(1, ran)
          end
          count = count + 1
        end
      end
    end
    assert.is_true(count >= 5)
  end)

  -- The anchors of a page's headings, as on GitHub and the site.
  local function anchors(path)
    local found, code = {}, nil
    for line in io.lines(path) do
      local fence = line:match "^```" or line:match "^~~~+"
      if fence then
        code = not code and fence or code ~= fence and code or nil
      end
      local heading = not code and line:match "^#+ (.*)$"
      if heading then
        heading = heading:gsub("%[([^%]]*)%]%([^)]*%)", "%1"):lower():gsub("[%z\1-\31!-,./:-@%[-^`{-~]", ""):gsub("\226\128.", "")
          :gsub("^%s+", ""):gsub("%s+$", ""):gsub(" ", "-")
        found[heading] = true
      end
    end
    return found
  end

  it("have working links", function()
    local all = { "CHANGELOG.md", "bindings/python/README.md", "bindings/js/README.md" }
    for _, page in ipairs(pages) do
      all[#all + 1] = page
    end
    local count = 0
    for _, page in ipairs(all) do
      local folder = page:match "^(.*/)" or ""
      local text = support.read(root .. "/" .. page):gsub("```.-```", ""):gsub("~~~~.-~~~~", ""):gsub("`[^`\n]*`", "")
      for link in text:gmatch "%]%(([^)]+)%)" do
        if not link:find "^https?:" then
          local target, anchor = link:match "^([^#]*)#?(.*)$"
          local path = target == "" and root .. "/" .. page or ("%s/%s%s"):format(root, folder, target)
          local file = io.open(path)
          assert.is_truthy(file or require("sluice.core").list_folder(path), page .. ": " .. link)
          if file then
            file:close()
          end
          assert.is_truthy(anchor == "" or anchors(path)[anchor], page .. ": " .. link)
          count = count + 1
        end
      end
    end
    assert.is_true(count > 60)
  end)

  it("name every word, every option and every command", function()
    local guide = support.read(root .. "/docs/vocabulary.md")
    for word in pairs(require("sluice.vocabulary").new {}) do
      assert.is_truthy(({ syntax = 1, inherit = 1, ordered = 1 })[word] or guide:find("### `s." .. word .. "`", 1, true), word)
    end
    local c = support.read(support.build .. "/docs/reference/c.md")
    for name in support.read(root .. "/core/include/sluice.h"):gmatch "SLUICE_API [%w_ *]-(sluice_[%w_]+)%(" do
      assert.is_truthy(c:find(name, 1, true), name)
    end
    local lua = support.read(support.build .. "/docs/reference/lua.md")
    for name, value in pairs(sluice) do
      if type(value) == "function" then
        assert.is_truthy(lua:find("sluice." .. name, 1, true), name)
      end
    end
    for name in pairs(sluice.json) do
      assert.is_truthy(name == "null" or lua:find("sluice.json." .. name, 1, true), name)
    end
  end)
end)

describe("completion", function()
  local completions = support.build .. "/docs/completion/"

  -- Bash's completions after these words.
  local function offered(words)
    local base = os.tmpname()
    local list = {}
    for word in (words .. "|"):gmatch "([^|]*)|" do
      list[#list + 1] = ("'%s'"):format(word)
    end
    local script = "PATH=$(realpath %s):$PATH\n. %ssluice.bash\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_sluice\n"
      .. "printf '%%s\\n' \"${COMPREPLY[@]}\"\n"
    support.write(base, script:format(support.build, completions, table.concat(list, " "), #list - 1))
    local handle = io.popen("bash " .. base)
    local out = handle:read "*a"
    handle:close()
    os.remove(base)
    return "\n" .. out
  end

  it("offers commands, options, values and syntaxes in bash", function()
    assert.is_truthy(offered("sluice|"):find "\nparse\n.*\ncheck\n")
    assert.are.equal("\ninfer\n", offered "sluice|inf")
    assert.are.equal("\n--tools\n", offered "sluice|parse|--to")
    assert.is_truthy(offered("sluice|grammar|--to|"):find "\nlark\ngbnf\nstructural%-tag\n")
    local names = offered "sluice|trace|-s|"
    for _, name in ipairs(support.syntaxes()) do
      assert.is_truthy(names:find("\n" .. name .. "\n", 1, true), name)
    end
    assert.is_truthy(names:find("\nauto\n", 1, true))
    assert.is_falsy(offered("sluice|new|--like|"):find("\nauto\n", 1, true))
    assert.are.equal("\ntext\nreasoning\n", offered "sluice|parse|--start|")
  end)

  it("offers what the command accepts, and so does ./setup", function()
    local shown = 0
    for arguments in support.read(support.root .. "/setup"):gmatch "\n    build/sluice ([^\n]+)" do
      local _, status, err = support.run((arguments:gsub("examples/", support.root .. "/%0")))
      assert.are.equal(0, status, err)
      shown = shown + 1
    end
    assert.is_true(shown > 0)
    for _, form in ipairs { "result", "events", "openai", "anthropic", "ollama" } do
      local _, status = support.run("parse -s hermes -o " .. form, "x")
      assert.are.equal(0, status)
    end
    for _, value in ipairs { "--from text", "--from openai -o openai", "--from anthropic -o openai",
      "--from ollama -o openai", "--start text", "--start reasoning", "--calls streamed", "--calls whole" } do
      local _, status, err = support.run("parse -s hermes " .. value, "x")
      assert.are.equal(value:find "^%-%-from [oa]" and 1 or 0, status, err) -- 2 would be misuse
    end
  end)

  it("is a valid script in each shell", function()
    for shell, file in pairs { bash = "sluice.bash", zsh = "_sluice", fish = "sluice.fish" } do
      local handle = io.popen(("command -v %s >/dev/null && %s -n %s%s 2>&1; echo"):format(shell, shell, completions, file))
      assert.are.equal("\n", handle:read "*a")
      handle:close()
    end
  end)

  it("offers the same in zsh and fish", function()
    local fish = io.popen(("command -v fish >/dev/null && PATH=$(realpath %s):$PATH fish -c 'source %ssluice.fish; "
      .. "complete -C \"sluice trace --ex\"; complete -C \"sluice parse -s herm\"' || echo none"):format(support.build, completions))
    local out = fish:read "*a"
    fish:close()
    assert.is_truthy(out == "none\n" or (out:find "%-%-explain" and out:find "hermes"), out)
  end)
end)
