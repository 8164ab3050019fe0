/* JSON for Lua: decoding with the core's reader, encoding, and cJSON for tool definitions. */
#include "bridge.h"
#include "numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Decoded values: an object is a table with a metatable of its own, which has `order`, its keys in
 * their order; an array has the shared metatable "sluice.array"; null is a light userdata; a number
 * that a Lua number would change is a table { text } with the metatable "sluice.number", as is
 * every number under `exact`.
 */

#define ARRAY_TYPE "sluice.array"
#define NUMBER_TYPE "sluice.number"

static void push_null(lua_State *L) { lua_pushlightuserdata(L, NULL); }

static void push_array(lua_State *L) {
    lua_newtable(L);
    luaL_getmetatable(L, ARRAY_TYPE);
    lua_setmetatable(L, -2);
}

static void push_object(lua_State *L) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_newtable(L);
    lua_setfield(L, -2, "order");
    lua_setmetatable(L, -2);
}

/* [-0, +1, m] Pushes the keys of an object in their order; false, and another value, if the table
 * is none. */
static bool push_order(lua_State *L, int t) {
    if (!lua_getmetatable(L, t)) {
        lua_pushnil(L);
        return false;
    }
    lua_getfield(L, -1, "order");
    lua_remove(L, -2);
    return lua_istable(L, -1);
}

/* [-2, +0, m] Sets t[key] = value, the key and the value on top, in the object at t; records a new
 * key. Returns true if it is new. */
static bool set_member(lua_State *L, int t) {
    lua_pushvalue(L, -2);
    lua_rawget(L, t);
    bool fresh = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (fresh) {
        push_order(L, t);
        lua_pushvalue(L, -3);
        lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
        lua_pop(L, 1);
    }
    lua_rawset(L, t);
    return fresh;
}

/* [-0, +1, m] Pushes a value that is encoded as this JSON text. */
static void push_raw(lua_State *L, const char *p, size_t n) {
    lua_createtable(L, 1, 0);
    lua_pushlstring(L, p, n);
    lua_rawseti(L, -2, 1);
    luaL_getmetatable(L, NUMBER_TYPE);
    lua_setmetatable(L, -2);
}

/* Is the double written again as an equal number? */
static bool comes_back(view given, double d) {
    char text[40];
    write_double(text, sizeof text, d);
    sluice__number a = sluice__number_of(given), b = sluice__number_of(view_text(text));
    return sluice__number_compare(&a, &b) == 0;
}

/* [-0, +1, m] Pushes a number from its JSON text, behind which there is a NUL somewhere. */
static void push_number(lua_State *L, const char *p, size_t n, bool exact) {
    const double largest = 9007199254740992.0; /* from which on doubles lose whole numbers */
    if (!exact) {
        bool whole = !memchr(p, '.', n) && !memchr(p, 'e', n) && !memchr(p, 'E', n);
#if LUA_VERSION_NUM >= 503
        if (whole && n < 19 && !(n == 2 && memcmp(p, "-0", 2) == 0)) {
            lua_pushinteger(L, (lua_Integer)strtoll(p, NULL, 10));
            return;
        }
#endif
        double d = read_double(p, n);
        if (whole ? -largest < d && d < largest : isfinite(d) && comes_back(view_of(p, n), d)) {
            lua_pushnumber(L, d);
            return;
        }
    }
    push_raw(L, p, n);
}

static int number_tostring(lua_State *L) {
    lua_rawgeti(L, 1, 1);
    return 1;
}

/* ---- Decoding ----------------------------------------------------------------------------- */

typedef struct decoder {
    lua_State *L;
    out text, scratch; /* strict JSON; the string that is read */
    bool exact, again; /* again: an object has a key twice */
} decoder;

/* Puts the value on top into the container below it (for an object: the key is between them). */
static void place(decoder *d, size_t depth) {
    lua_State *L = d->L;
    if (depth == 0)
        return;
    if (lua_type(L, -2) == LUA_TTABLE) {
        lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
    } else if (!set_member(L, lua_gettop(L) - 2)) {
        d->again = true;
    }
}

