--- lost "<tool_call>": an opener that servers drop. It should stand there; if it is missing, the call is `recovered`. Written. Closers
-- need no word: a missing one is always recovered.

local lost = require("sluice.words.opt").kind "lost"
lost.recover = true
return lost
