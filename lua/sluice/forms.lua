--- The fixed calls of a format: a description that names its tools, or its parameters, has no others.
--
-- A format for edits or commands says `s.name { is = "edit" }` and `s.value { key = "path" }`. Code that writes calls, invents some for
-- a test, or shows one in a prompt asks here which calls there are.

local M = {}

-- Words that accept parameters of any name.
local open = { parameters = true, arguments = true, object = true, header = true, items = true, key = true }

local function merged(ways, more)
  local out = {}
  for _, way in ipairs(ways) do
    for _, other in ipairs(more) do
      local both = { name = way.name or other.name, any = way.any or other.any }
      for i, member in ipairs(way) do
        both[i] = member
      end
      for _, member in ipairs(other) do
        both[#both + 1] = member
      end
      out[#out + 1] = both
    end
  end
  return out
end

local ways_of

-- The ways through a list of words.
local function sequence(list, optional)
  local ways = { {} }
  for i = 1, #list do
    ways = merged(ways, ways_of(list[i], optional))
  end
  return ways
end

-- Each way through a word: its fixed name, if any, its parameters { key, optional, line (one line), lines (whole lines) }, and `any` if
-- it accepts other parameters.
function ways_of(node, optional)
  local word = node.word
  if word == "any" then
    local all, plain = {}, false
    for i = 1, #node do
      for _, way in ipairs(ways_of(node[i], optional)) do
        local empty = not (way.name or way.any or way[1])
        all[#all + 1] = not (empty and plain) and way or nil -- one empty way is enough
        plain = plain or empty
      end
    end
    return all
  elseif word == "name" and node.is then
    return { { name = node.is } }
  elseif word == "attributes" then
    local way = {}
    for _, pair in ipairs(node.list) do
      if pair[2].word == "value" then
        way[#way + 1] = { key = pair[2].key, optional = true, line = true }
      end
      way.any = way.any or pair[2].word == "key"
    end
    return { way }
  elseif word == "arguments" and node.raw then
    return { { any = true } }
  elseif (word == "value" or word == "block_text" or word == "carried") and node.key then
    return { { { key = node.key, optional = optional or word == "carried" or node.present, line = node.inline or node.to_line_end,
      lines = node.prefix ~= nil or node.lines ~= nil } } }
  elseif open[word] then
    return { { any = true } }
  elseif node.write == false then
    return { {} }
  end
  return sequence(node, optional or word == "optional" or word == "recoverable")
end

--- forms.of(description) -> a list of { name, { key, optional }... }, the forms of the format's calls, name nil if any name is allowed;
-- or nil if calls can have parameters that the script does not name.
function M.of(description)
  local out, by_name = {}, {}
  for _, block in ipairs(description.blocks or {}) do
    for _, way in ipairs(ways_of(block)) do
      if way.any then
        return nil
      elseif way.name or way[1] then
        local form = by_name[way.name or ""]
        if not form then
          form = { name = way.name, keys = {} }
          by_name[way.name or ""], out[#out + 1] = form, form
          for _, member in ipairs(way) do
            form[#form + 1] = member
          end
        end
        local here = {}
        for _, member in ipairs(way) do
          here[member.key] = true
        end
        for _, member in ipairs(form) do -- optional if one way lacks it
          form.keys[member.key] = true
          member.optional = member.optional or not here[member.key]
        end
        for _, member in ipairs(way) do
          if not form.keys[member.key] then
            form.keys[member.key] = true
            member.optional = true
            form[#form + 1] = member
          end
        end
      end
    end
  end
  return out[1] and out or nil
end

--- forms.named(description) -> the same by name, and the names in order; nil if any name is allowed.
function M.named(description)
  local forms = M.of(description)
  local by_name, names = {}, {}
  for _, form in ipairs(forms or {}) do
    if not form.name then
      return nil
    end
    by_name[form.name], names[#names + 1] = form, form.name
  end
  return forms and by_name, names
end

return M
