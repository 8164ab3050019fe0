--- lua/sluice/options.lua against the places that say the same in other languages.

local options = require "sluice.options"
local support = require "support"

local function read(path)
  return support.read(support.root .. "/" .. path)
end

-- The texts between quotes in a text.
local function quoted(text)
  local out = {}
  for word in text:gmatch '"([%l_]+)"' do
    out[#out + 1] = word
  end
  table.sort(out)
  return out
end

local function sorted(list)
  local out = { (table.unpack or unpack)(list) }
  table.sort(out)
  return out
end

local header = read("core/include/sluice.h"):match "typedef struct sluice_stream_options {(.-)} sluice_stream_options;"
local inverted = { repairs = "no_repairs", validate = "no_validation" } -- in C

-- Where options are declared: a pattern of the declaration, and of its values or type.
local places = {
  ["bindings/python/sluice/_types.py"] = function(text, name)
    return text:match("\n    " .. name .. ": ([^\n]+)")
  end,
  ["bindings/js/src/index.d.ts"] = function(text, name)
    return text:match "interface StreamOptions {(.-)\n}":match("\n  " .. name .. "%?: ([^;]+);")
  end,
  ["docs/options.md"] = function(text, name)
    local said = text:match("\n| `" .. name .. "` | ([^\n]-) | [^|\n]*|\n")
    return said and (said:gsub("with `.-`", ""):gsub('`[%l_]+ = "[%l]+"`', ""))
  end,
}

describe("the stream options", function()
  it("are the same in the header, the bindings and their page, with the same words", function()
    for path, find in pairs(places) do
      local text = read(path)
      for name, kind in pairs(options.kinds) do
        local said = assert(find(text, name), path .. " has no option " .. name)
        if options.words[name] then
          local words, seen = {}, {}
          for _, word in ipairs(quoted(said)) do
            words[#words + 1] = not seen[word] and word or nil
            seen[word] = true
          end
          assert.are.same(sorted(options.words[name]), words, path .. ": " .. name)
        elseif path:find "types" then
          assert.are.equal(({ string = "str", boolean = "bool", number = "int" })[kind], said, name)
        elseif path:find "index" then
          assert.are.equal(kind, said, name)
        end
      end
    end
    for name in pairs(options.kinds) do
      local declared = header:match("%f[%w_]" .. (inverted[name] or name) .. "[,;][^\n]*")
      assert.is_truthy(declared, "sluice.h has no option " .. name)
      if options.words[name] then
        for _, word in ipairs(options.words[name]) do
          assert.is_truthy(declared:find('"' .. word .. '"', 1, true), declared)
        end
      end
      assert.is_truthy(read("lua/program.c"):find("%f[%w_]" .. name .. "%f[^%w_]"), "lua/program.c has no option " .. name)
    end
  end)

  it("of the header are all in the table", function()
    local count, known = 0, { no_repairs = true, no_validation = true }
    for name in header:gsub("/%*.-%*/", ""):gmatch "%*?([%l_]+)[,;]" do
      assert.is_truthy(options.kinds[name] or known[name], name)
      count = count + 1
    end
    local wanted = 0
    for _ in pairs(options.kinds) do
      wanted = wanted + 1
    end
    assert.are.equal(wanted, count)
  end)

  it("and the words of each are what a stream accepts", function()
    local sluice = require "sluice"
    for name, words in pairs(options.words) do
      for _, word in ipairs(words) do
        assert.is_truthy(sluice.stream("hermes", { [name] = word }))
      end
      assert.has_error(function()
        sluice.stream("hermes", { [name] = "nonsense" })
      end)
    end
  end)
end)

describe("the types of events", function()
  it("are the same in the header and the bindings", function()
    local enum = read("core/include/sluice.h"):match "typedef enum sluice_event_type {(.-)} sluice_event_type;"
    local names = {}
    for name in enum:gsub("/%*.-%*/", ""):gmatch "SLUICE_([%u_]+)" do
      names[#names + 1] = name:lower()
    end
    assert.are.same(options.events, names)
    assert.are.same(sorted(options.events), quoted(read("bindings/python/sluice/_types.py"):match "EventType = ([^\n]+)"))
    local seen = {}
    for name in read("bindings/js/src/index.d.ts"):match "export type Event =?(.-)\n\n":gmatch 'type: ("[^;}]+)' do
      for _, word in ipairs(quoted(name)) do
        seen[#seen + 1] = word
      end
    end
    assert.are.same(sorted(options.events), sorted(seen))
  end)
end)