/* Makes a value of strict JSON with a NUL behind it. */
static void decode_text(decoder *d, view v) {
    lua_State *L = d->L;
    const char *p = v.p, *end = v.end;
    size_t depth = 0;
    while (p < end) {
        const char *from = p++;
        if (strchr(" \t\r\n,:", *from))
            continue;
        luaL_checkstack(L, 8, "nested too deep");
        if (*from == '{' || *from == '[') {
            if (*from == '{')
                push_object(L);
            else
                push_array(L);
            depth++;
        } else if (*from == '}' || *from == ']') {
            place(d, --depth);
        } else if (*from == '"') {
            while (*p != '"')
                p += *p == '\\' ? 2 : 1;
            d->scratch.b.len = 0;
            sluice__put_halves(&d->scratch, (view){from + 1, p}, d->exact);
            lua_pushlstring(L, out_text(&d->scratch), d->scratch.b.len);
            const char *behind = past_space((view){++p, end});
            if (behind == end || *behind != ':') /* it is no key */
                place(d, depth);
        } else {
            while (p < end && !strchr(" \t\r\n,]}", *p))
                p++;
            if (*from == 'n')
                push_null(L);
            else if (*from == 't' || *from == 'f')
                lua_pushboolean(L, *from == 't');
            else
                push_number(L, from, (size_t)(p - from), d->exact);
            place(d, depth);
        }
    }
}

/* decode(text[, options]) -> value, or nil, a message with the offset (bytes from 1) and the
 * code "json". options: exact (numbers keep their text, else they become Lua's: LuaJIT writes
 * -0 as 0, and 1.0 as 1; a lone surrogate becomes three bytes, which `encode` writes as the
 * original escape, else U+FFFD), lenient (as models write), unique (an object with a key twice is
 * refused; else the last one counts), raw (strict JSON: ill-formed UTF-8 stays; else it becomes
 * U+FFFD). */
static int json_decode(lua_State *L) {
    enum { EXACT, LENIENT, UNIQUE, RAW, OPTIONS };
    static const char *const names[] = {"exact", "lenient", "unique", "raw"};
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    bool set[OPTIONS] = {false};
    for (int i = 0; i < OPTIONS && lua_istable(L, 2); i++) {
        lua_getfield(L, 2, names[i]);
        set[i] = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, 1);
    lua_newtable(L);
    heap heap = {sluice_kept_by(&(sluice_keeper){L, 2}), false}; /* it raises instead */
    out o = {.heap = &heap};
    decoder d = {L, o, o, set[EXACT], false};
    json reader;
    reader.limit = JSON_DEPTH;
    sluice__json_begin(&reader, false);
    reader.strict = !set[LENIENT];
    size_t at;
    const char *why = sluice__json_whole(&reader, view_of(text, n), &d.text, &at);
    if (!why) {
        put(&d.text, "", 1);
        decode_text(&d, set[RAW] && !set[LENIENT] ? view_of(text, n)
                                                  : view_of(d.text.b.data, d.text.b.len - 1));
        if (!set[UNIQUE] || !d.again)
            return 1;
        why = "an object has a key twice";
        at = n;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "not valid JSON: %s (at byte %d)", why, (int)at + 1);
    lua_pushliteral(L, "json");
    return 3;
}

/* ---- Encoding ----------------------------------------------------------------------------- */

typedef struct encoder {
    lua_State *L;
    out *text;
    view item, key; /* what separates items, and a key from its value */
} encoder;

/* Puts the text as a JSON string; a lone surrogate, as decoded, becomes its escape. */
static void put_json(encoder *e, const char *p, size_t n) {
    put(e->text, "\"", 1);
    for (const char *end = p + n, *at = p; p < end; p = at) {
        while (at < end && !(end - at > 2 && (uint8_t)*at == 0xED && (at[1] & 0xE0) == 0xA0 &&
                             (at[2] & 0xC0) == 0x80))
            at++;
        sluice__put_escaped(e->text, (view){p, at});
        if (at < end) {
            char half[8];
            put(e->text, half,
                (size_t)snprintf(half, sizeof half, "\\u%04x",
                                 0xD000u | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu)));
            at += 3;
        }
    }
    put(e->text, "\"", 1);
}

