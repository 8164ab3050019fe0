/* The machine's questions; lua/sluice/compile/questions.lua answers those that no pattern does. */
#include "limits.h"
#include "program.h"

/* Questions of the bridge itself. */
enum { Q_SCHEMA = SLUICE__Q_COUNT, Q_GIVEN, Q_PROGRAM };
static const char *const questions[] = {
    [SLUICE__Q_REPAIR_NAME] = "repair_name",
    [SLUICE__Q_DECLARES] = "declares",
    [SLUICE__Q_PLURAL] = "plural",
    [SLUICE__Q_SINGLE] = "single",
    [SLUICE__Q_PARAMETER] = "parameter",
    [Q_SCHEMA] = "schema",
    [Q_GIVEN] = "given",
    [Q_PROGRAM] = "program",
};

typedef struct ask {
    sluice_bridge *b;
    sluice_stream *s;
    unsigned what;
    size_t tool, number;
    view text;
    /* the answer */
    int yes;
    const sluice__schema *schema;
    const sluice__program *program;
    sluice__given given;
} ask;

static bool is_pattern(const ask *a) { return a->what <= SLUICE__Q_HEADER; }
/* Does a script's pattern or function answer? It is counted; a description's work is not. */
static bool is_script(const ask *a) { return a->what <= SLUICE__Q_REPAIR_NAME; }

/* [-0, +0, m] Keeps a text of the answer: the string at `index`. */
static void keep(lua_State *L, ask *a, int index) {
    size_t n;
    const char *p = lua_tolstring(L, index, &n);
    a->b->answer.len = 0;
    if (!sluice__buffer_add(&a->b->room->streams, &a->b->answer, p, n) ||
        !sluice__buffer_add(&a->b->room->streams, &a->b->answer, "", 1))
        luaL_error(L, "not enough memory");
    a->b->answer.len = n;
}

/* [-0, +0, e] Takes the name, its place (from 1, or nil), the id (or nil) and the held pairs (each
 * a key and a text) from the table at `header`, if it is one. */
static void take_header(lua_State *L, ask *a, int header) {
    size_t n, key_len, len;
    a->yes = 0;
    if (!lua_istable(L, header))
        return;
    lua_settop(L, header);
    lua_getfield(L, header, "name");
    lua_getfield(L, header, "at");
    lua_getfield(L, header, "id");
    const char *name = lua_tolstring(L, header + 1, &n), *id = lua_tolstring(L, header + 3, &len);
    if (!name)
        return;
    bool placed = lua_isnumber(L, header + 2);
    uint64_t at = placed ? a->s->pos + (uint64_t)lua_tointeger(L, header + 2) - 1 : 0;
    a->yes = 1;
    sluice__set_reg(a->s, &a->s->call->name, view_of(name, n), at, placed ? at + n : 0);
    a->s->call->header.pattern = SLUICE__NO_PATTERN;
    if (id)
        sluice__set_reg(a->s, &a->s->call->id, view_of(id, len), 0, 0);
    else
        a->s->call->header.has_id = false;
    for (int i = 1; lua_rawgeti(L, header, i), !lua_isnil(L, -1); i++, lua_settop(L, header)) {
        luaL_checktype(L, -1, LUA_TTABLE);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        const char *key = lua_tolstring(L, -2, &key_len), *text = lua_tolstring(L, -1, &len);
        if (!key || !text)
            luaL_error(L, "a held pair is not a pair of strings");
        sluice__hold_pair(a->s, view_of(key, key_len), view_of(text, len));
    }
}

