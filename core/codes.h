/* Error codes of events. */
#ifndef SLUICE_CODES_H
#define SLUICE_CODES_H

/* The list of error codes of events. */
#define SLUICE__CODES(X)                                                                           \
    X(unknown_tool)                                                                                \
    X(invalid_name)                                                                                \
    X(invalid_call)                                                                                \
    X(not_a_call)                                                                                  \
    X(ignored_argument)                                                                            \
    X(unopened_reasoning)                                                                          \
    X(unfinished_call)                                                                             \
    X(bad_arguments)                                                                               \
    X(repaired)                                                                                    \
    X(type_mismatch)                                                                               \
    X(schema_mismatch)                                                                             \
    X(schema_unchecked)                                                                            \
    X(duplicate_parameter)                                                                         \
    X(duplicate_id)                                                                                \
    X(leaked_markup)                                                                               \
    X(stray_markup)                                                                                \
    X(ignored_text)                                                                                \
    X(call_limit)                                                                                  \
    X(limit_exceeded)                                                                              \
    X(invalid_utf8)                                                                                \
    X(script_error)                                                                                \
    X(no_memory)
/* Returns the constant string of an error code, or NULL if there is no such code. */
const char *sluice__code(const char *name);

#endif
