/* The options that scripts may read from their stream. */
#ifndef SLUICE_SCRIPT_OPTIONS_H
#define SLUICE_SCRIPT_OPTIONS_H

#include "bridge.h"

/* X(name, code that pushes it). They use `set`, the settings of the stream, and (OPTIONS) `s`, the
 * stream. */
#define YES(value) lua_pushboolean(L, value)
#define COUNT(value) lua_pushinteger(L, (lua_Integer)(value))
#define SLUICE_SETTINGS(X)                                                                         \
    X(strict, YES(set->strict))                                                                    \
    X(repairs, YES(set->repairs))                                                                  \
    X(whole, YES(set->whole))                                                                      \
    X(types, YES(set->types))                                                                      \
    X(validate, YES(set->validation))                                                              \
    X(unknown_as_text, YES(set->unknown_as_text))                                                  \
    X(limit_name, COUNT(set->limit_name))                                                          \
    X(limit_header, COUNT(set->limit_header))                                                      \
    X(limit_value, COUNT(set->limit_value))                                                        \
    X(limit_depth, COUNT(set->limit_depth))
#define SLUICE_OPTIONS(X)                                                                          \
    SLUICE_SETTINGS(X)                                                                             \
    X(calls, COUNT(s->calls))                                                                      \
    X(committed, YES(s->committed))                                                                \
    X(hit_end, YES(s->hit_end))                                                                    \
    X(seen, COUNT(sluice__window_end(&s->window)))                                                 \
    X(at_start, YES(s->leading_space && s->at_start))                                              \
    X(at_end, YES(sluice__at_end(s) && s->pos >= sluice__visible(s)))

#endif
