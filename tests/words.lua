--- The tests of the words, see tests/spec/words_spec.lua. A case is the fields of a syntax, and `text` that is written and means `calls`,
-- other texts that it `reads`, what its `grammar` contains, or what is `wrong`.

local M = {}

M.also = {
  { [[{ "<call>", s.also "json", s.json(), "</call>" }]], grammar = [["<call>" f]],
    reads = { ['<call>json{"name": "f", "arguments": {}}</call>'] = "f {}" } },
}

M.any = {
  { [[{ s.any { "<call>", s.also "<tool>" }, s.json(), s.any { "</call>", "</tool>" } }]], grammar = [["<call>" f]],
    reads = { ['<tool>{"name": "f", "arguments": {}}</tool>'] = "f {}" } },
  -- the first that can carry the call is written
  { [[{ "<call ", s.name(), s.any { { "=", s.value { key = "text", line = true } }, { ">\n", s.value { key = "text" } } }, "</call>" }]],
    text = "<call f>\na\nb</call>", calls = 'f {"text":"a\\nb"}' },
  { [[{ "<call>", s.any { s.json() } }]], wrong = "expected a list of at least two alternatives" },
  { [[{ "<call>", s.any { s.also "a", s.also "b" }, s.json() }]], wrong = "none is written" },
  { [[{ "<call ", s.name(), ">", s.params { s.any { { s.key(), "<", s.value(), ">" }, { s.key(), ":", s.value(), ";" } } }, "</call>" }]],
    wrong = "only the first alternative that begins with s.key() is ever read: put it before the s.any" },
  { [[{ "<call ", s.name(), ">", s.params { s.key(), " = ", s.any { { "<<", s.value(), ">>;" }, { s.value { json = true }, ";" } } },
    "</call>" }]], reads = { ["<call f>text = a;</call>"] = 'f {"text":"a"}', -- the white space before it is none of the value's
      ['<call f>text = "a;</call>'] = 'incomplete f {"text":"\\"a"}' } },
}

M.args = {
  { [[{ "<call ", s.name(), ">", s.args(), "</call>" }]], text = '<call f>{"x": 1}</call>', calls = 'f {"x":1}',
    grammar = [["<call f>" arguments-f]],
    reads = { ["<call f>{x: 1,}</call>"] = 'recovered f {"x":1}', ['<call f>{"text": "a'] = 'incomplete f {"text":"a"}' } },
  { [[{ "[", s.name(), "(", s.args "python", ")]" }]], reads = { ["[f(x=1, list=['a', 'b'])]"] = 'f {"x":1,"list":["a","b"]}' },
    grammar = [["[f("]] },
  { [[{ "<call ", s.name(), ">", s.args { quote = "<q>" }, "</call>" }]], text = "<call f>{text:<q>a<q>,x:1}</call>",
    calls = 'f {"text":"a","x":1}' },
  { [[{ "<call ", s.name(), ">", s.args { quote = "'" }, "</call>" }]], text = "<call f>{text:'a',x:1}</call>",
    calls = 'f {"text":"a","x":1}' },
  { [[{ "<call ", s.name(), ">", s.args { raw = "text" }, "</call>" }]], reads = { ["<call f>ls -l</call>"] = 'f {"text":"ls -l"}' } },
  { [[{ "<call ", s.name(), ">", s.args "kwargs", "</call>" }]], wrong = "python" },
}

