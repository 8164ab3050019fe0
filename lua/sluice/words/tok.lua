--- tok "<tool_call>": a literal that is a special token of the model. Detokenisers must keep these; hosts ask which there are.

local check = require "sluice.check"
local word = require "sluice.word"

local tok = word.leaf "tok"

function tok.build(class, text)
  local wrong = check.text(text)
  if wrong or not text:find "%S" then
    word.fail(class, wrong or "a token is not white space alone")
  end
  return word.node(word.classes.literal, { text = text, token = true })
end

return tok
