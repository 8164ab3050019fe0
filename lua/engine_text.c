/* The engine of C programs: tools, streams, and whole texts in each direction. */
#include "engine.h"
#include "engine_inside.h"

int sluice__lacks(sluice_engine *e, const void *argument, const char *name) {
    if (e && !argument)
        sluice__refuse(e, SLUICE_E_ARGUMENT, "the argument '%s' is NULL", name);
    return !e || !argument;
}

int sluice__foreign(sluice_engine *e, const sluice_tools *tools) {
    return tools && tools->engine != e
               ? sluice__refuse(e, SLUICE_E_ARGUMENT, "these tools were made with another engine")
               : 0;
}

/* ---- Tools and streams -------------------------------------------------------------------- */

/* Keeps the tools with their text; replaces others that are unused. */
static void keep_tools(sluice_engine *e, sluice_tools *t, const char *json, size_t len) {
    for (int i = 0; i < TOOLS_KEPT && len <= TOOLS_TEXT_MAX; i++) {
        sluice_tools **place = &e->tools[e->next_tools++ % TOOLS_KEPT];
        if (*place && (*place)->users)
            continue;
        if (!(t->text = sluice__realloc(&e->alloc, NULL, 0, len + 1)))
            return; /* keeping them is optional */
        memcpy(t->text, json, len);
        t->len = len;
        t->kept = true;
        if (*place) {
            luaL_unref(e->L, LUA_REGISTRYINDEX, (*place)->ref);
            sluice__drop_tools(*place);
        }
        *place = t;
        return;
    }
}

sluice_tools *sluice_tools_new(sluice_engine *e, const char *json, size_t len) {
    if (sluice__lacks(e, json, "json"))
        return NULL;
    for (int i = 0; i < TOOLS_KEPT; i++) {
        sluice_tools *t = e->tools[i];
        if (t && t->len == len && memcmp(t->text, json, len) == 0) {
            sluice__engine_enter(e);
            t->users++;
            return t;
        }
    }
    sluice_tools *t = sluice__realloc(&e->alloc, NULL, 0, sizeof *t);
    if (!t) {
        sluice__refuse(e, SLUICE_E_NOMEM, "not enough memory");
        return NULL;
    }
    *t = (sluice_tools){.engine = e, .users = 1};
    if (sluice__registry_ask(&(struct asked){.engine = e,
                                             .what = "tools",
                                             .texts = {{json, len}},
                                             .code = SLUICE_E_JSON,
                                             .ref = &t->ref}) != SLUICE_OK) {
        sluice__drop_tools(t);
        return NULL;
    }
    keep_tools(e, t, json, len);
    return t;
}

void sluice_tools_free(sluice_tools *t) {
    if (!t || --t->users || t->kept)
        return;
    luaL_unref(t->engine->L, LUA_REGISTRYINDEX, t->ref);
    sluice__drop_tools(t);
}

/* [-0, +1, e] Pushes the plan of a syntax: host.by_name[syntax].plan if it exists, since that needs
 * no call; else host.plan(syntax). */
void sluice__push_plan(lua_State *L, sluice_engine *e, const char *syntax) {
    int top = lua_gettop(L);
    sluice__push_host(L, e, "by_name");
    if (lua_getfield(L, -1, syntax) != LUA_TTABLE || lua_getfield(L, -1, "plan") != LUA_TTABLE) {
        sluice__push_host(L, e, "plan");
        lua_pushstring(L, syntax);
        lua_call(L, 1, 3); // plan, or nil, a message, whether the script exists but has an error
        bool broken = lua_toboolean(L, -1);
        lua_pop(L, 1);
        if (lua_isnil(L, -2))
            sluice__raise(L, e, broken ? SLUICE_E_SCRIPT : SLUICE_E_NOT_FOUND);
        lua_pop(L, 1);
    }
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
}

void sluice__push_tools(lua_State *L, const sluice_tools *tools) {
    if (tools)
        lua_rawgeti(L, LUA_REGISTRYINDEX, tools->ref);
    else
        lua_pushnil(L);
}