M.attrs = {
  { [[{ "<call", s.attrs { name = s.name() }, ">", s.args(), "</call>" }]], text = '<call name="f">{"x": 1}</call>', calls = 'f {"x":1}',
    grammar = [["<call name=\"f\">"]], reads = { ["<call name='f' >{}</call>"] = "f {}", ["<call name=f>{}</call>"] = "f {}" } },
  { [[{ "<call", s.attrs { { "name", s.name() }, { "n", s.match(lpeg.P(1)^0, "") } }, ">", s.args(), "</call>" }]],
    reads = { ['<call n="1" name="f">{}</call>'] = "f {}" } },
  { [[{ "<call", s.attrs { { "n", s.match(lpeg.R "09"^1, "{index}") }, { "name", s.name() } }, ">", s.args(), "</call>" }]],
    text = '<call n="1" name="f">{"x": 1}</call>', calls = 'f {"x":1}' },
  { [[{ "<call ", s.name(), ">", s.params { "<p", s.attrs { { "name", s.key() }, type = { "string", { ["true"] = "string",
    ["false"] = "json" } } },
      ">", s.value(), "</p>" }, "</call>" }]],
    text = '<call f><p name="x" string="false">1</p><p name="text" string="true">2</p></call>', calls = 'f {"x":1,"text":"2"}' },
  { [[{ "<call", s.attrs { a = s.name(), b = s.key() }, ">" }]], wrong = "several attributes need an order" },
  { [[{ s.name "f", "<call", s.attrs { a = s.value { key = "text", entities = true } }, ">" }]], wrong = "`entities` is one of s.attrs" },
  { [[{ "<call", s.attrs { a = s.name "f" }, ">" }]], wrong = "without other options" },
}

M.calls = {
  { [[{ "<calls>\n", s.calls { "<call ", s.name(), ">", s.args(), "</call>", between = "\n" }, "\n</calls>" }]],
    grammar = [[("\n<call f>" item)* "\n</calls>"]] }, -- a lexer cannot take the separator for the closer
  { [[{ "<calls>", s.calls { s.json(), between = "\n" }, "</calls>" }]], grammar = [["<calls>"]],
    reads = { ['<calls>{"name": "f", "arguments": {}}{"name": "g", "arguments": {}}</calls>'] = "f {}; g {}" } },
  { [[between = "\n", call = { "<calls>", s.calls { separate = true, s.json() }, "</calls>" }]],
    text = '<calls>{"name": "f", "arguments": {}}</calls>\n<calls>{"name": "g", "arguments": {}}</calls>', calls = "f {}; g {}" },
}

M.capture = {
  { [[{ "<call:", s.capture("mark", "a1"), ">", s.json(), "</call:", s.same "mark", ">" }]],
    reads = { ['<call:b2>{"name": "f", "arguments": {}}</call:b3>'] = "incomplete f {}",
      ['<call:b2>{"name": "f", "arguments": {}}</call:b2><call:b3>{"name": "g", "arguments": {}}</call:b3>'] = "f {}; g {}" },
    text = '<call:zz>{"name": "f", "arguments": {"x": 1}}</call:zz>', calls = 'f {"x":1}', grammar = [["<call:a1>" f]] },
  { [[{ "<call:", s.capture("key", "a"), ">", s.json() }]], wrong = [[needs a name other than "key" and "name"]] },
  { [[{ "<call:", s.capture "mark", ">", s.json() }]], wrong = "needs the text to write" },
}

M.given = {
  { [[{ "<all>\n", s.calls { "<", s.given(), ">", s.args(), "</", s.same "name", ">", between = "\n" }, "\n</all>" }]],
    text = '<all>\n<f>{"x": 1}</f>\n<g>{}</g>\n</all>', calls = 'f {"x":1}; g {}' },
  { [[{ "<all>", s.calls { "<", s.given(), ">", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">" },
    "</", s.same "name", ">" }, "</all>" }]], reads = { ["<all><f><flag>1 <foo</flag></f><g></g></all>"] = 'f {"flag":"1 <foo"}; g {}' } },
  { [[{ "<", s.given(), ">", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "</", s.same "name", ">" }]],
    grammar = [["<f>"]], reads = { ["<p>text</p>"] = "content <p>text</p>", ["<g></g>"] = "g {}" } },
}

M.id = {
  { [[{ "[CALL]", s.name(), "[ID]", s.id(), "[ARGS]", s.args(), "[END]" }]], text = '[CALL]f[ID]c7[ARGS]{"x": 1}[END]', calls = 'f {"x":1}',
    grammar = '"[CALL]f[ID]', written = '[CALL]f[ID]call_1[ARGS]{"x": 1}[END]' },
  { [[{ "[ID]", s.id(lpeg.P "a"), s.json() }]], wrong = "not a word or a pattern" },
}

