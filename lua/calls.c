/* The machine's questions; lua/sluice/compile/questions.lua answers them. */
#include "limits.h"
#include "program.h"

#include <stdio.h>

enum question {
    FITS,
    HEADER,
    REPAIR_NAME,
    TOOL_FOR,
    SCHEMA,
    DECLARES,
    PLURAL,
    GIVEN,
    PARAMETER,
    SINGLE,
    PROGRAM
};
static const char *const questions[] = {"fits",      "header",   "repair_name", "tool_for",
                                        "schema",    "declares", "plural",      "given",
                                        "parameter", "single",   "program"};

typedef struct ask {
    sluice_bridge *b;
    sluice_stream *s;
    enum question what;
    size_t number; /* a pattern or a tool */
    const char *text;
    size_t len;
    bool flag;
    /* the answer */
    bool yes;
    const sluice__schema *compiled;
    const sluice__program *program;
    sluice__given given;
} ask;

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

/* Reads the name, its position, the id and the held pairs of a header, from `first` on. */
static void take_header(lua_State *L, ask *a, int first) {
    size_t n, key_len, len;
    const char *name = lua_tolstring(L, first, &n);
    uint64_t at = 0, end = 0;
    a->yes = name != NULL;
    if (!name)
        return;
    if (lua_isnumber(L, first + 1)) {
        at = a->s->pos + (uint64_t)lua_tointeger(L, first + 1) - 1;
        end = at + n;
    }
    sluice__set_reg(a->s, REG_NAME, view_of(name, n), at, end);
    a->s->pattern = SLUICE__NO_PATTERN;
    const char *id = lua_tolstring(L, first + 2, &len);
    if (lua_isboolean(L, first + 2) && lua_toboolean(L, first + 2)) {
        static const char blanks[] = " \t\n\v\f\r";
        id = a->text;
        for (len = a->len; len && memchr(blanks, *id, sizeof blanks - 1); len--)
            id++;
        while (len && memchr(blanks, id[len - 1], sizeof blanks - 1))
            len--;
    }
    if (id)
        sluice__set_reg(a->s, REG_ID, view_of(id, len), 0, 0);
    else
        a->s->call->regs[REG_ID].has = false;
    for (int i = first + 3; i + 1 <= lua_gettop(L); i += 2) {
        const char *key = lua_tolstring(L, i, &key_len), *text = lua_tolstring(L, i + 1, &len);
        if (!key || !text)
            luaL_error(L, "a held pair is not a pair of strings");
        sluice__hold_pair(a->s, view_of(key, key_len), view_of(text, len));
    }
}

/* [-1, +0, e] Asks the question at light userdata 1. */
static int protected_ask(lua_State *L) {
    ask *a = lua_touserdata(L, 1);
    lua_settop(L, 0);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.questions");
    lua_getfield(L, 1, questions[a->what]);
    sluice_push_plan(L, a->b);
    lua_rawgeti(L, LUA_REGISTRYINDEX, a->b->tools);
    int first = 2; /* number of the function */
    if (a->what != REPAIR_NAME && a->what != TOOL_FOR)
        lua_pushinteger(L, (lua_Integer)a->number);
    lua_pushlstring(L, a->text, a->len);
    lua_pushboolean(L, a->flag);
    lua_call(L, lua_gettop(L) - first, LUA_MULTRET);
    switch (a->what) {
    case FITS:
    case DECLARES:
        a->yes = lua_toboolean(L, first);
        break;
    case HEADER:
        take_header(L, a, first);
        break;
    case REPAIR_NAME:
    case TOOL_FOR:
    case PLURAL:
    case PARAMETER:
    case SINGLE:
        a->yes = lua_gettop(L) >= first && lua_type(L, first) == LUA_TSTRING;
        a->flag = lua_gettop(L) >= first && lua_isboolean(L, first) && !lua_toboolean(L, first);
        if (a->yes)
            keep(L, a, first);
        break;
    case SCHEMA: /* the tool keeps it alive, and the tools the tool */
        a->compiled = sluice_schema_at(L, first);
        break;
    case PROGRAM: /* the plan keeps it alive */
        a->program = sluice_program_at(L, first);
        break;
    case GIVEN: /* the sets are kept by the tools */
        lua_settop(L, first + 1);
        a->given.keys = lua_isnil(L, first) ? NULL : sluice_check_set(L, first);
        a->given.names = lua_isnil(L, first + 1) ? NULL : sluice_check_set(L, first + 1);
        break;
    }
    return 0;
}

#define ASK(...) (&(ask){.b = user, .s = s, __VA_ARGS__})