int sluice_engine_stream_options(sluice_engine *e, const char *json,
                                 sluice_stream_options *options) {
    if (sluice__lacks(e, options, "options"))
        return SLUICE_E_ARGUMENT;
    memset(options, 0, sizeof *options);
    struct asked asked = {.engine = e,
                          .what = "stream_options",
                          .texts = {ASKED_TEXT(json)},
                          .code = SLUICE_E_ARGUMENT,
                          .read = options};
    return json ? sluice__registry_ask(&asked) : SLUICE_OK;
}

/* stream(asked): fills asked->stream */
static int make_stream(lua_State *L) {
    struct asked *asked = lua_touserdata(L, 1);
    sluice__push_plan(L, asked->engine, asked->syntax);
    sluice__push_tools(L, asked->tools);
    asked->stream = sluice_bridge_stream(L, 2, 3, asked->options);
    if (!asked->stream)
        return sluice__raise(L, asked->engine, SLUICE_E_ARGUMENT);
    return 0;
}

sluice_stream *sluice_stream_new(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                                 const sluice_stream_options *options) {
    if (sluice__lacks(e, syntax, "syntax") || sluice__foreign(e, tools))
        return NULL;
    struct asked asked = {.engine = e, .syntax = syntax, .tools = tools, .options = options};
    return sluice__engine_run(e, make_stream, &asked, 0) == SLUICE_OK ? asked.stream : NULL;
}

/* ---- Whole texts, and the other directions ------------------------------------------------ */

void sluice_free(sluice_engine *e, void *string) {
    if (!e || !string)
        return;
    size_t *block = (size_t *)string - 2; /* its size is stored before it */
    e->alloc.reallocate(e->alloc.user_data, block, *block, 0);
}

/* Copies bytes to a string for the caller. */
static int hand_out(sluice_engine *e, const char *p, size_t n, char **out, size_t *out_len) {
    size_t size = 2 * sizeof(size_t) + n + 1;
    size_t *block = sluice__realloc(&e->alloc, NULL, 0, size);
    if (!block)
        return sluice__refuse(e, SLUICE_E_NOMEM, "not enough memory");
    *block = size;
    char *s = (char *)(block + 2);
    memcpy(s, p, n);
    s[n] = 0;
    *out = s;
    if (out_len)
        *out_len = n;
    return SLUICE_OK;
}

int sluice_parse(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                 const sluice_stream_options *options, const char *text, size_t len, char **json,
                 size_t *json_len) {
    if (sluice__lacks(e, syntax, "syntax") || sluice__lacks(e, !len || text ? e : NULL, "text") ||
        sluice__lacks(e, json, "json"))
        return SLUICE_E_ARGUMENT;
    const char *out;
    size_t n, limit = e->limit;
    sluice_wire *w = sluice_wire_new(e, syntax, tools, options, "text", "result", NULL);
    if (!w)
        return e->code ? e->code : SLUICE_E_NOMEM;
    enum { PIECE = 1 << 16 }; /* bounds the events that wait to be taken */
    int r = SLUICE_OK;
    /* the text is the host's, and so is what becomes of it */
    e->limit = len < (SIZE_MAX - limit) / 64 ? limit + 64 * len : SIZE_MAX;
    for (size_t at = 0; at < len && r == SLUICE_OK; at += PIECE)
        r = sluice_wire_feed(w, text + at, len - at < PIECE ? len - at : PIECE, &out, &n);
    if (r == SLUICE_OK)
        r = sluice_wire_finish(w, &out, &n);
    if (r == SLUICE_OK)
        r = hand_out(e, out, n - 1, json, json_len); /* without its newline */
    sluice_wire_free(w);
    e->limit = limit;
    return r;
}

static int text_of(struct asked *asked, char **out, size_t *out_len) {
    sluice_engine *e = asked->engine;
    int r = sluice__registry_ask(asked);
    if (r)
        return r;
    size_t n;
    const char *s = lua_tolstring(e->L, -1, &n);
    r = hand_out(e, s, n, out, out_len);
    lua_pop(e->L, 1);
    return r;
}