M.json = {
  { [[{ "<call>", s.json { answers = { "say" } }, "</call>" }]], reads = { ['<call>{"name": "say", "arguments": "x"}</call>'] = "content x",
    ['<call>{"name": "f", "arguments": "x"}</call>'] = 'content <call>{"name": "f", "arguments": "x"}</call>' } },
  { [[{ "<call>", s.json(), "</call>" }]], text = '<call>{"name": "f", "arguments": {"x": 1}}</call>', calls = 'f {"x":1}',
    grammar = [["<call>" f "</call>"]] },
  { [[{ "<call>", s.json { name = { "tool", "name" }, args = "*" }, "</call>" }]], text = '<call>{"tool": "f", "x": 1}</call>',
    calls = 'f {"x":1}', reads = { ['<call>{"name": "f", "x": 1}</call>'] = 'f {"x":1}' } },
  { [[{ "<call>", s.json { args = "*", members = { { "name" }, { "done" } } }, "</call>" }]], text = '<call>{"name": "f", "x": 1}</call>',
    calls = 'f {"x":1}', reads = { ['<call>{"name": "f", "x": 1, "done": true}</call>'] = 'f {"x":1}' } },
  { [[{ "<call>", s.json { each = "calls.*" }, "</call>" }]],
    text = '<call>{"calls": [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]}</call>', calls = "f {}; g {}" },
  { [[{ "Call:", " tool ", s.json(), " end" }]], text = 'Call: tool {"name": "f", "arguments": {}} end', calls = "f {}",
    reads = { ['Call:tool {"name": "f", "arguments": {}}\nend'] = "f {}" } }, -- no word ends before these literals
  { [[{ "<call>", s.json { name = "*" }, "</call>" }]], text = '<call>{"f": {"x": 1}}</call>', calls = 'f {"x":1}' },
  { [[{ "<call>", s.json { strict = true }, "</call>" }]],
    reads = { ['<call>{"name": "f"}</call>'] = 'content <call>{"name": "f"}</call>' } },
  { [[{ "<call>", s.json { members = { { "id", "string", default = "c1" }, { "name" }, { "arguments" } } }, "</call>" }]],
    reads = { ['<call>{"name": "f", "arguments": {}}</call>'] = "incomplete f {}" } },
  { [[{ "<call>", s.json { each = "a.b" }, "</call>" }]], wrong = [[must be "*", "key.*" or "key"]] },
}

M.key = {
  { [[{ "<call ", s.name(), ">", s.params { "<p>\n", s.key(), "\n<v>", s.value(), "</v>" }, "</call>" }]],
    text = "<call f><p>\nx\n<v>1</v></call>", calls = 'f {"x":1}' }, -- on the next line, where it is written
  { [[{ "<call ", s.name(), ">", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "</call>" }]],
    text = "<call f><x>1</x></call>", calls = 'f {"x":1}', grammar = [["<x>" integer "</x>"]] },
  { [[{ "<call ", s.name(), ">", s.params { "<", s.key(lpeg.R "az"^1 * -1), ">", s.value(), "</p>" }, "</call>" }]],
    reads = { ["<call f><text>a<1>b</p></call>"] = 'f {"text":"a<1>b"}' } },
}