/* Returns 1 or 0; -1 if the script raised, which is reported. */
static int put_question(ask *a) {
    sluice_room *room = a->b->room;
    lua_State *L = room->L;
    if (!lua_checkstack(L, 4)) {
        sluice__fail(a->s, "not enough memory");
        return -1;
    }
    sluice_begin_script(a->b, a->s);
    lua_pushcfunction(L, protected_ask);
    lua_pushlightuserdata(L, a);
    int status = lua_pcall(L, 1, 0, 0);
    sluice_end_script(a->b);
    if (status == LUA_OK)
        return a->yes;
    const char *message = lua_tostring(L, -1);
    sluice__fail(a->s, message ? message : "the script raised an error that is not a string");
    lua_pop(L, 1);
    return -1;
}

static int ask_fits(void *user, sluice_stream *s, unsigned pattern, const char *text, size_t len) {
    return put_question(ASK(.what = FITS, .number = pattern, .text = text, .len = len));
}

static int ask_header(void *user, sluice_stream *s, unsigned pattern, const char *text,
                      size_t len) {
    return put_question(ASK(.what = HEADER, .number = pattern, .text = text, .len = len));
}

static size_t find_tool(void *user, const char *name, size_t len) {
    const sluice_bridge *b = user;
    return sluice_tool_number(b->names, name, len);
}

/* Asks a question whose answer is a text or none. */
static int ask_text(ask *a, const char **out, size_t *out_len) {
    int r = put_question(a);
    *out = a->b->answer.data;
    *out_len = a->b->answer.len;
    return r;
}

static int ask_repair_name(void *user, sluice_stream *s, const char *name, size_t len,
                           const char **out, size_t *out_len) {
    ask a = {.b = user, .s = s, .what = REPAIR_NAME, .text = name, .len = len};
    int r = ask_text(&a, out, out_len);
    return r == 0 && a.flag ? 2 : r;
}

static int ask_tool_for(void *user, sluice_stream *s, const char *arguments, size_t len,
                        const char **out, size_t *out_len) {
    return ask_text(ASK(.what = TOOL_FOR, .text = arguments, .len = len), out, out_len);
}

/* Returns the tool's schema, compiled on first use. 1; 0: it has none; -1: the script raised. */
static int schema_of(sluice_bridge *b, sluice_stream *s, size_t tool,
                     const sluice__schema **schema) {
    sluice_known *known = sluice_tool_known(b->names, tool);
    if (!known->has_schema) {
        ask a = {.b = b, .s = s, .what = SCHEMA, .number = tool, .text = ""};
        if (put_question(&a) < 0)
            return -1;
        known->schema = a.compiled;
        known->has_schema = true;
    }
    b->schema = *schema = known->schema;
    b->schema_tool = (uint32_t)tool;
    return *schema != NULL;
}

static int ask_child(void *user, sluice_stream *s, size_t tool, size_t of, const char *key,
                     size_t len, bool items, size_t *schema, sluice__types *out) {
    sluice_bridge *b = user;
    const sluice__schema *compiled = b->schema;
    int r = compiled != NULL;
    if (!tool || tool != b->schema_tool)
        r = tool ? schema_of(b, s, tool, &compiled) : 0;
    *schema = r > 0 && of != SIZE_MAX
                  ? sluice__schema_child(compiled, of, view_of(key, len), items, out)
                  : SIZE_MAX;
    if (*schema == SIZE_MAX)
        *out = (sluice__types){s->program->untyped, 0, false};
    if (!out->mask)
        out->mask = SLUICE__ANY_TYPE;
    return r < 0 ? -1 : 0;
}

static int ask_types(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                     sluice__types *out) {
    return ask_child(user, s, tool, 0, key, len, false, &(size_t){0}, out);
}

static int ask_declares(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                        bool singular) {
    return put_question(
        ASK(.what = DECLARES, .number = tool, .text = key, .len = len, .flag = singular));
}

static int ask_plural(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                      const char **out, size_t *out_len) {
    return ask_text(ASK(.what = PLURAL, .number = tool, .text = key, .len = len), out, out_len);
}

static int ask_single(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                      const char **out, size_t *out_len) {
    return ask_text(ASK(.what = SINGLE, .number = tool, .text = key, .len = len), out, out_len);
}

static int has_schema(void *user, sluice_stream *s, size_t tool) {
    const sluice__schema *schema;
    return schema_of(user, s, tool, &schema);
}

