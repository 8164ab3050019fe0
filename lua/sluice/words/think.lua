--- think(): reasoning, up to the next literal or the end.

local think = require("sluice.words.text").kind "think"
return think