local read = [[function(l)
  local name = l.take("!" * lpeg.C(lpeg.R "az"^1))
  if not (name and l.known(name)) then return false end
  l.call(name)
  l.value("text", "")
  while l.peek() and not l.take(lpeg.P "!") do l.more(l.line() .. "\n") end
  return true
end]]
local form = [[{ "!", s.name(), "\n", s.value { key = "text" }, { at = "line", "!" } }]]
M.lines = {
  { ([[{ at = "line", s.lines("!", %s, nil, %s) }]]):format(read, form), text = "!f\na\nb\n!", calls = 'f {"text":"a\\nb\\n"}',
    grammar = [["!f\n" lines]],
    reads = { ["Hi.\n!f\na\n!\nDone."] = 'f {"text":"a\\n"}; content Hi.\n\nDone.', ["!h\na\n!"] = "content !h\na\n!" } },
  { ([[{ at = "line", s.lines("!", %s, function(call) return "!" .. call.name .. "\n" .. call.arguments.text .. "!" end) }]]):format(read),
    text = "!f\na\n!", calls = 'f {"text":"a\\n"}', grammar = "a block that a function reads" },
  -- `read` gives up, or forgets to return true
  { [[{ at = "line", s.lines("!", function(l) l.line() l.call "f" l.value("text", l.line()) l.value("x", l.line()) end) }]],
    reads = { ["!\na\n1\n"] = 'incomplete f {"text":"a","x":1}', ["!\na\n1\nb"] = 'incomplete f {"text":"a","x":1}; content \nb' } },
  { [[{ at = "line", s.lines("!", function(l) l.line() l.call "f" l.value("list", l.line()) return true end) }]],
    reads = { ["!\n [\"a\"]\n"] = 'f {"list":["a"]}', ["!\n a\n"] = 'f {"list":[" a"]}' } },
  { [[{ at = "line", s.lines("!", true) }]], wrong = "its second argument must be a function" },
  { [[{ at = "line", s.lines({}, function() end) }]], wrong = "its first argument" },
}

