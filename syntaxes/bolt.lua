--- Actions in an artifact: the type is the name, other attributes and the body are the parameters.
-- Origin: bolt.new, bolt.diy and their forks.

return s.syntax {
  api = 3, name = "bolt", family = "agent",
  origin = "stackblitz/bolt.new, bolt.diy",
  source = "https://github.com/stackblitz-labs/bolt.diy/blob/main/app/lib/runtime/message-parser.ts",
  call = {
    "<boltArtifact", s.match((lpeg.S " \n\t" * lpeg.P(1)^0)^-1 * -1, ' id="artifact" title="Artifact"'), ">\n",
    s.calls { s.any {
      s.also { '<boltAction type="', s.name((lpeg.P "shell" + "start" + "build") * -1), '">', s.value { key = "content", trim = true },
        "</boltAction>\n" },
      { "<boltAction", s.attrs { { "type", s.name() }, { "operation", s.value { key = "operation" } },
        { "filePath", s.value { key = "filePath" } } }, ">",
        s.value { key = "content", trim = "fence", entities = { "lt", "gt" } }, "</boltAction>\n" },
    } },
    "</boltArtifact>",
  },
  values = { default = "string" },
  tools = { "file", "shell", "start", "build", "supabase" },
  marked = { "<boltArtifact{ mark}", "</boltArtifact{ mark}>", "<boltAction{ mark}", "</boltAction{ mark}>" },
  examples = { {
    text = '<boltArtifact id="artifact" title="Artifact">\n<boltAction type="shell">npm install</boltAction>\n</boltArtifact>',
    calls = { { name = "shell", arguments = { content = "npm install" } } },
  }, {
    text = '<boltArtifact id="artifact" title="Artifact">\n<boltAction type="supabase" operation="migration" '
      .. 'filePath="a.sql">x</boltAction>\n</boltArtifact>',
    calls = { { name = "supabase", arguments = s.ordered { { "operation", "migration" }, { "filePath", "a.sql" }, { "content", "x" } } } },
  } },
}
