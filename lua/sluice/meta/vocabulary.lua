---@meta
-- Made by docs/make.lua from lua/sluice/syntax.lua, lua/sluice/options.lua and docs/options.md: for language servers only.

---@class sluice.Word
---@field word string

---@alias sluice.Item string|sluice.Word|sluice.Item[]

---@class sluice.words.optional
---@field [integer] any
---@field write? any

---@class sluice.words.any
---@field [integer] any
---@field write? any

---@class sluice.words.calls
---@field [integer] any
---@field between? any
---@field separate_blocks? boolean

---@class sluice.words.parameters
---@field [integer] any
---@field nested? string

---@class sluice.words.name
---@field declared? boolean
---@field is? string
---@field pattern? any

---@class sluice.words.key
---@field pattern? any

---@class sluice.words.value
---@field carry? boolean
---@field entities? any
---@field fenced? boolean
---@field inline? boolean
---@field key? string
---@field lines? string
---@field multiline_only? boolean
---@field newlines? boolean
---@field pattern? any
---@field present? boolean
---@field to_line_end? boolean
---@field trim? boolean
---@field unquoted? boolean

---@class sluice.words.object
---@field answers? table
---@field anywhere? boolean
---@field arguments? any
---@field arguments_optional? boolean
---@field arguments_required? boolean
---@field defaults? table
---@field extra? table
---@field id? any
---@field ignored? table
---@field name? any
---@field name_as_key? boolean
---@field order? table
---@field python? boolean
---@field reasoning? table
---@field required? table
---@field scalar? string

---@class sluice.words.id

---@class sluice.words.items
---@field prefix? string

---@class sluice.words.block_text
---@field chomp? boolean
---@field indent? integer
---@field key? string
---@field prefix? string

---@class sluice.words.carried
---@field key? string

---@class sluice.words.extra
---@field default? string
---@field key? string

---@class sluice.words.member
---@field [integer] any
---@field anywhere? boolean
---@field fixed? table
---@field reasoning? table

---@class sluice.words.section
---@field [integer] any
---@field after? string
---@field close? table

---@class sluice.words.text

---@class sluice.words.number
---@field from? integer

---@class sluice.words.type
---@field map? table

---@class sluice.words.attributes
---@field [integer] any
---@field entities? boolean
---@field ignored? table
---@field key? any

---@class sluice.words.name_in_id
---@field counter? string
---@field from? integer
---@field prefix? string

---@class sluice.words.set
---@field [integer] any

---@class sluice.words.ordered
---@field [integer] any

---@class sluice.syntax
---@field api_min integer
---@field api_max integer
local words = {}

---may be absent; that is not a repair. Written, unless `write` is false.
---@param list sluice.words.optional
---@return sluice.Word
function words.optional(list) end

---should be present; if it is missing, the call is `recovered`, and what follows it may end a value. Written.
---@param x sluice.Item
---@return sluice.Word
function words.recoverable(x) end

---its literals must match exactly, white space included.
---@param x sluice.Item
---@return sluice.Word
function words.exact(x) end

---one of several. Strings: the longest that matches. Sequences: in order while the call is not announced, afterwards by their first literal. Written: the first. write: the number of the alternative to write, or a list of numbers to try in order (default: all).
---@param list sluice.words.any
---@return sluice.Word
function words.any(list) end

---one or more calls. Written: each call; with `separate_blocks` each in its own block.
---@param list sluice.words.calls
---@return sluice.Word
function words.calls(list) end

---zero or more parameters, in the order of the arguments. Anything else between them is skipped, up to the next opener or closer. nested: the members of an object are written as parameters inside its value, the items of an array under this name. Values that the schema declares as strings are not read so.
---@param list sluice.words.parameters
---@return sluice.Word
function words.parameters(list) end

---the tool's name: on one line, up to the next literal. is: the block itself means this tool; nothing is read. declared: only the name of a given tool (without tools, one of the field `tools`): an opener before it counts only together with such a name.
---@param options? sluice.words.name
---@return sluice.Word
function words.name(options) end

