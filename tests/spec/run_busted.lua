--- busted, by whichever Lua runs this: with the arguments of the command line.
require "busted.runner" { standalone = false }