static int ask_validate(void *user, sluice_stream *s, size_t tool, const char *text, size_t len,
                        const char **out, size_t *out_len, const char **code) {
    static const char gave_up[] = "schema check of / abandoned: too expensive";
    sluice_bridge *b = user;
    const sluice_allocator *a = &b->room->streams;
    const sluice__schema *schema;
    size_t place = 0;
    int r = schema_of(b, s, tool, &schema);
    if (r <= 0)
        return r;
    b->answer.len = 0;
    sluice__fit fit = sluice__schema_check(a, schema, text, len, &b->answer, &place);
    *code = sluice_fit_code(fit);
    switch (fit) {
    case SLUICE__FITS:
        return 0;
    case SLUICE__BREAKS:
    case SLUICE__REPEATS:
    case SLUICE__UNCHECKED:
        if (!place) { /* the whole value: the pointer is empty */
            if (!sluice__buffer_add(a, &b->answer, "/", 1))
                break;
            memmove(b->answer.data + 1, b->answer.data, b->answer.len - 1);
            b->answer.data[0] = '/';
        }
        *out = b->answer.data;
        *out_len = b->answer.len;
        return 1;
    case SLUICE__GAVE_UP:
        *out = gave_up;
        *out_len = sizeof gave_up - 1;
        return 1;
    default:
        break;
    }
    sluice__fail(s, "not enough memory");
    return -1;
}

static int ask_given(void *user, sluice_stream *s, size_t tool, sluice__given *out) {
    sluice_bridge *b = user;
    sluice_known *known = b->names ? sluice_tool_known(b->names, tool) : NULL;
    ask a = {.b = b, .s = s, .what = GIVEN, .number = tool, .text = ""};
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

static int ask_parameter(void *user, sluice_stream *s, size_t tool, size_t place, const char **out,
                         size_t *out_len) {
    char text[24];
    ask a = {.b = user, .s = s, .what = PARAMETER, .number = tool, .text = text};
    a.len = (size_t)snprintf(text, sizeof text, "%zu", place);
    return ask_text(&a, out, out_len);
}

static const sluice__program *ask_program(void *user, sluice_stream *s, uint16_t member) {
    sluice_bridge *b = user;
    if (b->programs[member])
        return b->programs[member];
    ask a = {.b = b, .s = s, .what = PROGRAM, .text = ""};
    uint16_t before = s->member;
    s->member = member;
    b->member_asked = true;
    bool counted =
        sluice_limits_count(b->room->L, b->room, false); /* the script is the library's */
    put_question(&a);
    sluice_limits_count(b->room->L, b->room, counted);
    b->member_asked = false;
    s->member = before;
    return b->programs[member] = a.program;
}

/* ---- Watching ------------------------------------------------------------------------------ */

typedef struct step {
    const sluice_bridge *b;
    const sluice_stream *s;
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
    if (t->what[0] == 'o' && s->opener_len)
        lua_pushlstring(L, v.p, s->opener_len);
    else
        lua_pushstring(L, t->verdict);
    lua_pushinteger(L, (lua_Integer)s->pos);
    lua_pushinteger(L, (lua_Integer)(s->pos + view_len(v)));
    if (s->program)
        sluice_push_plan(L, t->b);
    else
        lua_pushnil(L);
    lua_pushinteger(L, s->pc);
    lua_pushstring(L, s->call->wrong.b.len ? s->call->wrong.b.data : NULL);
    lua_pushboolean(L, s->from_reason);
    lua_call(L, 8, 0);
    return 0;
}

static void watch(void *user, sluice_stream *s, const char *what, const char *verdict) {
    const sluice_bridge *b = user;
    step t = {b, s, what, verdict};
    lua_State *L = b->room->L;
    if (!lua_checkstack(L, 4))
        return;
    lua_pushcfunction(L, protected_watch);
    lua_pushlightuserdata(L, &t);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK)
        lua_pop(L, 1);
}

#define CALLS                                                                                      \
    .fits = ask_fits, .header = ask_header, .find_tool = find_tool,                                \
    .repair_name = ask_repair_name, .tool_for = ask_tool_for, .types = ask_types,                  \
    .child = ask_child, .declares = ask_declares, .plural = ask_plural, .single = ask_single,      \
    .has_schema = has_schema, .validate = ask_validate, .given = ask_given,                        \
    .parameter = ask_parameter, .program = ask_program, .hand = sluice_hand,                       \
    .new_id = sluice_bridge_id, .release = sluice_bridge_release
const sluice__scripts sluice_script_calls = {CALLS};
const sluice__scripts sluice_watched_calls = {CALLS, .watch = watch};
