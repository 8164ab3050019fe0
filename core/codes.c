/* Error codes of events, and what a host may tell the model about them. */
#include "stream.h"

static const struct code {
    const char *code, *hint; /* or NULL */
} codes[] = {
    {"unknown_tool", "There is no tool with that name. Call one of the given tools."},
    {"invalid_name", "The tool's name could not be read. Write the call again."},
    {"invalid_call", "That could not be read as a tool call. Write it again in the given format."},
    {"not_a_call", "That looked like a tool call, but was not one. If you meant to call a tool, "
                   "write the call again in the given format."},
    {"ignored_argument",
     "Some of the arguments could not be read. Write the call again with all its arguments."},
    {"unopened_reasoning", NULL},
    {"unfinished_call", "The tool call was cut off. Write it again completely."},
    {"bad_arguments",
     "The arguments are damaged, so the call was not run. Write it again in the given format."},
    {"repaired", NULL},
    {"type_mismatch", "An argument has the wrong type. Write the call again."},
    {"schema_mismatch", "The arguments do not fit the tool's schema. Write the call again."},
    {"schema_unchecked", "The arguments could not be checked, so the call was not run."},
    {"duplicate_parameter",
     "A parameter was given twice. Write the call again with each parameter once."},
    {"duplicate_id", "Two calls had the same id. Give each call its own."},
    {"leaked_markup", "Your text contained tags of tool calls. If you meant to call a tool, write "
                      "the call again."},
    {"stray_markup",
     "There was unexpected text in or after the tool call. Write it again in the given format."},
    {"ignored_text", NULL},
    {"call_limit",
     "There were too many tool calls at once. Make the remaining calls after the results."},
    {"limit_exceeded", "The tool call was too long to be read. Make a shorter one."},
    {"invalid_utf8", NULL},
    {"script_error", NULL},
    {"no_memory", NULL},
    {NULL, NULL},
};

/* The code of this name; the last one: there is none. */
static const struct code *code_of(const char *name) {
    const struct code *c = codes;
    while (c->code && !(name && strcmp(c->code, name) == 0))
        c++;
    return c;
}

const char *sluice__code(const char *name) { return code_of(name)->code; }
const char *sluice_error_hint(const char *code) { return code_of(code)->hint; }