---a parameter's name: on one line, up to the next literal.
---@param options? sluice.words.key
---@return sluice.Word
function words.key(options) end

---a parameter's value as raw text up to the next word, typed by the tool's schema. key: a fixed parameter. inline: in the header, on one line, read before the call is announced; it must match `pattern`, and white space ends a name directly before it. The value is the text that the pattern captures, if it captures one. to_line_end: ends with its line. newlines: one newline on each side is dropped, and written around values of several lines. multiline_only: written only if the value has more than one line. trim: white space on both sides is dropped. fenced: a code fence around it is dropped. unquoted: double quotes around it are dropped. entities: entities such as &lt; are decoded; or a list of their names, {"lt", "gt"}. present: white space alone is not a value. carry: kept for s.carried in later blocks. lines: whole lines, each with its newline; the next literal begins a line. The string is the character that no line begins with, which grammars need.
---@param options? sluice.words.value
---@return sluice.Word
function words.value(options) end

---a JSON object that is a call. Each of name, arguments and id is a key or a list of spellings, of which the first is written. extra: a list of {key, default as JSON}: members for the call's `extra`. required: a map from keys to the kind of value they must have: "string", "object", "number", or "number?" (may be absent). name_as_key: {NAME: {...}}. arguments_required: an object without the argument key is not a call. python: written as a Python literal. order, defaults: the order of members, and values for members that the call lacks. arguments = "*": all other members are the arguments. scalar: a value other than an object is the value of this parameter, or of the tool's only parameter. answers: names that are not tools: their arguments are text. reasoning: members whose strings are reasoning. ignored: members without meaning. arguments_optional: even without a marker it needs no arguments. anywhere: it may begin in the middle of the text, not only of the message.
---@param options? sluice.words.object
---@return sluice.Word
function words.object(options) end

---the model's own call id, as text.
---@param options? sluice.words.id
---@return sluice.Word
function words.id(options) end

---the lines of a list, up to the next literal, as the parameter's array value. prefix: the text before each item.
---@param options? sluice.words.items
---@return sluice.Word
function words.items(options) end

---an indented block as the parameter's value. indent: the number of spaces (default: as its first line). chomp: without its last newline. block_text{key =, prefix =}: whole lines that each begin with a prefix, as the value of this parameter.
---@param options? sluice.words.block_text
---@return sluice.Word
function words.block_text(options) end

---a code fence of three or more backticks, and one of equal length alone on its line. Fences in between with a word after them are nested; they close first. Written: longer than any fence in the value.
---@param what "open"|"close"
---@return sluice.Word
function words.fence(what) end

---reads nothing: the parameter has the value from an earlier block (value{carry = true}); without one this is not a call.
---@param options? sluice.words.carried
---@return sluice.Word
function words.carried(options) end

---text on one line, up to the next literal, for the call's `extra` under this key.
---@param options? sluice.words.extra
---@return sluice.Word
function words.extra(options) end

---an object with a member that holds x, calls or a call. KEY: its key, or a list of spellings, of which the first is written. Other members are skipped, except those in `fixed`: they are written before it, and another value there means that this is not a call. An empty list is markup. reasoning, anywhere: as for an object.
---@param list sluice.words.member
---@return sluice.Word
function words.member(list) end

---the start of the message, reserved for calls up to one of the closing literals. `after`: white space dropped after it.
---@param list sluice.words.section
---@return sluice.Word
function words.section(list) end

---plain text, or reasoning, up to the next literal or the end.
---@param options? sluice.words.text
---@return sluice.Word
function words.text(options) end

---plain text, or reasoning, up to the next literal or the end.
---@param options? sluice.words.text
---@return sluice.Word
function words.reasoning(options) end

---a piece of a header, up to the next literal, that matches the LPeg pattern `p`. Written: `text`, or the result of the function `text(call)`.
---@param p userdata
---@param text? string
---@return sluice.Word
function words.pattern(p, text) end

---in attributes, the number of the call; not read.
---@param options? sluice.words.number
---@return sluice.Word
function words.number(options) end