/* [-1, +0, e] Asks the question at light userdata 1. */
static int protected_ask(lua_State *L) {
    ask *a = lua_touserdata(L, 1);
    enum { FIRST = 2 }; /* result */
    lua_settop(L, 0);
    if (is_pattern(a)) {
        sluice_push_plan(L, a->b);
        lua_getfield(L, 1, "patterns");
        lua_rawgeti(L, 2, (int)a->number + 1);
        lua_getfield(L, 3, "match");
        lua_replace(L, 2);
    } else {
        lua_getfield(L, LUA_REGISTRYINDEX, "sluice.questions");
        lua_getfield(L, 1, questions[a->what]);
        sluice_push_plan(L, a->b);
        lua_rawgeti(L, LUA_REGISTRYINDEX, a->b->tools);
        lua_pushinteger(L, (lua_Integer)a->tool);
        lua_pushinteger(L, (lua_Integer)a->number);
    }
    lua_pushlstring(L, a->text.p, view_len(a->text));
    lua_call(L, lua_gettop(L) - FIRST, LUA_MULTRET);
    luaL_checkstack(L, 2, NULL);
    if (a->what == SLUICE__Q_HEADER) {
        take_header(L, a, FIRST);
        return 0;
    }
    lua_settop(L, FIRST + 1);
    a->yes = is_pattern(a) ? !lua_isnil(L, FIRST) : lua_toboolean(L, FIRST);
    if (lua_type(L, FIRST) == LUA_TSTRING)
        keep(L, a, FIRST);
    /* the plan, or the tools, keep objects alive */
    if (a->what == Q_SCHEMA) {
        a->schema = sluice_schema_at(L, FIRST);
    } else if (a->what == Q_PROGRAM) {
        a->program = sluice_program_at(L, FIRST);
    } else if (a->what == Q_GIVEN) {
        a->given.keys = a->yes ? sluice_check_set(L, FIRST) : NULL;
        a->given.names = lua_isnil(L, FIRST + 1) ? NULL : sluice_check_set(L, FIRST + 1);
    }
    return 0;
}

/* Returns the answer; -1 if the script raised, which is reported. */
static int put_question(ask *a) {
    sluice_room *room = a->b->room;
    lua_State *L = room->L;
    if (!lua_checkstack(L, 4)) {
        sluice__fail(a->s, "not enough memory");
        return -1;
    }
    sluice_begin_script(a->b, a->s);
    bool counted = is_script(a) && sluice_limits_count(L, room, true);
    lua_pushcfunction(L, protected_ask);
    lua_pushlightuserdata(L, a);
    int status = lua_pcall(L, 1, 0, 0);
    if (is_script(a))
        sluice_limits_count(L, room, counted);
    sluice_end_script(a->b);
    if (status == LUA_OK)
        return a->yes;
    sluice_tell_raised(L, a->s);
    lua_pop(L, 1);
    return -1;
}

static int ask_any(sluice_stream *s, sluice__question what, size_t number, view text,
                   view *answer) {
    sluice_bridge *b = sluice_bridge_of(s);
    ask a = {.b = b, .s = s, .what = what, .tool = s->call->tool, .number = number, .text = text};
    b->answer.len = 0;
    int r = put_question(&a);
    if (r > 0 && answer)
        *answer = b->answer.len ? view_of(b->answer.data, b->answer.len) : (view){0};
    return r;
}

static size_t find_tool(const sluice_stream *s, const char *name, size_t len) {
    const sluice_bridge *b = sluice_bridge_of(s);
    return sluice_tool_number(b->names, name, len);
}

/* Gets the tool's schema, compiled on first use. 1; 0: it has none; -1: the script raised. */
static int schema_of(sluice_bridge *b, sluice_stream *s, const sluice__schema **schema) {
    sluice_known *known = sluice_tool_known(b->names, s->call->tool);
    if (!known->has_schema) {
        ask a = {.b = b, .s = s, .what = Q_SCHEMA, .tool = s->call->tool};
        if (put_question(&a) < 0)
            return -1;
        known->schema = a.schema;
        known->has_schema = true;
    }
    *schema = known->schema;
    return *schema != NULL;
}

static int ask_types(sluice_stream *s, size_t of, view key, bool items, size_t *schema,
                     sluice__types *out) {
    const sluice__schema *compiled;
    int r = s->call->tool ? schema_of(sluice_bridge_of(s), s, &compiled) : 0;
    size_t found =
        r > 0 && of != SIZE_MAX ? sluice__schema_child(compiled, of, key, items, out) : SIZE_MAX;
    if (found == SIZE_MAX)
        *out = (sluice__types){s->program->untyped, 0, false};
    if (schema)
        *schema = found;
    return r < 0 ? -1 : 0;
}

