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

---should be present; if it is missing, the call is `recovered`, and what follows may then end a value. Written.
---@param x sluice.Item
---@return sluice.Word
function words.recoverable(x) end

---the literals inside must match exactly, white space included.
---@param x sluice.Item
---@return sluice.Word
function words.exact(x) end

---one of several. Strings: the longest that matches. Sequences: in order while the call is not announced, afterwards by their first literal. Written: the first. write: the number of the alternative that is written, or a list of those to be tried in this order (without it: all).
---@param list sluice.words.any
---@return sluice.Word
function words.any(list) end

---one or more calls. Written: each call; with `separate_blocks` each in a block of its own.
---@param list sluice.words.calls
---@return sluice.Word
function words.calls(list) end

---zero or more parameters, in the order of the arguments. Between them anything else is skipped to the next opener or closer. nested: the members of an object are written as parameters inside its value, and the items of an array under this name; read so wherever the schema does not ask for a string.
---@param list sluice.words.parameters
---@return sluice.Word
function words.parameters(list) end

---the tool's name: on one line, up to what may follow. is: the name of the tool that the block itself means; nothing stands for it. declared: one of the given tools (without tools, of the field `tools`), and nothing else, so that what stands before it opens a block only together with such a name.
---@param options? sluice.words.name
---@return sluice.Word
function words.name(options) end

---a parameter's name, likewise.
---@param options? sluice.words.key
---@return sluice.Word
function words.key(options) end

---a parameter's value as raw text up to what may follow, typed by the tool's schema. key: a fixed parameter. inline: in the header, on one line, read before the call is announced; it must fit `pattern`, and a name directly before it ends at a blank. to_line_end: ends with its line. newlines: one newline on each side is dropped, and written around values of several lines. multiline_only: written only if the value has more than one line. trim: white space on both sides is dropped. fenced: so is a code fence around it. unquoted: so are double quotes around it. entities: &lt; and the like are read as what they mean; or a list of their names, {"lt", "gt"}. present: white space alone is no value. carry: kept for s.carried in later blocks. An inline value is what its pattern captures, if it captures a text. lines: whole lines, each with its newline: what ends them stands at the start of a line. It is the character that no line begins with where a grammar is to write them.
---@param options? sluice.words.value
---@return sluice.Word
function words.value(options) end

---a JSON object that is a call. Each of name, arguments and id is a key or a list of spellings, of which the first is written. extra: a list of {key, default as JSON}: what goes to the call's `extra`. required: a map of keys to what they must be: "string", "object", "number", or "number?" where they may be absent. name_as_key: {NAME: {...}}. arguments_required: without the argument key it is not a call. python: written as a Python literal. order, defaults: what is written, and where the call does not say it. arguments = "*": all other members are the arguments. scalar: what is no object is the value of this parameter, or of the only one that the tool has. answers: names that are no tools: their arguments are text. reasoning: members whose strings are reasoning. ignored: members that say nothing. arguments_optional: without a marker, too, it needs none. anywhere: it may begin in the middle of the text, not only of the message.
---@param options? sluice.words.object
---@return sluice.Word
function words.object(options) end

---the call's own id, as text.
---@param options? sluice.words.id
---@return sluice.Word
function words.id(options) end

---the lines of a list, up to what may follow, as the array value of the parameter. prefix: before each item.
---@param options? sluice.words.items
---@return sluice.Word
function words.items(options) end

---a block as the parameter's value, indented by so many spaces, else as its first line. chomp: without its last newline. block_text{key =, prefix =}: whole lines that each begin with a prefix, as the value of this parameter.
---@param options? sluice.words.block_text
---@return sluice.Word
function words.block_text(options) end

---a code fence of three backticks or more, and one of as many alone on its line. Fences in between that have a word open others, which close first. Written: longer than those in the value.
---@param what "open"|"close"
---@return sluice.Word
function words.fence(what) end

---nothing stands here: the parameter has the value that an earlier block gave it (value{carry = true}); where none did, this is no call.
---@param options? sluice.words.carried
---@return sluice.Word
function words.carried(options) end

---text on one line, up to what may follow, that goes to the call's `extra` under this key.
---@param options? sluice.words.extra
---@return sluice.Word
function words.extra(options) end

---an object that holds x, calls or a call, as a member. KEY: its key, or a list of spellings, of which the first is written. Other members are skipped, wherever they stand, but for those that are fixed: they are written before it, and another value there means that this is none. An empty list is markup. reasoning, anywhere: as for an object.
---@param list sluice.words.member
---@return sluice.Word
function words.member(list) end

---the start of the message, reserved for calls up to one of the closing literals. `after`: white space dropped behind it.
---@param list sluice.words.section
---@return sluice.Word
function words.section(list) end

---plain text, or reasoning, up to what may follow or the end.
---@param options? sluice.words.text
---@return sluice.Word
function words.text(options) end

---plain text, or reasoning, up to what may follow or the end.
---@param options? sluice.words.text
---@return sluice.Word
function words.reasoning(options) end