/* True if the value at `index` has the registered metatable. */
static bool has_type(lua_State *L, int index, const char *type) {
    if (!lua_getmetatable(L, index))
        return false;
    luaL_getmetatable(L, type);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

static bool is_array(lua_State *L, int t) {
    if (has_type(L, t, ARRAY_TYPE))
        return true;
    bool object = push_order(L, t);
    lua_pop(L, 1);
    size_t n = lua_rawlen(L, t), count = 0;
    if (!n || object)
        return false; /* an empty table is an object */
    lua_pushnil(L);
    while (lua_next(L, t)) {
        lua_pop(L, 1);
        count++;
    }
    return count == n;
}

/* [-0, +1, m] Pushes a list of the object's keys: first in their order, then the others sorted. */
static void push_keys(lua_State *L, int t) {
    lua_newtable(L);
    int list = lua_gettop(L), seen = list + 1, order = list + 2, count = 0;
    lua_newtable(L);
    int known = push_order(L, t) ? (int)lua_rawlen(L, order) : 0;
    for (int i = 1; i <= known; i++) {
        lua_rawgeti(L, order, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, t);
        if (!lua_isnil(L, -1)) {
            lua_pushvalue(L, -2);
            lua_rawseti(L, list, ++count);
        }
        lua_rawset(L, seen); // of a key that is gone: nil
    }
    int first = count + 1;
    lua_pushnil(L);
    while (lua_next(L, t)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            luaL_error(L, "a key of an object is not a string");
        lua_pushvalue(L, -1);
        lua_rawget(L, seen);
        bool listed = !lua_isnil(L, -1);
        lua_pop(L, 1);
        if (listed)
            continue;
        /* insertion into the sorted rest: objects made in Lua are small */
        int at = ++count;
        while (at > first) {
            lua_rawgeti(L, list, at - 1);
            if (strcmp(lua_tostring(L, -1), lua_tostring(L, -2)) <= 0) {
                lua_pop(L, 1);
                break;
            }
            lua_rawseti(L, list, at);
            at--;
        }
        lua_pushvalue(L, -1);
        lua_rawseti(L, list, at);
    }
    lua_settop(L, list);
}

/* Adds a value that is not a table. */
static void encode_scalar(encoder *e, int index) {
    lua_State *L = e->L;
    size_t n;
    const char *p;
    switch (lua_type(L, index)) {
    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(L, index))
            luaL_error(L, "JSON cannot represent a userdata"); /* fall through */
    case LUA_TNIL:
        put_text(e->text, "null");
        return;
    case LUA_TBOOLEAN:
        put_text(e->text, lua_toboolean(L, index) ? "true" : "false");
        return;
    case LUA_TNUMBER: {
        char text[40];
        double d = lua_tonumber(L, index);
        if (sluice_isinteger(L, index))
            snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, index));
        else if (isfinite(d))
            write_double(text, sizeof text, d);
        else
            luaL_error(L, "JSON cannot represent this number");
        put_text(e->text, text);
        return;
    }
    case LUA_TSTRING:
        p = lua_tolstring(L, index, &n);
        put_json(e, p, n);
        return;
    default: /* Neovim's null? */
        if (!luaL_callmeta(L, index, "__tostring") || !lua_isstring(L, -1) ||
            strcmp(lua_tostring(L, -1), "vim.NIL") != 0)
            luaL_error(L, "JSON cannot represent a %s", luaL_typename(L, index));
        lua_pop(L, 1);
        put_text(e->text, "null");
    }
}

static void encode_into(encoder *e, int index, int depth) {
    lua_State *L = e->L;
    if (depth > 1024)
        luaL_error(L, "nested too deep, or a table that contains itself");
    luaL_checkstack(L, 12, "nested too deep");
    if (lua_type(L, index) != LUA_TTABLE) {
        encode_scalar(e, index);
        return;
    }
    if (has_type(L, index, NUMBER_TYPE)) {
        lua_rawgeti(L, index, 1);
        size_t n;
        const char *text = lua_tolstring(L, -1, &n);
        put(e->text, text, n);
        lua_pop(L, 1);
        return;
    }
    bool array = is_array(L, index);
    lua_pushvalue(L, index);
    if (!array)
        push_keys(L, index);
    int list = lua_gettop(L), n = (int)lua_rawlen(L, list);
    put(e->text, array ? "[" : "{", 1);
    for (int i = 1; i <= n; i++) {
        if (i > 1)
            put_view(e->text, e->item);
        lua_rawgeti(L, list, i);
        encode_into(e, list + 1, depth + 1);
        if (!array) {
            put_view(e->text, e->key);
            lua_rawget(L, index);
            encode_into(e, list + 1, depth + 1);
        }
        lua_settop(L, list);
    }
    put(e->text, array ? "]" : "}", 1);
    lua_settop(L, list - 1 - !array);
}

/* encode(value[, item separator, key separator]) -> text; raises if JSON cannot express a value. */
static int json_encode(lua_State *L) {
    luaL_checkany(L, 1);
    view separators[2];
    for (int i = 0; i < 2; i++) {
        size_t n;
        const char *p = luaL_optlstring(L, i + 2, i ? ":" : ",", &n);
        separators[i] = view_of(p, n);
    }
    lua_settop(L, 3);
    lua_newtable(L);
    heap heap = {sluice_kept_by(&(sluice_keeper){L, 4}), false};
    out text = {.heap = &heap};
    sluice__buffer_reserve(&heap.alloc, &text.b, 128);
    encode_into(&(encoder){L, &text, separators[0], separators[1]}, 1, 0);
    lua_pushlstring(L, text.b.data, text.b.len);
    return 1;
}