M.lost = {
  { [[{ s.lost "<calls>", s.calls { "<call ", s.name(), ">", s.args(), "</call>" }, "</calls>" }]], grammar = [["<calls>]],
    reads = { ["<call f>{}</call></calls>"] = "recovered f {}", ["<calls><call f>{}</call>"] = "recovered f {}" } },
}

M.match = {
  { [[{ "call", s.match(" #" * lpeg.R "09"^1 * -1, " #{index}"), ": ", s.json() }]], grammar = [["call #"]],
    reads = { ['call #12: {"name": "f", "arguments": {}}'] = "f {}", ['call #x: {"name": "f", "arguments": {}}'] =
      'content call #x: {"name": "f", "arguments": {}}' } },
  { [[{ "<", s.match(lpeg.Ct("t:" * lpeg.Cg(lpeg.R "az"^1, "name")) * -1, function(call) return "t:" .. call.name end), ">", s.args() }]],
    text = '<t:f>{"x": 1}', calls = 'f {"x":1}', grammar = [["<t:f>"]] },
  { [[{ "<", s.match(lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name") * " " * lpeg.Ct(lpeg.Cc "m" * lpeg.C(lpeg.R "az"^1))) * -1,
    function(call) return call.name .. " " .. (call.arguments.m or "a"), { "m" } end), ">", s.args(), ";" }]],
    reads = { ['<f a>{"x": 1};'] = 'f {"m":"a","x":1}', ['<f a>"{\\"x\\": 1}";'] = 'f {"m":"a","x":1}', ['<f a>"{}";'] = 'f {"m":"a"}' } },
  { [[{ "<", s.match(lpeg.P "x"), ">", s.json() }]], wrong = "needs what to write" },
  { [[{ "<", s.match(lpeg.Ct(lpeg.Cg(lpeg.R "az"^1, "name") * "?" * lpeg.Ct(lpeg.Cc "text" * lpeg.C(lpeg.P(1)^0))) * -1,
    function(call) return call.name .. "?" .. call.arguments.text, call.arguments.text and { "text" } end), ">" }]],
    text = "<f?a>", calls = 'f {"text":"a"}', grammar = "cannot express the parameter 'text', which a function writes" },
}

M.name = {
  { [[{ "<call ", s.name(), ">", s.args(), "</call>" }]], grammar = [["<call f>"]],
    reads = { ["<call  f >{}</call>"] = "f {}", ["<call f\n>{}</call>"] = "f {}", ["<callf>{}</call>"] = "content <callf>{}</call>" } },
  { [[{ "<call ", s.name(lpeg.R "af" * -1), ">", s.args(), "</call>" }]], reads = { ["<call h>{}</call>"] = "content <call h>{}</call>" } },
  { [[{ s.name "f", "<run>", s.value { key = "text" }, "</run>" }]], text = "<run>a</run>", calls = 'f {"text":"a"}',
    grammar = [["<run>"]] },
  { [[{ "call ", s.name(), " ", s.value { key = "text" } }]], wrong = "only white space follows it" },
  { [[{ "@call ", s.name(), ": ", s.value { key = "text" }, "\n" }]], wrong = "only white space follows it" },
  { [[{ "call ", s.name { pattern = 1 }, ":", s.args() }]], wrong = "must be an LPeg pattern" },
  { [[{ "<", s.args(), s.name(), ">" }]], wrong = "put the name first" },
}

M.opt = {
  { [[{ "<call ", s.name(), ">", s.params { "<arg ", s.key(), ">", s.value(), "</arg>" }, s.opt "</all>", "</call>" }]],
    text = "<call f><arg text>a</arg></all></call>", calls = 'f {"text":"a"}',
    reads = { ["<call f><arg text>a</arg></call>"] = 'f {"text":"a"}' } },
  { [[{ "<call ", s.name(), ">", s.params { "[a:", s.opt "~", s.key(), "]", s.value(), s.opt "[!]", "[/a]" }, "</call>" }]],
    text = "<call f>[a:~x]1[!][/a][a:~text]b[!][/a]</call>", calls = 'f {"x":1,"text":"b"}',
    reads = { ["<call f>[a:x]1[/a][a:~text]b[!][/a]</call>"] = 'f {"x":1,"text":"b"}' } },
  { [[{ s.name "f", "<run>", s.opt "~", s.value { key = "text" }, "</run>" }]], text = "<run>~</run>", calls = 'f {"text":""}',
    reads = { ["<run></run>"] = 'f {"text":""}' } },
  { [[{ "<call>", s.json(), s.opt "</call>" }]], text = '<call>{"name": "f", "arguments": {"x": 1}}</call>', calls = 'f {"x":1}',
    reads = { ['<call>{"name": "f", "arguments": {"x": 1}}'] = 'f {"x":1}' } },
  -- a parameter that begins it is absent if it is empty
  { [[{ "<call ", s.name(), ">\n", s.opt { s.value { key = "text" }, "\n" }, "</call>" }]], text = "<call f>\nhi\n</call>",
    calls = 'f {"text":"hi"}', reads = { ["<call f>\n</call>"] = "f {}" } },
}

M.params = {
  { [[{ "call ", s.name(), "(", s.params { s.key(), ": ", s.value(), between = " | " }, ")" }]], text = "call f()", calls = "f {}" },
  { [[{ "<call ", s.name(), ">", s.params { "<p ", s.key(), ">", s.value(), "</p>", between = ", " }, "</call>" }]],
    text = "<call f><p x>1</p>, <p text>a, b</p></call>", calls = 'f {"x":1,"text":"a, b"}', grammar = [[", <p list>"]] },
  { [[{ "@call ", s.name(), ": ", s.params { "set ", s.key(), " to ", s.value(), ";\n" }, "@end" }]], -- words of literals in other words
    text = "@call f: set subtotal to a reset b;\n@end", calls = 'f {"subtotal":"a reset b"}' },
  { [[{ "<call ", s.name(), ": ", s.params { s.key(), "=", s.value(), between = " and " }, ">" }]],
    text = "<call f: text=a brand and x=1>", calls = 'f {"text":"a brand","x":1}' },
  { [[{ "call ", s.name(), "(", s.params { s.key(), "=", s.value(), between = "," }, ")" }]], -- no opener inside of a word
    reads = { ["I recall f(x=1)"] = "content I recall f(x=1)", ["I call f(x=1)"] = 'f {"x":1}; content I ' } },
  { [[{ "<call ", s.name(), ">\n", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">\n" }, "</call>" }]],
    reads = { ["<call f>\nwell\n<x>1</x>\n</call>"] = 'incomplete f {"x":1}' } },
  { [[{ "<call ", s.name(), ">", s.params { "--", s.key(), '="', s.value(), '"' }, "</call>" }]], -- a closer that any text may have
    reads = { ['<call f>--text="a b"--x="1"</call>'] = 'f {"text":"a b","x":1}' } },
  { [[{ "@@", s.name(), ":", s.params { " <", s.key(), "=", s.value(), ">" } }]], -- nothing closes the call
    reads = { ["@@f: <text=a> <x=1>\n@@f: <x=2>"] = 'f {"text":"a","x":1}; f {"x":2}' } },
  { [[{ "<call ", s.name(), ">", s.params { "(", s.key(), ": ", s.value { line = true }, ")" }, "</call>" }]],
    text = "<call f>(text: a)</call>", calls = 'f {"text":"a"}', grammar = [=[")" | [^)\n] text]=] },
  { [[{ "<call ", s.name(), ">", s.params { nested = "item", "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "</call>" }]],
    text = "<call f><list><item>a</item><item>b</item></list></call>", calls = 'f {"list":["a","b"]}' },
  { [[{ "<call ", s.name(), ">", s.params { nested = "item", "<", s.key(), ">", s.value { entities = true }, "</", s.same "key", ">" },
      "</call>" }]], reads = { ["<call f><list><item>a &lt; b</item></list></call>"] = 'f {"list":["a < b"]}' } },
  { [[{ "<call ", s.name(), ">", s.params { "<p ", s.key(), ">", s.value(), "</p>" }, "<b>", s.value { key = "text" }, "</b>" }]],
    text = "<call f><p x>1</p><b>a</b>", calls = 'f {"x":1,"text":"a"}', grammar = [[("<p list>" list "</p>")? "<b>"]] },
  { [[{ "<call ", s.name(), ">", s.params { "<p ", s.key(), ">", s.value(), "</p>" }, "<b>", s.params { "<q ", s.key(), ">",
      s.value(), "</q>" }, "</b>" }]], text = "<call f><p x>1</p><b></b>", calls = 'f {"x":1}', grammar = [["</p>")? "<b></b>"]] },
  { [[{ "<call ", s.name(), ">", s.any { { "<a>", s.params { "<p ", s.key(), ">", s.value { line = true }, "</p>" } },
      { "<b>", s.params { "<q ", s.key(), ">", s.value(), "</q>" } } }, "</call>" }]], grammar = '"<q text>"' },
  { [[{ "call ", s.name(), ":\n", s.params { "- ", s.key(), ": ", s.value(), ";\n" }, "\n" }]],
    wrong = "only white space ends the call after it: end the block with a literal that is not white space" },
}

M.same = {
  { [[{ "{{", s.name(), "}}", s.params { "<", s.key(), ">", s.value(), "</", s.same "key", ">" }, "{{/", s.same "name", "}}" }]],
    grammar = [["<x>" integer "</x>"]], reads = { ["{{f}}<text>a</x>b</text>{{/f}}"] = 'f {"text":"a</x>b"}' } },
  { [[{ "<call ", s.name(), ">", s.args(), "</", s.same "suffix", ">" }]], wrong = "the name of an s.capture" },
}

M.section = {
  { [[{ at = "start", s.section { s.json { each = "*" }, s.json(), "\n---\n" } }]],
    reads = { ['[]\n---\nHi'] = "content Hi", ['[oops]\n---\nHi'] = "content Hi", ["Hi"] = "content Hi" } },
  { [[{ at = "start", s.section { s.json() } }]], wrong = "expected a list of calls, a call, and a literal" },
}

M.text = {
  { [[blocks = { { "<call>", s.json(), "</call>" }, { "<say>\n", s.text(), "\n</say>" } }]],
    reads = { ["<say>\nHello\n</say>"] = "content Hello",
      ['<say>\nA\n</say><call>{"name": "g", "arguments": {}}</call>'] = "g {}; content A" } },
}

M.think = {
  { [[blocks = { { "<call>", s.json(), "</call>" }, { "<plan>", s.think(), "</plan>" } }]],
    reads = { ["<plan>First.</plan>"] = "reasoning First.", ["<plan>Cut"] = "reasoning Cut" } },
  { [[{ "<call>", s.opt { "<plan>", s.think(), "</plan>" }, s.json(), "</call>" }]], wrong = "give it a block of its own" },
}

M.tok = {
  { [[{ s.tok "<call>", s.json(), s.tok "</call>" }]], grammar = [["<call>" f]],
    reads = { ['<call>{"name": "f", "arguments": {"x": 1}}'] = 'recovered f {"x":1}' } },
  { [[{ s.tok " ", s.json() }]], wrong = "a token is not white space alone" },
  { [[{ s.tok {}, s.json() }]], wrong = "must be a text that is not empty" },
}

M.value = {
  { [[{ s.name "f", "<run>", s.value { key = "text" }, "</run>" }]], text = "<run> a\n</run>", calls = 'f {"text":" a\\n"}',
    grammar = [["<run>" text]] },
  { [[{ "<run ", s.name(), ">\n", "text: ", s.value { key = "text" }, "\n", "</run>" }]],
    reads = { ["<run f>\ntext: a\n</run>"] = 'f {"text":"a"}' } }, -- a key that is a word of its literal
  { [[{ s.name "f", "<run>\n", s.value { key = "text" }, "\n</run>" }]], text = "<run>\n\na\n</run>", calls = 'f {"text":"\\na"}' },
  { [[{ "<run ", s.name(), ">\n", s.params { "- ", s.key(), ": ", s.value(), "\n" }, "END" }]], -- a word behind a newline begins a line
    text = "<run f>\n- text: the BACKEND - x: y\nEND", calls = 'f {"text":"the BACKEND - x: y"}' },
  { [[{ "<run ", s.name(), ">\n", s.params { "- ", s.key(), ": ", s.value(), "\n", between = " | " }, "END" }]], -- each end has its own
    text = "<run f>\n- x: 1\n | - text: a\nEND", calls = 'f {"x":1,"text":"a"}' },
  { [[{ "<run ", s.name(), ">\n", s.params { "- ", s.key(), ": ", s.value(), between = "\n" }, "\nEND" }]],
    text = "<run f>\n- x: 1\n- text: a\nEND", calls = 'f {"x":1,"text":"a"}' },
  { [[{ s.name "f", "<run>", "\n", s.value { key = "text" }, s.opt "~", "\n</run>" }]], text = "<run>\na~\n</run>",
    calls = 'f {"text":"a"}', reads = { ["<run>\na\n</run>"] = 'f {"text":"a"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text" }, s.also "\n~", " </run>" }]], text = "<run>a </run>", calls = 'f {"text":"a"}' },
  { [[{ s.name "f", "<run>\n", s.opt "~", s.value { key = "text" }, "</run>" }]], wrong = "would be part of the value" },
  { [[{ s.name "f", "<run>\n", s.value { key = "text", trim = "lines" }, "</run>" }]], wrong = 'trim = "lines" drops a newline' },
  { [[{ "<run ", s.name(), ">\n", s.value { key = "text" }, s.any { "\n  END", "STOP" } }]], text = "<run f>\na\n  END",
    calls = 'f {"text":"a"}', reads = { ["<run f>\naSTOP"] = 'f {"text":"a"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", trim = true }, "</run>" }]], reads = { ["<run>\n a \n</run>"] = 'f {"text":"a"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", trim = "fence" }, "</run>" }]],
    reads = { ["<run>\n```sh\nls\n```\n</run>"] = 'recovered f {"text":"ls"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", trim = "lines" }, "</run>" }]], text = "<run>\na\nb\n</run>",
    calls = 'f {"text":"a\\nb"}', reads = { ["<run>a</run>"] = 'f {"text":"a"}' } },
  { [[{ s.name "f", "<run>", s.value { key = "text", entities = true }, "</run>" }]],
    reads = { ["<run>a &lt; b</run>"] = 'f {"text":"a < b"}' } },
  { [[{ s.name "f", "<run>\n", s.value { key = "text" }, { at = "line", "END" } }]], text = "<run>\na END\nb\nEND",
    calls = 'f {"text":"a END\\nb\\n"}' },
  { [[{ s.name "f", "<run>", s.value { key = "x" }, "</run>" }]], text = "<run>12</run>", calls = 'f {"x":12}',
    grammar = [["<run>" integer "</run>"]] },
  { [[{ "<run>", s.value { trimm = true }, "</run>" }]], wrong = "did you mean 'trim'?" },
  { [[{ "<run>", s.value { trim = "all" }, "</run>" }]], wrong = 'must be true, "fence" or "lines"' },
}

return M
