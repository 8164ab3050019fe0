--- File operations between *** Begin Patch and *** End Patch: a new file as lines after `+`, or a diff as it is.
-- Origin: OpenAI's Codex; GPT-4.1 and GPT-5 also write it in other agents, sometimes as a shell's here-document.

local P, S, C = lpeg.P, lpeg.S, lpeg.C

local blank, path = S " \t"^0, S " \t"^0 * -(P "***" + "File:") * C((1 - S " \t" ^ 0 * -1)^1) * S " \t"^0
local heredoc = P "apply_patch <<" * S "'\""^-1 * "EOF" * S "'\""^-1 * blank
local stars = P "***" * P " "^-1
local begins, ends = stars * "Begin Patch" * P " ***"^-1 * blank, stars * "End Patch" * P " ***"^-1 * blank
local heading = "*** " * C(P "Add" + "Delete" + "Update") * " File:" * path
local boundary = P "*** " * (P "Add File:" + "Delete File:" + "Update File:") + begins + ends
local hunk = S " +-\\" + "@@" + "*** End of File" + -1

-- By kind of operation: the parameter that its lines are, the pattern of such a line, and where its text begins.
local bodies = { Add = { key = "content", line = P "+", from = 2 }, Update = { key = "diff", line = -boundary, from = 1 } }

-- Reads an operation, and what stands between it and the next: it may have been part of it. With a line that is of no hunk, this operation
-- is in doubt, and so are those after it. Returns false if there is none.
local function operation(l, patch)
  local ended = l.ended()
  local kind, file = l.take(heading)
  if not kind then
    return false
  end
  l.call(kind:lower() .. "_file")
  l.value("path", file)
  if not patch.exact then
    l.mended()
  end
  local to = kind == "Update" and l.take(P "*** Move to:" * path)
  if to then
    l.value("move_to", to)
  end
  local body = bodies[kind]
  if body then
    l.value(body.key, "")
  end
  while body and l.peek() and body.line:match(l.peek()) do
    patch.unknown = patch.unknown or not hunk:match(l.peek())
    l.more(l.line():sub(body.from) .. "\n")
  end
  local unclear = patch.unknown
  while l.peek() and not boundary:match(l.peek()) do
    unclear = l.line():find "%S" or unclear
  end
  local unclosed = not l.peek() or begins:match(l.peek())
  if unclear or unclosed then
    ((unclear or body or not ended) and l.cut or l.mended)()
  end
  l.done()
  return true
end

local function read(l)
  l.take(heredoc)
  local patch = { exact = l.take(P "*** Begin Patch" * blank) }
  if not (patch.exact or l.take(begins)) then
    return false
  end
  local any = operation(l, patch)
  while operation(l, patch) do end
  if any and l.take(ends) then
    l.take(P "EOF" + ends)
  end
  return any
end

local function write(call)
  local a, kind = call.arguments, call.name:match "^(%l+)_file$"
  if not (kind and a.path) then
    return nil, "a patch adds, deletes or updates a file"
  end
  return ("*** Begin Patch\n*** %s File: %s\n"):format(kind:gsub("^%l", string.upper), a.path)
    .. (a.move_to and ("*** Move to: %s\n"):format(a.move_to) or "") .. (a.content or ""):gsub("[^\n]*\n", "+%0") .. (a.diff or "")
    .. "*** End Patch"
end

return s.syntax {
  api = 3, name = "apply_patch", family = "agent",
  origin = "openai/codex", source = "https://github.com/openai/codex/tree/main/codex-rs/apply-patch",
  call = { at = "line", s.lines({ "apply_patch <<", "*** Begin Patch", "***Begin Patch",
    "*** Add File:", "*** Delete File:", "*** Update File:" }, read, write) }, -- the latter are text outside of a patch, with an error
  between = "\n",
  values = { default = "string" },
  tools = { "add_file", "delete_file", "update_file" },
  examples = { {
    deviates = true, -- each call is written as a patch of its own
    text = "*** Begin Patch\n*** Add File: a.txt\n+x\n+y\n*** Update File: b.py\n@@ def f():\n-    a\n+    b\n*** End Patch",
    calls = { { name = "add_file", arguments = s.ordered { { "path", "a.txt" }, { "content", "x\ny\n" } } },
      { name = "update_file", arguments = s.ordered { { "path", "b.py" }, { "diff", "@@ def f():\n-    a\n+    b\n" } } } },
  } },
}