/* array([t]) -> t marked as an array, so that an empty one is written as []. */
static int json_array(lua_State *L) {
    lua_settop(L, 1);
    if (lua_isnil(L, 1))
        lua_newtable(L);
    else
        luaL_checktype(L, 1, LUA_TTABLE);
    luaL_getmetatable(L, ARRAY_TYPE);
    lua_setmetatable(L, -2);
    return 1;
}

/* object([{key, value}, ...]) -> an object with its members in this order */
static int json_object(lua_State *L) {
    push_object(L);
    int t = lua_gettop(L);
    if (lua_istable(L, 1)) {
        for (int i = 1; i <= (int)lua_rawlen(L, 1); i++) {
            lua_rawgeti(L, 1, i);
            luaL_argcheck(L, lua_istable(L, -1), 1, "a member must be {key, value}");
            lua_rawgeti(L, -1, 1);
            luaL_argcheck(L, lua_type(L, -1) == LUA_TSTRING, 1, "a key must be a string");
            lua_rawgeti(L, -2, 2);
            set_member(L, t);
            lua_pop(L, 1);
        }
    }
    return 1;
}

/* raw(text) -> a value that is encoded as this text, which must be JSON; numbers are such
 * values. */
static int json_raw(lua_State *L) {
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    push_raw(L, text, n);
    return 1;
}

/* keys(object) -> its keys, in their order */
static int json_keys(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    push_keys(L, 1);
    return 1;
}

/* kind(value) -> "null", "boolean", "number", "string", "array" or "object" */
static int json_kind(lua_State *L) {
    luaL_checkany(L, 1);
    lua_pushstring(L, lua_isnil(L, 1) || lua_islightuserdata(L, 1) ? "null"
                      : !lua_istable(L, 1)                         ? luaL_typename(L, 1)
                      : has_type(L, 1, NUMBER_TYPE)                ? "number"
                      : is_array(L, 1)                             ? "array"
                                                                   : "object");
    return 1;
}

/* ---- Tool definitions --------------------------------------------------------------------- */

/* tools_json(text) -> value, or nil and a message: what cJSON accepts, with all digits of numbers
 */
static int tools_json(lua_State *L) {
    size_t len;
    const char *json = luaL_checklstring(L, 1, &len), *end = json;
    cJSON *tree = cJSON_ParseWithLengthOpts(json, len, &end, 0);
    if (tree)
        end = past_space((view){end, json + len});
    cJSON_Delete(tree);
    if (!tree || end < json + len) {
        lua_pushnil(L);
        lua_pushfstring(L, "the tools are not valid JSON (at byte %d)",
                        (int)((end ? end : json) - json) + 1);
        return 2;
    }
    size_t mark = len > 3 && memcmp(json, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    lua_pushcfunction(L, json_decode);
    lua_pushlstring(L, json + mark, len - mark);
    lua_createtable(L, 0, 1);
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "lenient");
    lua_call(L, 2, 2);
    return 2;
}

/* number(x) -> the Lua number of a JSON number, or of its text; nil of anything else. Unlike
 * `tonumber`, in any locale. */
static int json_number(lua_State *L) {
    sluice_allocator libc = sluice__libc_allocator();
    size_t n, at;
    lua_settop(L, 1);
    if (lua_type(L, 1) == LUA_TNUMBER)
        return 1;
    if (has_type(L, 1, NUMBER_TYPE))
        lua_rawgeti(L, 1, 1);
    const char *p = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n) : NULL;
    if (!p || strspn(p, "+-.0123456789eE") != n || sluice__not_json(&libc, view_of(p, n), &at))
        return 0;
    push_number(L, p, n, false);
    if (lua_type(L, -1) != LUA_TNUMBER)
        lua_pushnumber(L, read_double(p, n));
    return 1;
}

void sluice_json_open(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"decode", json_decode}, {"encode", json_encode}, {"array", json_array},
        {"object", json_object}, {"keys", json_keys},     {"kind", json_kind},
        {"raw", json_raw},       {"number", json_number}, {NULL, NULL}};
    luaL_newmetatable(L, ARRAY_TYPE);
    lua_pop(L, 1);
    luaL_newmetatable(L, NUMBER_TYPE);
    lua_pushcfunction(L, number_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pop(L, 1);
    lua_pushcfunction(L, tools_json);
    lua_setfield(L, -2, "tools_json");
    lua_newtable(L);
    sluice_add_functions(L, functions);
    push_null(L);
    lua_setfield(L, -2, "null");
    lua_setfield(L, -2, "json");
}