static int ask_validate(sluice_stream *s, const sluice__doc *arguments, view *message,
                        const char **code) {
    static const char gave_up[] = "schema check abandoned: too expensive";
    sluice_bridge *b = sluice_bridge_of(s);
    const sluice_allocator *a = &b->room->streams;
    const sluice__schema *schema;
    size_t place = 0;
    int r = schema_of(b, s, &schema);
    if (r <= 0)
        return r;
    b->answer.len = 0;
    sluice__fit fit = sluice__schema_check(a, schema, arguments, &b->answer, &place);
    *code = sluice_fit_code(fit);
    *message = view_of(gave_up, sizeof gave_up - 1);
    if (fit == SLUICE__CHECK_NOMEM)
        sluice__fail(s, "not enough memory");
    else if (fit != SLUICE__FITS && fit != SLUICE__GAVE_UP)
        /* of the whole value the pointer is empty: then without the space behind it */
        *message = view_of(b->answer.data + !place, b->answer.len - !place);
    return fit == SLUICE__CHECK_NOMEM ? -1 : fit != SLUICE__FITS;
}

static int ask_given(sluice_stream *s, size_t tool, sluice__given *out) {
    sluice_bridge *b = sluice_bridge_of(s);
    sluice_known *known = b->names ? sluice_tool_known(b->names, tool) : NULL;
    ask a = {.b = b, .s = s, .what = Q_GIVEN, .tool = tool};
    int r = known && known->has_given ? 0 : put_question(&a);
    if (known && known->has_given)
        a.given = known->given;
    *out = a.given;
    if (r >= 0 && known) { /* the tools keep the sets alive */
        known->given = a.given;
        known->has_given = true;
    }
    return r;
}

static const sluice__program *ask_program(sluice_stream *s, uint16_t member) {
    sluice_bridge *b = sluice_bridge_of(s);
    if (b->programs[member])
        return b->programs[member];
    ask a = {.b = b, .s = s, .what = Q_PROGRAM};
    b->asked = member + 1u;
    bool counted =
        sluice_limits_count(b->room->L, b->room, false); /* the script is the library's */
    put_question(&a);
    sluice_limits_count(b->room->L, b->room, counted);
    b->asked = 0;
    return b->programs[member] = a.program;
}

/* ---- Watching ------------------------------------------------------------------------------ */

typedef struct step {
    const sluice_bridge *b;
    const sluice_stream *s;
    size_t pc;
    const char *what, *verdict;
} step;

/* [-1, +0, e] watcher(what, verdict or opener or nil, pos, seen, plan, pc, why, in_reasoning) */
static int protected_watch(lua_State *L) {
    const step *t = lua_touserdata(L, 1);
    const sluice_stream *s = t->s;
    view v = see(s);
    lua_settop(L, 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, t->b->watcher);
    lua_pushstring(L, t->what);
    lua_pushstring(L, t->verdict);
    lua_pushinteger(L, (lua_Integer)s->pos);
    lua_pushinteger(L, (lua_Integer)(s->pos + view_len(v)));
    if (s->program)
        sluice_push_plan(L, t->b);
    else
        lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)t->pc);
    lua_pushstring(L, s->call->wrong.b.len ? s->call->wrong.b.data : NULL);
    lua_pushboolean(L, s->reasoning);
    lua_call(L, 8, 0);
    return 0;
}

static void watch(sluice_stream *s, size_t pc, const char *what, const char *verdict) {
    const sluice_bridge *b = sluice_bridge_of(s);
    step t = {b, s, pc, what, verdict};
    lua_State *L = b->room->L;
    if (!lua_checkstack(L, 4))
        return;
    lua_pushcfunction(L, protected_watch);
    lua_pushlightuserdata(L, &t);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK)
        lua_pop(L, 1);
}

#define CALLS                                                                                      \
    .ask = ask_any, .find_tool = find_tool, .types = ask_types, .validate = ask_validate,          \
    .given = ask_given, .program = ask_program, .hand = sluice_hand, .new_id = sluice_bridge_id,   \
    .release = sluice_bridge_release
const sluice__scripts sluice_script_calls = {CALLS};
const sluice__scripts sluice_watched_calls = {CALLS, .watch = watch};
