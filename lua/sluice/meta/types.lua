---@meta
-- The tables that Sluice takes and returns, for language servers only: nothing loads this file.
-- Offsets count bytes of the response, from 1, and are inclusive. Call indices count from 1.

---@alias sluice.Name string a name, an alias, a path, "auto" or "auto:NAME,NAME"
---@alias sluice.Code "script"|"json"|"bad_option"|"not_found"|"unsupported"|"refused"

---@class sluice.Syntax
---@field is_compiled true
---@field name string
---@field plan table

---@alias sluice.Tools table|string a list of tool definitions as OpenAI has them, or its JSON text

---@class sluice.Event
---@field type "text"|"reasoning"|"call_begin"|"arguments"|"parameter"|"call_end"|"markup"|"error"
---@field first integer the first byte that it covers, from 1
---@field last integer the last byte; first - 1 if it covers none
---@field text? string of text, reasoning, arguments, parameter and markup
---@field index? integer of the call, from 1
---@field name? string of call_begin: the tool
---@field syntax? string of call_begin, with "auto": the call's syntax
---@field id? string of call_begin and call_end: the model's own id, or a generated one
---@field key? string of parameter: its name
---@field status? "complete"|"recovered"|"incomplete" of call_end
---@field valid? boolean of call_end: run a call only if this is true; nil without tools
---@field extra? string of call_end: other fields of the call, as JSON text
---@field block_first? integer of call_end: the first byte of its block
---@field source? string of call_end: its block, with the option `source`
---@field code? string of error: see docs/options.md
---@field message? string of error

---@class sluice.ParsedCall
---@field name string
---@field id? string
---@field syntax? string
---@field arguments string one JSON object, as text
---@field status "complete"|"recovered"|"incomplete"
---@field valid? boolean run a call only if this is true; nil without tools
---@field extra? string JSON text
---@field first integer the first byte of its block, from 1
---@field last integer
---@field source? string

---@class sluice.Problem
---@field code string
---@field message string
---@field first integer the byte, from 1
---@field index? integer of the call

---@class sluice.Result
---@field content? string nil without text
---@field reasoning? string
---@field calls sluice.ParsedCall[]
---@field errors sluice.Problem[]

---@class sluice.ToolResult
---@field name string
---@field id? string
---@field content string

---@class sluice.Call
---@field name string
---@field arguments string|table JSON text, or a table
---@field id? string
---@field extra? table

---@class sluice.Message
---@field content? string
---@field reasoning? string
---@field calls? sluice.Call[]

---@class sluice.Turn: sluice.Message a turn to render
---@field results? sluice.ToolResult[]
---@field generation_prompt? boolean true: ends with the generation prompt

---@class sluice.ParsedTurn: sluice.Result
---@field results sluice.ToolResult[]

---@class sluice.Listed
---@field name string
---@field aliases string[]
---@field models string[] model-name prefixes
---@field path string
---@field can string[] "parse", "render"
---@field family? string
---@field about? string the first sentence of its script
---@field origin? string for a format that belongs to no model
---@field parent? string of a dialect
---@field source any where the format is described, or json.null
---@field special string[]
---@field reasoning { open: string, close: string }[]
---@field stop string[]
---@field stop_words string[]

---@class sluice.GrammarOptions
---@field tool_choice? string "auto", "required" or a tool's name
---@field max_calls? integer 0: no limit
---@field parallel? boolean false: one call
---@field reasoning? boolean true: allowed before calls
---@field tokens? "text"|"special"|table<string, integer> lark only
---@field relax? boolean true: without what the target cannot express
---@field mark? string

---@class sluice.InferOptions
---@field calls? (sluice.Call[]|sluice.Message)[] of each sample, if known
---@field name? string of the syntax
---@field prompts? string[] the tail of each sample's prompt
---@field stop? string[] end-of-turn tokens
---@field reasoning? { open: string, close: string }
---@field hidden? table syntaxes not to try, by name

---@class sluice.Inferred
---@field script string
---@field page string
---@field report string
---@field explained integer number of samples that the script explains

---@class sluice.json
---@field null userdata
local json = {}

---@param text string
---@param options? { exact?: boolean, lenient?: boolean, unique?: boolean, raw?: boolean }
---@return any value nil if the text is not valid JSON
---@return string? message with the offset, bytes from 1
---@return "json"? code
function json.decode(text, options) end

---@param value any
---@param item_separator? string
---@param key_separator? string
---@return string text
function json.encode(value, item_separator, key_separator) end

---@param list? table
---@return table list marked as an array
function json.array(list) end

---@param members? { [1]: string, [2]: any }[]
---@return table object with its members in this order
function json.object(members) end

---@param text string
---@return userdata value
function json.raw(text) end

---@param object table
---@return string[] keys
function json.keys(object) end

---The Lua number of a JSON number or of its text, in any locale.
---@param value any
---@return number? number
function json.number(value) end

---@param value any
---@return "null"|"boolean"|"number"|"string"|"array"|"object" kind
function json.kind(value) end

---@class sluice.wire.Event: sluice.Event
---@field type "text"|"reasoning"|"call_begin"|"arguments"|"parameter"|"call_end"|"markup"|"error"|"message"|"finish"|"usage"|"done"|"other"
---@field choice integer from 1
---@field model? string of message
---@field created? integer of message: seconds since 1970
---@field fields? table of message and usage: the server's object
---@field from? string of other: the wire format
---@field reason? string of finish: "stop", "length", "tool_calls", "content_filter", ...
---@field input? integer of usage: tokens
---@field output? integer of usage: tokens
---@field raw? string of other: its bytes

---@class sluice.wire.EncoderOptions
---@field id? string
---@field model? string
---@field created? integer seconds since 1970

---@class sluice.wire.FilterOptions: sluice.wire.EncoderOptions
---@field from "openai"|"anthropic"|"ollama"|"text"
---@field to "openai"|"anthropic"|"ollama"|"events"|"result"|"openai-message"
---@field stream fun(number: integer): sluice.Stream

---@class sluice.wire.Filter
---@field problem? string after finish: what was wrong with a body that has no answer
local filter = {}

---@param bytes string
---@return string bytes
function filter:feed(bytes) end

---@return string bytes
function filter:finish() end

---@return integer held bytes of text that are held back
function filter:held() end
