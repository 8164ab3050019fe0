--- An edit as JSON between @@start and @@end, its lines of code after @@code. Origin: Mentat, its block format.

local P, S, C, Cs, Ct = lpeg.P, lpeg.S, lpeg.C, lpeg.Cs, lpeg.Ct

local blank = S " \t"^0
local start, code, ending = P "@@start" * blank, P "@@code" * blank, P "@@end" * blank
local escape = P "\\n" / "\n" + P "\\t" / "\t" + P "\\" / "" * P(1)
local text = '"' * Cs((escape + (1 - S '"\\'))^0) * '"'
local members = (S " {}," + Ct(text * blank * ":" * blank * (text + C((1 - S ",}\" ")^1))))^0

local function read(l)
  if not l.take(start) then
    return false
  end
  local pairs_of, name, line = {}, nil, ""
  while l.peek() and not ((code + ending) * -1):match(l.peek()) do
    line = line .. l.line() .. " "
  end
  for _, pair in ipairs { (Ct(members) * -1):match(line) } do
    for _, one in ipairs(pair) do
      name = one[1] == "action" and one[2] or name
      pairs_of[#pairs_of + 1] = one[1] ~= "action" and one or nil
    end
  end
  if not name then
    return false
  end
  l.call(name)
  for _, one in ipairs(pairs_of) do
    l.value(one[1], one[2])
  end
  if l.take(code) then
    l.value("code", "")
    while l.peek() and not (ending * -1):match(l.peek()) do
      l.more(l.line() .. "\n")
    end
  end
  if not l.take(ending) then
    l.cut()
  end
  return true
end

local function write(call)
  local out = {}
  for _, pair in ipairs(call:pairs()) do
    out[#out + 1] = pair[1] ~= "code" and ('    "%s": %s'):format(pair[1], type(pair[2]) == "string"
      and '"' .. pair[2]:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"' or call:text(pair[2])) or nil
  end
  local body = call.arguments.code
  return ('@@start\n{\n    "action": "%s"%s%s\n}\n%s@@end'):format(call.name, out[1] and ",\n" or "", table.concat(out, ",\n"),
    body and "@@code\n" .. body or "")
end

return s.syntax {
  api = 3, name = "mentat", family = "agent",
  origin = "AbanteAI/mentat", source = "https://github.com/AbanteAI/mentat/blob/main/mentat/parsers/block_parser.py",
  call = { at = "line", s.lines("@@start", read, write) },
  between = "\n",
  tools = { "insert", "replace", "delete", "create-file", "delete-file", "rename-file" },
  examples = { {
    text = '@@start\n{\n    "action": "replace",\n    "file": "a.py",\n    "start-line": 1\n}\n@@code\nx = 1\n@@end',
    calls = { { name = "replace", arguments = s.ordered { { "file", "a.py" }, { "start-line", 1 }, { "code", "x = 1\n" } } } },
  } },
}
