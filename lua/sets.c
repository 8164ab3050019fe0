/* Sets of literals, formats, and what values may quote: constants of a description. */
#include "bridge.h"

#define SET_TYPE "sluice.set"
#define FORMAT_TYPE "sluice.format"

/* A set of literals. `magic` identifies it among userdata, faster than its metatable. */
typedef struct set {
    const void *magic;
    sluice__markers *markers;
    sluice_room *room;
} set;

static const char set_magic;

static int set_gc(lua_State *L) {
    set *u = lua_touserdata(L, 1);
    if (u->room)
        u->room->L = L;
    if (u->markers)
        sluice__markers_free(&u->room->alloc, u->markers);
    u->markers = NULL;
    return 0;
}

/* set(literals[, roles[, quiet]]) -> set: literals is a list of strings, roles one of numbers.
 * Literals with exactly the role `quiet` match, but are not searched for. */
static int core_set(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = lua_rawlen(L, 1);
    unsigned quiet = (unsigned)luaL_optinteger(L, 3, 0);
    luaL_argcheck(L, count <= SLUICE__MARKERS_MAX, 1, "too many literals");
    sluice__marker *items = lua_newuserdata(L, (count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (int)i + 1);
        size_t len;
        const char *text = lua_tolstring(L, -1, &len);
        luaL_argcheck(L, text && len, 1, "a literal is empty or not a string");
        items[i] = (sluice__marker){text, len, 0, false};
        lua_pop(L, 1); /* the table keeps it alive */
        if (lua_istable(L, 2)) {
            lua_rawgeti(L, 2, (int)i + 1);
            items[i].role = (unsigned)lua_tointeger(L, -1);
            items[i].quiet = items[i].role && items[i].role == quiet;
            lua_pop(L, 1);
        }
    }
    set *u = lua_newuserdata(L, sizeof *u);
    *u = (set){&set_magic, NULL, NULL};
    luaL_getmetatable(L, SET_TYPE);
    lua_setmetatable(L, -2);
    u->room = sluice_room_of(L);
    u->markers = sluice__markers_new(&u->room->alloc, items, count);
    if (!u->markers)
        return luaL_error(L, "not enough memory");
    return 1;
}

