--- What words, options and fields of API level 2 are called now: for messages. There is no other trace of that level.

return {
  words = { parameters = "s.params", arguments = "s.args", reasoning = "s.think", backref = "s.same", object = "s.json",
    array = 's.json { each = "*" }', attributes = "s.attrs", optional = "s.opt, or s.also if it is only read",
    recoverable = "s.lost around an opener; closers need no word", header = "s.match", pattern = "s.match", name_in_id = "s.match",
    exact = "exact = true in a list of words", member = 's.json { each = "KEY.*" }', section = "s.json",
    type = "the option `type` of s.attrs", number = "s.match", extra = "s.capture", any_case = "s.lines", run = "s.lines",
    block_text = "s.lines", items = "s.lines", fence = "s.lines", carried = "s.lines", set = "s.lines" },
  options = { separate_blocks = "separate", is = 's.name "NAME"', declared = "s.given()", write = "s.also around what is only read",
    pattern = "the argument itself, as in s.name(pattern)", arguments = "args", reasoning = "think", ignored = "members",
    name_as_key = 'name = "*"', arguments_required = "strict", to_line_end = "line", inline = "s.match", fenced = "s.lines",
    multiline_only = "s.lines", prefix = "s.lines", raw_arguments = "raw", kwargs = "python" },
  fields = { special = "s.tok around each literal that is a special token, and `tokens` for others", reasoning = "`think`",
    template = "`prompt`", generation_prompt = "`begins`", ignored_tokens = "`ignore`", ignored_at_start = "nothing",
    ignored_tags = "`ignore`", max_calls = "`options = { max_calls = 1 }`", fence = '`options = { fences = "text" }`',
    between_results = "`between` in `result`", trim = "nothing", json = "nothing", common_in_prose = "`prose`",
    default_type = "`values.default`", repeated_is_array = "`values.repeated`", singular_keys = '`values = { repeated = "plural" }`',
    fixed_parameters = "`values.fixed`", parse = "s.lines", render = "s.lines", starts = "s.lines" },
}