int sluice_render(sluice_engine *e, const char *syntax, const char *calls_json, size_t len,
                  char **out, size_t *out_len) {
    if (sluice__lacks(e, syntax, "syntax") || sluice__lacks(e, calls_json, "calls_json") ||
        sluice__lacks(e, out, "out"))
        return SLUICE_E_ARGUMENT;
    return text_of(
        &(struct asked){
            .engine = e, .what = "render", .syntax = syntax, .texts = {{calls_json, len}}},
        out, out_len);
}

int sluice_engine_ask(sluice_engine *e, const char *tool, const char *argument, char **out,
                      size_t *out_len) {
    if (sluice__lacks(e, tool, "tool") || sluice__lacks(e, argument, "argument") ||
        sluice__lacks(e, out, "out"))
        return SLUICE_E_ARGUMENT;
    return text_of(&(struct asked){.engine = e,
                                   .what = "tool",
                                   .texts = {ASKED_TEXT(tool), ASKED_TEXT(argument)}},
                   out, out_len);
}

int sluice_grammar(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                   const char *target, const char *options_json, char **out, size_t *out_len) {
    if (sluice__lacks(e, syntax, "syntax") || sluice__lacks(e, target, "target") ||
        sluice__lacks(e, out, "out") || sluice__foreign(e, tools))
        return SLUICE_E_ARGUMENT;
    return text_of(&(struct asked){.engine = e,
                                   .what = "grammar",
                                   .syntax = syntax,
                                   .with_tools = true,
                                   .tools = tools,
                                   .texts = {ASKED_TEXT(target), ASKED_TEXT(options_json)}},
                   out, out_len);
}

int sluice_prompt(sluice_engine *e, const char *syntax, const sluice_tools *tools,
                  const char *options_json, char **out, size_t *out_len) {
    if (sluice__lacks(e, syntax, "syntax") || sluice__lacks(e, out, "out") ||
        sluice__foreign(e, tools))
        return SLUICE_E_ARGUMENT;
    return text_of(&(struct asked){.engine = e,
                                   .what = "prompt",
                                   .syntax = syntax,
                                   .with_tools = true,
                                   .tools = tools,
                                   .texts = {ASKED_TEXT(options_json)}},
                   out, out_len);
}

int sluice_tools_notes(const sluice_tools *tools, char **json, size_t *len) {
    if (!tools || sluice__lacks(tools->engine, json, "json"))
        return SLUICE_E_ARGUMENT;
    return text_of(
        &(struct asked){
            .engine = tools->engine, .what = "tools_notes", .with_tools = true, .tools = tools},
        json, len);
}

/* ---- Introspection ------------------------------------------------------------------------ */

int sluice_list(sluice_engine *e, char **json, size_t *len) {
    if (sluice__lacks(e, json, "json"))
        return SLUICE_E_ARGUMENT;
    return text_of(&(struct asked){.engine = e, .what = "list_json"}, json, len);
}

static const char *of_model(sluice_engine *e, const char *model, const char *what) {
    if (sluice__lacks(e, model, "model") ||
        sluice__registry_ask(
            &(struct asked){.engine = e, .what = what, .texts = {ASKED_TEXT(model)}}) != SLUICE_OK)
        return NULL;
    size_t n = 0;
    const char *s = lua_tolstring(e->L, -1, &n);
    e->answer.len = 0;
    bool good = sluice__buffer_add(&e->alloc, &e->answer, s, n + 1);
    lua_pop(e->L, 1);
    if (!good)
        sluice__refuse(e, SLUICE_E_NOMEM, "not enough memory");
    return good ? e->answer.data : NULL;
}

const char *sluice_start_for(sluice_engine *e, const char *model) {
    const char *start = of_model(e, model, "start_for");
    return start && strcmp(start, "reasoning") == 0 ? "reasoning" : NULL;
}

const char *sluice_syntax_for(sluice_engine *e, const char *model) {
    return of_model(e, model, "syntax_for");
}