/* literals(set) -> list of its literals, list of their roles: for display */
static int core_literals(lua_State *L) {
    const sluice__markers *m = sluice_check_set(L, 1);
    lua_createtable(L, (int)m->count, 0);
    lua_createtable(L, (int)m->count, 0);
    for (size_t i = 0; i < m->count; i++) {
        lua_pushlstring(L, m->items[i].text, m->items[i].len);
        lua_rawseti(L, -3, (int)i + 1);
        lua_pushinteger(L, (lua_Integer)m->items[i].role);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 2;
}

sluice__markers *sluice_check_set(lua_State *L, int index) {
    const set *u = lua_touserdata(L, index);
    if (!u || lua_rawlen(L, index) != sizeof *u || u->magic != &set_magic)
        u = luaL_checkudata(L, index, SET_TYPE);
    return u->markers;
}

/* Converts a number from 0 to a count; a number too large, like math.huge, becomes the largest
 * count. */
static size_t count_of(lua_Number n) {
    return n >= 9007199254740992.0 || n >= (lua_Number)SIZE_MAX ? SIZE_MAX : (size_t)n;
}

static size_t size_field(lua_State *L, int t, const char *name, size_t otherwise) {
    lua_getfield(L, t, name);
    size_t n = lua_isnumber(L, -1) ? count_of(lua_tonumber(L, -1)) : otherwise;
    lua_pop(L, 1);
    return n;
}

static bool bool_field(lua_State *L, int t, const char *name) {
    lua_getfield(L, t, name);
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

/* Returns a field's string; it lives as long as the table at `t` keeps it. */
static const char *text_field(lua_State *L, int t, const char *name) {
    lua_getfield(L, t, name);
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return s;
}

void sluice_read_options(lua_State *L, int t, sluice_stream_options *o) {
    memset(o, 0, sizeof *o);
    if (!lua_istable(L, t))
        return;
    o->calls = text_field(L, t, "calls");
    o->start = text_field(L, t, "start");
    o->prompt = text_field(L, t, "prompt");
    o->calls_in_reasoning = text_field(L, t, "calls_in_reasoning");
    o->reasoning_opens = text_field(L, t, "reasoning_opens");
    o->fences = text_field(L, t, "fences");
    o->unknown_tools = text_field(L, t, "unknown_tools");
    o->types = text_field(L, t, "types");
    o->special = text_field(L, t, "special");
    o->mark = text_field(L, t, "mark");
    o->source = bool_field(L, t, "source");
    o->strict = bool_field(L, t, "strict");
    o->parameters = bool_field(L, t, "parameters");
    o->markup = bool_field(L, t, "markup");
    lua_getfield(L, t, "repairs");
    o->no_repairs = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    lua_getfield(L, t, "validate");
    o->no_validation = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    lua_getfield(L, t, "max_calls");
    if (lua_isnumber(L, -1)) /* 0 is no limit here */
        o->max_calls = lua_tonumber(L, -1) > 0 ? count_of(lua_tonumber(L, -1)) : SIZE_MAX;
    lua_pop(L, 3);
    o->limit_name = size_field(L, t, "limit_name", 0);
    o->limit_header = size_field(L, t, "limit_header", 0);
    o->limit_value = size_field(L, t, "limit_value", 0);
    o->limit_held = size_field(L, t, "limit_held", 0);
    o->limit_depth = size_field(L, t, "limit_depth", 0);
}

/* format{ name, several, text = set, reasoning = set, closers = set, pairs = {{lead, trail, after},
 * ...}, bare = bytes, bare_at_line, start_trim, defaults = options } -> format. Keeps the table as
 * its environment. */
static int core_format(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    sluice__format *f = lua_newuserdata(L, sizeof *f);
    int at = lua_gettop(L);
    memset(f, 0, sizeof *f);
    static const char *const sets[] = {"text", "reasoning", "closers", "fence"};
    sluice__markers **to[] = {&f->text, &f->reasoning, &f->closers, &f->fence};
    for (int i = 0; i < 4; i++) {
        lua_getfield(L, 1, sets[i]);
        *to[i] = ((set *)luaL_checkudata(L, -1, SET_TYPE))->markers;
        lua_pop(L, 1);
    }
    f->name = text_field(L, 1, "name");
    lua_getfield(L, 1, "special");
    if (!lua_isnil(L, -1))
        f->special = ((set *)luaL_checkudata(L, -1, SET_TYPE))->markers;
    lua_pop(L, 1);
    lua_getfield(L, 1, "pairs");
    for (int i = 0; i < SLUICE__PAIRS && lua_istable(L, -1); i++) {
        lua_rawgeti(L, -1, i + 1);
        if (lua_istable(L, -1)) {
            f->pairs[i].lead = text_field(L, lua_gettop(L), "lead");
            f->pairs[i].trail = text_field(L, lua_gettop(L), "trail");
            f->pairs[i].after = text_field(L, lua_gettop(L), "after");
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    const char *bare = text_field(L, 1, "bare");
    for (; bare && *bare; bare++)
        f->bare[(unsigned char)*bare / 8] |= (uint8_t)(1 << (unsigned char)*bare % 8);
    f->several = bool_field(L, 1, "several");
    f->bare_at_line = bool_field(L, 1, "bare_at_line");
    f->start_trim = bool_field(L, 1, "start_trim");
    f->fence_text = bool_field(L, 1, "fence_text");
    f->cut_tokens = bool_field(L, 1, "cut_tokens");
    sluice__settings_default(&f->defaults);
    sluice__settings resolved;
    sluice_stream_options o;
    lua_getfield(L, 1, "defaults");
    sluice_read_options(L, lua_gettop(L), &o);
    const char *wrong = sluice__settings_from(f, &o, &resolved);
    if (wrong)
        return luaL_error(L, "%s", wrong);
    f->defaults = resolved;
    sluice__format_complete(f);
    lua_settop(L, at);
    luaL_getmetatable(L, FORMAT_TYPE);
    lua_setmetatable(L, -2);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.kept"); // kept[format] = description
    lua_pushvalue(L, at);
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    lua_settop(L, at);
    return 1;
}

/* [-0, +0, e] Fills a head from the field `name` of the table at 1: {ends = set, attribute}. */
static void read_head(lua_State *L, const char *name, sluice__head *head) {
    lua_getfield(L, 1, name);
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "ends");
        head->ends = sluice_check_set(L, lua_gettop(L));
        lua_pop(L, 1);
        head->attribute = text_field(L, lua_gettop(L), "attribute");
    }
    lua_pop(L, 1);
}

/* quoting{ marks = set, others = set, key = {ends = set, attribute}, name, closer, outer, section,
 * separate } -> what values may quote; see core/quoting.h. Keeps the table alive. */
static int core_quoting(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    sluice__quoting *q = lua_newuserdata(L, sizeof *q);
    memset(q, 0, sizeof *q);
    lua_getfield(L, 1, "marks");
    q->marks = sluice_check_set(L, 3);
    lua_getfield(L, 1, "others");
    q->others = lua_isnil(L, 4) ? NULL : sluice_check_set(L, 4);
    lua_settop(L, 2);
    read_head(L, "key", &q->key);
    read_head(L, "name", &q->name);
    read_head(L, "closer", &q->closer);
    read_head(L, "outer", &q->outer);
    q->section = bool_field(L, 1, "section");
    q->separate = bool_field(L, 1, "separate");
    luaL_getmetatable(L, SLUICE_QUOTING_TYPE);
    lua_setmetatable(L, 2);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.kept");
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    lua_settop(L, 2);
    return 1;
}

void sluice_sets_open(lua_State *L) {
    static const luaL_Reg functions[] = {{"set", core_set},
                                         {"literals", core_literals},
                                         {"format", core_format},
                                         {"quoting", core_quoting},
                                         {NULL, NULL}};
    sluice_metatable(L, SET_TYPE, NULL, set_gc);
    sluice_metatable(L, FORMAT_TYPE, NULL, NULL);
    sluice_metatable(L, SLUICE_QUOTING_TYPE, NULL, NULL);
    sluice_add_functions(L, functions);
}
