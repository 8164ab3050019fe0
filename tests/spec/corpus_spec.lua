--- The readable cases: tests/corpus (well-formed) and tests/malformed. Each runs whole and at every chunk size from one
-- byte to its length; those with `grammar` in their comment are tools with the expected grammar.
-- SLUICE_REWRITE=1 writes the actual results into the pages; read the diff before you commit it.

local sluice = require "sluice"
local support = require "support"

local rewrite = os.getenv "SLUICE_REWRITE"

local function stream_for(syntax, case)
  local options = {}
  for k, v in pairs(case.meta.options or {}) do
    options[k] = v
  end
  options.tools = case.meta.tools and sluice.json.encode(case.meta.tools) or nil
  if options.markup == nil then
    options.markup = true
  end
  return sluice.stream(case.meta.syntax or syntax, options)
end

-- A case with `grammar` in its comment contains tools: the grammar for that target.
local function grammar_of(syntax, case)
  return assert(sluice.grammar(syntax, case.input, case.meta.grammar, case.meta.options)):gsub("\n$", "")
end

for _, folder in ipairs { "corpus", "malformed" } do
  describe(folder, function()
    local path = support.root .. "/tests/" .. folder
    for _, file in ipairs(support.files(path, ".md")) do
      local syntax = file:sub(1, -4)
      local page = support.read(path .. "/" .. file)
      local cases = syntax ~= "README" and support.wanted(syntax) and support.cases(page) or {}
      if rewrite then
        for i = #cases, 1, -1 do
          local case = cases[i]
          local lines = case.meta.grammar and grammar_of(syntax, case)
            or support.lines(support.events(stream_for(syntax, case), case.input, 0))
          local rest = page:sub(case.to + 1):gsub("^\n", "")
          page = page:sub(1, case.from - 1) .. lines .. "\n" .. rest
        end
        support.write(path .. "/" .. file, page)
      end
      for _, case in ipairs(cases) do
        it(syntax .. ": " .. case.title, function()
          if case.meta.grammar then
            assert.are.equal(case.expected, (grammar_of(syntax, case)))
            return
          end
          local stream = stream_for(syntax, case)
          local whole = support.events(stream, case.input, 0)
          if not rewrite then
            assert.are.equal(case.expected, support.lines(whole))
          end
          if case.meta.options == nil or case.meta.options.markup ~= false then
            assert.is_nil(support.uncovered(whole, case.input))
          end
          assert.is_nil(support.bad_arguments(whole))
          local wanted = support.lines(whole)
          for chunk = 1, math.min(#case.input, 600) do
            local lines = support.lines(support.events(stream, case.input, chunk))
            if lines ~= wanted then
              assert.are.equal(wanted, lines, ("chunks of %d bytes"):format(chunk))
            end
          end
        end)
      end
      it(syntax .. " has cases", function()
        assert.is_true(#cases > 0 or syntax == "README" or not support.wanted(syntax))
      end)
    end
  end)
end

describe("every syntax", function()
  for _, name in ipairs(support.syntaxes()) do
    it(name .. " has a corpus page", function()
      assert.is_truthy(io.open(("%s/tests/corpus/%s.md"):format(support.root, name)))
    end)
  end
end)