---the whole argument object, which has its own end. Without a notation JSON; "kwargs": a=1, b='x'; or a table { quote = the format's own string quotes, kwargs = true, raw = a parameter }. raw: anything but an object is text, up to the next word: the value of this parameter, or of the tool's only parameter.
---@param notation? "kwargs"|{ quote?: string
---@param kwargs? boolean
---@param raw? string }
---@return sluice.Word
function words.arguments(notation, kwargs, raw) end

---in attributes, the type that a tag gives; the tool's schema wins for strings. map: from the tag's types to JSON Schema types, or "json" (the value is JSON). Written: the value's type.
---@param options? sluice.words.type
---@return sluice.Word
function words.type(options) end

---attributes of a tag, quoted or not, in any order: a name, a key, a type ({{"", s.type()}}: a bare type) or an optional parameter. Others are reported, except `ignored` ones.
---@param list sluice.words.attributes
---@return sluice.Word
function words.attributes(list) end

---the text that this word read, once more.
---@param what "key"|"name"
---@return sluice.Word
function words.backref(what) end

---a header up to the next literal, read by an LPeg pattern that captures a table (lpeg.Ct) with `name`, optionally `id` (true: the whole header) and `at` (where the name begins), and {key, text} pairs, which are parameters. render(call): writes the header of a call.
---@param pattern userdata
---@param render? function
---@return sluice.Word
function words.header(pattern, render) end

---the call's id, which contains the tool's name, up to the next literal; without white space inside. prefix: the text before the name; counter: the text between the name and the call's number, which is counted from `from` (0, the default, or 1). Both may be absent. Written: the call's id; if it has none, one made from these.
---@param options? sluice.words.name_in_id
---@return sluice.Word
function words.name_in_id(options) end

---the character, `count` times in a row. A longer run matches only if its length is a multiple of `count`.
---@param character string
---@param count integer
---@return sluice.Word
function words.run(character, count) end

---the literal in upper or lower case; written as it is. At most ten letters: every spelling is searched for.
---@param literal string
---@return sluice.Word
function words.any_case(literal) end

---a JSON array of calls: "[", calls{x, between = ", "}, "]".
---@param x sluice.Item
---@return sluice.Word
function words.array(x) end

---a description. Returns it after all checks that need no compilation.
---@param description sluice.Description
---@return sluice.Description
function words.syntax(description) end

---a set for the stream operations of `parse` functions. Make it once, not in each call.
---@param list sluice.words.set
---@return sluice.Word
function words.set(list) end

---arguments in a fixed order, for examples.
---@param list sluice.words.ordered
---@return sluice.Word
function words.ordered(list) end

---@class sluice.Description
---@field api integer the API level it was written for
---@field name string
---@field aliases? table other names
---@field model_starts? table where responses of some models start; made from `models`
---@field models? table model-name prefixes
---@field origin? string where it comes from, if not from models
---@field source? string where the format is described
---@field call? any a word or a list: a block of calls
---@field blocks? table or several, tried in this order
---@field parse? function or a function that reads a block by hand
---@field render? function and one that writes calls
---@field starts? table for `parse`: the literals that begin a block
---@field reasoning? table {open =, close =}, or a list of them
---@field stop? table end-of-turn tokens
---@field stop_words? table texts at which a request should stop the model: `stop` of its API
---@field family? string "model" (models were trained on the format), "agent" (models are prompted with it), or another
---@field ignored_tokens? table literals that are markup everywhere
---@field ignored_at_start? table literals that are markup if only markup precedes them
---@field ignored_tags? table beginnings of tags that are markup up to the `>` on their line
---@field special? table tokens that a detokeniser must keep
---@field cut_tokens? boolean a cut-off token at the end of the text is markup
---@field namespaces? table stripped from names: "functions."
---@field fence? string "text": a closed Markdown code fence hides calls; else "call"
---@field default_type? string of values without a schema: "json", "any_json" (strings in JSON's quotes, too) or "string"
---@field repeated_is_array? boolean a repeated parameter makes an array
---@field singular_keys? boolean a parameter may be named by the singular of an array's name
---@field fixed_parameters? table the only parameters of the format; a missing one is empty
---@field between? string written between blocks
---@field generation_prompt? string the end of the prompt before a response: `render` and grammars begin after it
---@field max_calls? integer
---@field options? table defaults of the stream options
---@field repair_name? function (name, tools) -> name: corrects a name by the given tools; false: the parameters identify the tool
---@field common_in_prose? table openers that are common in prose: not reported if no call follows
---@field reserved_section? boolean its section is reserved for calls: anything else in it is markup
---@field tools? table names to use if no tools are given
---@field json? table {item = ", ", key = ": "}: how JSON is spaced
---@field trim? boolean white space around the message is markup
---@field result? table how a tool's result is written back: literals, s.name(), s.id(), s.value()
---@field between_results? string written between results
---@field marked? table where a mark goes: "<call{ mark}>"; see lua/sluice/marks.lua
---@field template? any the native prompt: a text with {tools}, {definitions}, {array}, {example}, {names}, or a function
---@field examples? table {text =, calls =, content =, reasoning =}

---@class sluice.StreamOptions
---@field tools? sluice.Tools tool definitions
---@field calls? "streamed"|"whole" `"streamed"`: a call is announced as soon as its name and the beginning of its arguments are read; `"whole"`: when it is complete (default: `"streamed"`; `smiley` and `scissors_cat`: `"whole"`)
---@field start? "text"|"reasoning" `"text"`, `"reasoning"`: where the output begins. With `start = "text"` a closer of reasoning that nothing opened is text; if the option is not set, it is markup, with `unopened_reasoning` (default: `"text"`)
---@field prompt? string the end of the prompt; `start` is derived from it
---@field calls_in_reasoning? "hold"|"call"|"text" `"hold"`: a marker in open reasoning is a call if the reasoning never closes, else reasoning; `"call"`, `"text"`: always a call, never a call (default: `"hold"`)
---@field reasoning_opens? "line"|"start"|"anywhere" `"line"`: at the start of the message, right after a call, at the start of a line or after its indentation; `"start"`, `"anywhere"` (default: `"line"`; `xml_tags`: `"anywhere"`)
---@field fences? "text"|"call"|"script" markers inside Markdown code fences are `"text"`, a `"call"`, or as the `"script"` says (default: `"script"`: text in closed fences for `qwen3_coder`, else calls)
---@field unknown_tools? "forward"|"text" a call of a tool that was not given: `"forward"`, with `ERROR unknown_tool`; `"text"` (default: `"forward"`)
---@field types? "written"|"schema" `"written"`; `"schema"`: a string in JSON arguments is converted if its parameter cannot be a string (default: `"written"`)
---@field special? "text"|"tokens" `"text"`; `"tokens"`: markers that are special tokens of the model (the script's `special`) count only if they were fed with `sluice_stream_feed_special` (default: `"text"`)
---@field mark? string a word in the openers and closers of a prompted format; openers without it are text: see below
---@field source? boolean CALL_END, and each call of a result, has the call's block as the model wrote it (default: false)
---@field strict? boolean no repairs; a value in tags ends only at its own closing tag (default: false)
---@field repairs? boolean repair values that are almost JSON (default: true)
---@field validate? boolean check arguments against the tool's schema at the end of a call; violations are `ERROR schema_mismatch`, whose message begins with the JSON Pointer (default: true)
---@field parameters? boolean also report `PARAMETER` events (default: false)
---@field markup? boolean also report `MARKUP` events (default: false)
---@field max_calls? integer calls in a response; 0 is no limit (in C: `SIZE_MAX`) (default: no limit; `caret`: 1)
---@field limit_name? integer bytes of a name; 0, here and below, is the default (default: 256)
---@field limit_header? integer bytes of a header (default: 4096)
---@field limit_value? integer bytes of a value whose type is decided at its end (default: 1 MiB)
---@field limit_held? integer bytes held before a call is announced (with `calls = "whole"`: before it ends); inside a call, bytes held of a value that quotes calls, or of Python parentheses (default: 1 MiB)
---@field limit_depth? integer nesting of arguments, at most 1024 (default: 128)
