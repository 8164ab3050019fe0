/* What a host may tell the model about an error. */
#include "include/sluice.h"

#include <string.h>

const char *sluice_error_hint(const char *code) {
    static const struct {
        const char *code, *hint;
    } hints[] = {
        {"unknown_tool", "There is no tool of that name. Call one of the given tools."},
        {"invalid_name", "The tool's name could not be read. Write the call again."},
        {"invalid_call", "That was not read as a tool call. Write it again, in the given format."},
        {"not_a_call", "That began like a tool call and was none. Write it again, in the given "
                       "format, if you meant to call a tool."},
        {"ignored_argument", "Some of the arguments could not be read. Write the call again, with "
                             "all of its arguments in their place."},
        {"unfinished_call", "The tool call was cut off. Write it again, whole."},
        {"bad_arguments", "The arguments are damaged, so the call was not run. Write it again, in "
                          "the given format."},
        {"type_mismatch", "An argument has the wrong type. Write the call again."},
        {"schema_mismatch", "The arguments do not fit the tool's schema. Write the call again."},
        {"schema_unchecked", "The arguments could not be checked, so the call was not run."},
        {"duplicate_parameter", "A parameter was given twice. Write the call again, with each "
                                "parameter once."},
        {"duplicate_id", "Two calls had the same id. Give each call its own."},
        {"stray_markup", "There was something between or behind the parts of the tool call. Write "
                         "it again, in the given format."},
        {"leaked_markup", "There was markup of tool calls in your text. Write the call again if "
                          "you meant to call a tool."},
        {"call_limit", "There were too many tool calls at once. Make the rest after the results."},
        {"limit_exceeded", "The tool call was too long to be read. Make a shorter one."},
    };
    for (size_t i = 0; code && i < sizeof hints / sizeof *hints; i++)
        if (strcmp(hints[i].code, code) == 0)
            return hints[i].hint;
    return NULL;
}