---a piece of a header up to what may follow that fits the LPeg pattern `p`. Written: `text`, or what the function `text(call)` returns.
---@param p userdata
---@param text? string
---@return sluice.Word
function words.pattern(p, text) end

---inside attributes, the number of the call; not read.
---@param options? sluice.words.number
---@return sluice.Word
function words.number(options) end

---the whole argument object, which ends itself. Without a notation JSON; "kwargs": a=1, b='x'; or a table { quote = the format's own string quotes, kwargs = true, raw = a parameter }. raw: what does not begin as an object is text, up to what may follow, and the value of this parameter, or of the only one that the tool has.
---@param notation? "kwargs"|{ quote?: string
---@param kwargs? boolean
---@param raw? string }
---@return sluice.Word
function words.arguments(notation, kwargs, raw) end

---inside attributes, the type that a tag gives, but for what the tool declares a string. map: from what stands there to a JSON Schema type, or "json" (the value is JSON). Written: by the value.
---@param options? sluice.words.type
---@return sluice.Word
function words.type(options) end

---attributes of a tag, quoted or not, in any order: a name, a key, a type ({{"", s.type()}}: alone) or a parameter, which may be absent. Others are told, save those in `ignored`.
---@param list sluice.words.attributes
---@return sluice.Word
function words.attributes(list) end

---what that word read, once more.
---@param what "key"|"name"
---@return sluice.Word
function words.backref(what) end

---a header up to what may follow, read by an LPeg pattern that captures a table (lpeg.Ct) with `name`, perhaps `id` (true: all of the header) and `at` (where the name begins), and {key, text} pairs, which are parameters. render(call): the header of a call.
---@param pattern userdata
---@param render? function
---@return sluice.Word
function words.header(pattern, render) end

---the character, `count` times in a row. A longer run matches only if its length is a multiple of `count`.
---@param character string
---@param count integer
---@return sluice.Word
function words.run(character, count) end

---the literal with its letters large or small; written as it stands. At most ten letters: each way to write them is looked for.
---@param literal string
---@return sluice.Word
function words.any_case(literal) end

---a JSON array of calls: "[", calls{x, between = ", "}, "]".
---@param x sluice.Item
---@return sluice.Word
function words.array(x) end

---a description. Answers it, checked as far as it can be without compiling it.
---@param description sluice.Description
---@return sluice.Description
function words.syntax(description) end

---a set for `parse` functions, which hand it to the stream's operations. Make it once, not in each call.
---@param list sluice.words.set
---@return sluice.Word
function words.set(list) end

---arguments whose order matters, for examples.
---@param list sluice.words.ordered
---@return sluice.Word
function words.ordered(list) end

---@class sluice.Description
---@field api integer the API level it was written for
---@field name string
---@field aliases? table other names
---@field model_starts? table where the responses of some of them start; made of `models`
---@field models? table of whom it is the format: beginnings of model names
---@field origin? string where it comes from, if not from models
---@field source? string where the format is described
---@field call? any a word or a list: a block of calls
---@field blocks? table or several, tried in this order
---@field parse? function or a function that reads a block by hand
---@field render? function and one that writes calls
---@field starts? table for `parse`: the literals that a block begins with
---@field reasoning? table {open =, close =}, or a list of them
---@field stop? table end-of-turn tokens
---@field stop_words? table what a request should stop the model at: `stop` of its API
---@field family? string "model" (a format that models were trained on) or "agent" (one that they are prompted with), or another
---@field ignored_tokens? table literals that are markup wherever they occur
---@field ignored_at_start? table literals that are markup only where nothing but markup stands before them
---@field ignored_tags? table beginnings of tags that are markup up to the `>` on their line
---@field special? table tokens that a detokeniser must keep
---@field cut_tokens? boolean the beginning of such a token that ends the text is markup
---@field namespaces? table stripped from names: "functions."
---@field fence? string "text": what stands in a closed Markdown code fence is no call; else "call"
---@field default_type? string of values without a schema: "json", "any_json" (strings in JSON's quotes, too) or "string"
---@field repeated_is_array? boolean a repeated parameter makes an array
---@field singular_keys? boolean a parameter may be named by the singular of an array's name
---@field fixed_parameters? table the only parameters of the format; one that is not there is empty
---@field between? string written between blocks
---@field generation_prompt? string what the prompt ends with where the model is to answer: `render` and grammars begin behind it
---@field max_calls? integer
---@field options? table defaults of the stream options
---@field repair_name? function (name, tools) -> name: reads a name against the given tools; false: their parameters tell the tool
---@field common_in_prose? table openers that prose has, too: where they lead to no call, nothing is said
---@field reserved_section? boolean its section is reserved for calls: anything else there is markup
---@field tools? table the names that are given where no tools are
---@field json? table {item = ", ", key = ": "}: how JSON is spaced
---@field trim? boolean white space around the message is markup
---@field result? table how a tool's result is written back: literals, s.name(), s.id(), s.value()
---@field between_results? string written between results
---@field marked? table where a mark of the host's stands: "<call{ mark}>"; see lua/sluice/marks.lua
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
