/* Events as Lua tables, for the Lua module and the command. */
#ifndef SLUICE_EVENTS_H
#define SLUICE_EVENTS_H

#include "sluice.h"

#include <lua.h>

static inline void sluice_set_text(lua_State *L, const char *key, const char *value) {
    if (value) {
        lua_pushstring(L, value);
        lua_setfield(L, -2, key);
    }
}

/* Pushes the event as a table. */
static inline void sluice_push_event(lua_State *L, const sluice_event *e) {
    static const char *const types[] = {"text",      "reasoning", "call_begin", "arguments",
                                        "parameter", "call_end",  "markup",     "error"};
    static const char *const statuses[] = {"complete", "recovered", "incomplete"};
    lua_createtable(L, 0, 8);
    sluice_set_text(L, "type", types[e->type]);
    sluice_set_text(L, "name", e->name);
    sluice_set_text(L, "id", e->id);
    sluice_set_text(L, "key", e->key);
    sluice_set_text(L, "extra", e->extra);
    sluice_set_text(L, "code", e->code);
    sluice_set_text(L, "syntax", e->syntax);
    if (e->text) {
        lua_pushlstring(L, e->text, e->text_len);
        lua_setfield(L, -2, e->type == SLUICE_ERROR ? "message" : "text");
    }
    lua_pushinteger(L, (lua_Integer)e->start + 1);
    lua_setfield(L, -2, "first");
    lua_pushinteger(L, (lua_Integer)e->end);
    lua_setfield(L, -2, "last");
    if (e->type >= SLUICE_CALL_BEGIN && e->type != SLUICE_MARKUP && e->index != SIZE_MAX) {
        lua_pushinteger(L, (lua_Integer)e->index + 1);
        lua_setfield(L, -2, "index");
    }
    if (e->type == SLUICE_CALL_END) {
        sluice_set_text(L, "status", statuses[e->status]);
        if (!e->no_tools) {
            lua_pushboolean(L, e->valid);
            lua_setfield(L, -2, "valid");
        }
        lua_pushinteger(L, (lua_Integer)e->block_start + 1);
        lua_setfield(L, -2, "block_first");
        if (e->source) {
            lua_pushlstring(L, e->source, e->source_len);
            lua_setfield(L, -2, "source");
        }
    }
}

#endif
