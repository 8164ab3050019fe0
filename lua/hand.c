/* Blocks that a function of the script reads: a coroutine, and the handle that it reads with. See
 * lua/sluice/words/lines.lua. */
#include "limits.h"

#include <stdio.h>

typedef sluice_bridge bridge;
typedef sluice_by_hand by_hand;

static by_hand *hand_of(const sluice_stream *s) { return sluice_bridge_of(s)->hand; }

/* The bottom of a coroutine's stack. */
enum { MAIN = 1, HANDLE, TOOLS, KEPT = TOOLS };

void sluice_forget_coroutine(sluice_bridge *b) {
    if (!b->hand || !b->hand->co)
        return;
    luaL_unref(b->room->L, LUA_REGISTRYINDEX, b->hand->co_ref);
    b->hand->co = NULL;
}

/* Returns the stream that is being read. */
static sluice_stream *current(lua_State *L) {
    enum { MOST_IDLE = 1000000 }; /* operations without progress */
    sluice_room *room = sluice_room_of(L);
    luaL_checkudata(L, 1, SLUICE_HANDLE_TYPE);
    sluice_stream *s = room->current;
    if (!s)
        luaL_error(L, "a stream can be read only while it parses");
    by_hand *h = hand_of(s);
    if (h->at > h->furthest) {
        h->furthest = h->at;
        h->idle = 0;
    } else if (++h->idle > MOST_IDLE) {
        sluice_limits_stop(L, "the syntax loops without consuming input");
    }
    return s;
}

/* Calls out of order are refused, so that whatever a script does, arguments are JSON. */
static sluice_stream *in_call(lua_State *L) {
    sluice_stream *s = current(L);
    if (!is_open(s) || s->call->whole)
        sluice_limits_stop(L, "no call is open");
    return s;
}
static sluice_stream *in_param(lua_State *L) {
    sluice_stream *s = in_call(L);
    if (s->call->value.string || !(s->call->due.b.len || in_array(s)))
        sluice_limits_stop(L, "no parameter is open");
    return s;
}

/* Charges a script for `n` bytes of events that it makes itself. They may be some times as many as
 * it has read, not more: else a few bytes of a model could cost a host any amount. */
static void charge(lua_State *L, sluice_stream *s, size_t n) {
    enum { SLACK = 1 << 20, TIMES = 64, EACH = 64 };
    by_hand *h = hand_of(s);
    uint64_t most = SLACK + TIMES * (s->base + s->len);
    h->reported += EACH + (n < most ? n : most);
    if (h->reported > most)
        sluice_limits_stop(L, "the script reports much more than it reads");
    sluice_limits_charge(L, sluice_bridge_of(s)->room, (double)n);
}

/* Returns the text at 2, which an event carries whole: a name, a key. */
static view short_text(lua_State *L, sluice_stream *s, size_t most, const char *what) {
    size_t len;
    const char *text = luaL_checklstring(L, 2, &len);
    if (len > most)
        luaL_error(L, "%s may have at most %d bytes, not %d", what, (int)most, (int)len);
    charge(L, s, len);
    return view_of(text, len);
}
static view some_text(lua_State *L, sluice_stream *s) {
    view text = short_text(L, s, SIZE_MAX, "a text");
    sluice__tell_markup(s, s->pos);
    return text;
}

/* call(name, start, end): this call is announced, and the one before ends. */
static int h_call(lua_State *L) {
    enum { MOST_NAME = 4096 };
    sluice_stream *s = current(L);
    by_hand *h = hand_of(s);
    size_t most = s->set.limit_name > MOST_NAME ? s->set.limit_name : MOST_NAME;
    view name = short_text(L, s, most, "a name");
    sluice__set_reg(s, &s->call->name, name, (uint64_t)luaL_checkinteger(L, 3),
                    (uint64_t)luaL_checkinteger(L, 4));
    s->call->header.pattern = SLUICE__NO_PATTERN;
    h->named = true;
    return lua_yield(L, 0);
}
/* done(): the open call has ended. */
static int h_done(lua_State *L) {
    sluice_stream *s = in_call(L);
    hand_of(s)->ended = true;
    return lua_yield(L, 0);
}

/* Pushes what `line` returns, if that is known. */
static int line_end(lua_State *L, sluice_stream *s) {
    enum { LONGEST = 1 << 30 };
    by_hand *h = hand_of(s);
    view v = see_from(s, h->looked);
    const char *p = view_len(v) ? memchr(v.p, '\n', view_len(v)) : NULL;
    h->looked += (uint64_t)((p ? p : v.end) - v.p);
    h->awaits_line = !p && !s->finished && h->looked - h->line <= LONGEST;
    if (h->awaits_line)
        return 0;
    lua_pushinteger(L, (lua_Integer)h->looked); /* no string: nothing may raise here */
    lua_pushboolean(L, p != NULL);
    return 2;
}
/* line(start): the line that begins there -> its end, whether there is a newline */
static int h_line(lua_State *L) {
    sluice_stream *s = current(L);
    by_hand *h = hand_of(s);
    h->line = h->looked = (uint64_t)luaL_checkinteger(L, 2);
    if (h->line < s->base || h->line > s->base + s->len)
        return luaL_error(L, "these bytes are not held");
    int n = line_end(L, s);
    return n ? n : lua_yield(L, 0);
}
/* text(start, end) -> bytes of the response that are still held */
static int h_text(lua_State *L) {
    sluice_stream *s = current(L);
    uint64_t start = (uint64_t)luaL_checkinteger(L, 2), end = (uint64_t)luaL_checkinteger(L, 3);
    if (start < s->base || end < start || end > s->base + s->len)
        return luaL_error(L, "these bytes are no longer held");
    lua_pushlstring(L, start < end ? byte_at(s, start) : "", (size_t)(end - start));
    return 1;
}
static int h_pos(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)hand_of(current(L))->at);
    return 1;
}
/* seek(p): continues reading at p, which must be in the held bytes. */
static int h_seek(lua_State *L) {
    sluice_stream *s = current(L);
    by_hand *h = hand_of(s);
    uint64_t to = (uint64_t)luaL_checkinteger(L, 2);
    uint64_t least = s->told > s->block || s->call->committed ? s->told : s->block;
    if (to < least || to < s->base || to > s->base + s->len)
        return luaL_error(L, "this position is not held");
    h->at = s->pos = to;
    return 0;
}
/* at_line() -> true if a line begins at pos */
static int h_at_line(lua_State *L) {
    sluice_stream *s = current(L);
    lua_pushboolean(L, sluice__line_start(s, s->pos));
    return 1;
}
/* carry(text): keeps a text for later blocks of this response; carried() -> it, or nil */
static int h_carry(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *text = luaL_checklstring(L, 2, &n);
    sluice__set(s, &hand_of(s)->carried, view_of(text, n));
    return 0;
}
static int h_carried(lua_State *L) {
    const by_hand *h = hand_of(current(L));
    if (h->carried.len)
        lua_pushlstring(L, h->carried.data, h->carried.len);
    else
        lua_pushnil(L);
    return 1;
}
static int h_error(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *code = sluice__code(luaL_checkstring(L, 2)), *message = luaL_checklstring(L, 3, &n);
    if (!code)
        return luaL_error(L, "there is no error code '%s'", lua_tostring(L, 2));
    charge(L, s, n);
    if (s->call->began) /* as sluice__report does: what was read before it is told first */
        sluice__tell_markup(s, sluice__window_needed(s));
    sluice__report_view(s, s->pos, code, view_of(message, n));
    return 0;
}
static int h_lower(lua_State *L) {
    sluice_stream *s = current(L);
    /* not sluice__lower, whose strict reading asks what has come: here only taken lines count */
    char how = *luaL_checkstring(L, 2);
    uint8_t status = how == 'r' ? SLUICE_RECOVERED : SLUICE_INCOMPLETE;
    if (how == 'd' && s->set.strict) /* a grammar lets a value quote anything */
        return 0;
    s->call->status = status > s->call->status ? status : s->call->status;
    s->call->cut_off |= s->finished; /* another line might have followed */
    return 0;
}

/* param(key) -> true: a parameter begins: param_typed or param_part follow. nil if the key is too
 * long, which is told. */
static int h_param(lua_State *L) {
    static const char too_long[] = "a parameter whose key is longer than limit_value is left out";
    sluice_stream *s = in_call(L);
    if (s->call->value.string || s->call->due.b.len || in_array(s) || s->call->any == ALL)
        return luaL_error(L, "a parameter cannot begin here");
    view key = short_text(L, s, SIZE_MAX, "a key");
    if (view_len(key) > s->set.limit_value) {
        sluice__spoil(s, "limit_exceeded", too_long);
        return 0;
    }
    sluice__hash_add(&s->call->used, key);
    sluice__begin_parameter(s, key);
    lua_pushboolean(L, true);
    return 1;
}
/* param_typed(text, types[, items]): its value, or the next one of its array; `items`: the types of
 * the items if it may be an array with this one item. */
static int h_param_typed(lua_State *L) {
    sluice_stream *s = in_param(L);
    view text = some_text(L, s);
    unsigned types = (unsigned)luaL_checkinteger(L, 3), items = (unsigned)luaL_optinteger(L, 4, 0);
    if (items && !in_array(s)) {
        s->call->value.types.mask = (uint16_t)types;
        s->call->value.types.array = (uint16_t)items;
        sluice__set(s, &s->call->repeated_text.b, text);
        s->call->repeated = ONE_TEXT;
        sluice__flush_repeated(s);
    } else {
        sluice__write_typed(s, text, types, false, s->pos);
    }
    return 0;
}
/* param_array(true), param_array(false): its value is an array, and ends */
static int h_param_array(lua_State *L) {
    sluice_stream *s = in_param(L);
    bool opens = lua_toboolean(L, 2);
    if (opens == in_array(s))
        return luaL_error(L, "no array can begin or end here");
    sluice__tell_markup(s, s->pos);
    if (opens)
        sluice__write_raw(s, "[");
    else
        sluice__write(s, view_text("]"), s->told);
    s->call->repeated = opens ? AN_EMPTY_ARRAY : NOT_REPEATED; /* closed if the script raises */
    return 0;
}
/* param_part(text[, last]): adds a part of a string value */
static int h_param_part(lua_State *L) {
    sluice_stream *s = in_call(L);
    if (!s->call->value.string)
        in_param(L);
    view text = some_text(L, s);
    bool last = lua_toboolean(L, 3);
    if (!s->call->value.string)
        sluice__write_raw(s, "\"");
    s->call->value.string = last ? UNDECIDED : WRITTEN;
    size_t from = s->made.b.len;
    bool bad = sluice__put_escaped(&s->made, text);
    sluice__arguments_made(s, from, s->pos);
    sluice__tell_utf8(s, bad);
    if (last)
        sluice__write(s, view_text("\""), s->pos);
    return 0;
}

static const luaL_Reg methods[] = {{"call", h_call},
                                   {"done", h_done},
                                   {"line", h_line},
                                   {"text", h_text},
                                   {"pos", h_pos},
                                   {"seek", h_seek},
                                   {"at_line", h_at_line},
                                   {"carry", h_carry},
                                   {"error", h_error},
                                   {"carried", h_carried},
                                   {"lower", h_lower},
                                   {"param", h_param},
                                   {"param_typed", h_param_typed},
                                   {"param_array", h_param_array},
                                   {"param_part", h_param_part},
                                   {NULL, NULL}};

/* [-0, +0, m] Creates the methods of the handle, and the room, which has one: Lua finalizes it
 * last, since it is made first. */
void sluice_handle_open(lua_State *L) {
    sluice_metatable(L, SLUICE_HANDLE_TYPE, methods, NULL);
    sluice_room_of(L);
}

void sluice_tell_raised(lua_State *L, sluice_stream *s) {
    const char *message = lua_tostring(L, -1);
    char text[1024]; /* a script can make it as long as it likes */
    snprintf(text, sizeof text, "%s",
             message ? message : "the script raised an error that is not a string");
    text[utf8_whole(text, strlen(text))] = 0;
    sluice__fail(s, text);
}

static sluice__hand run(bridge *b, sluice_stream *s, int arguments) {
    lua_State *L = b->room->L;
    by_hand *h = b->hand;
    int results = 0;
    sluice_stream *outer = b->room->current;
    b->room->current = s;
    sluice_begin_script(b, s);
    int status = sluice_resume(h->co, L, arguments, &results);
    sluice_end_script(b);
    b->room->current = outer;
    b->room->L = L;
    if (status == LUA_YIELD) {
        lua_pop(h->co, results);
        sluice__hand hand = h->named   ? SLUICE__HAND_NAMES
                            : h->ended ? SLUICE__HAND_ENDS
                                       : SLUICE__HAND_WAITS;
        h->named = h->ended = false;
        return hand;
    }
    h->running = false;
    if (status == LUA_OK) {
        bool closed = lua_toboolean(h->co, KEPT + 1);
        lua_settop(h->co, KEPT); /* a finished coroutine can run again */
        return closed ? SLUICE__HAND_CLOSES : SLUICE__HAND_REJECTS;
    }
    sluice_tell_raised(h->co, s);
    sluice_forget_coroutine(b);
    return SLUICE__HAND_RAISES;
}

/* [-1, +0, m] Makes the coroutine of the bridge at light userdata 1. */
static int make_coroutine(lua_State *L) {
    const bridge *b = lua_touserdata(L, 1);
    by_hand *h = b->hand;
    lua_State *co = lua_newthread(L);
    h->co_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    sluice_limits_count(co, b->room, true); /* also where the state that made it is not counted */
    h->co = co;
    sluice_push_plan(L, b);
    lua_getfield(L, -1, "main"); // plan, main
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->room->handle);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools);
    lua_xmove(L, co, KEPT);
    return 0;
}

static sluice__hand open_block(bridge *b, sluice_stream *s) {
    lua_State *L = b->room->L;
    if (!b->hand && !(b->hand = sluice__zeroed(&b->room->streams, sizeof *b->hand))) {
        s->heap.failed = true;
        return SLUICE__HAND_RAISES;
    }
    by_hand *h = b->hand;
    if (h->running || h->program != s->program)
        sluice_forget_coroutine(b);
    if (h->program != s->program)
        h->carried.len = 0;
    h->program = s->program;
    if (!h->co) {
        lua_pushcfunction(L, make_coroutine);
        lua_pushlightuserdata(L, b);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
            sluice_tell_raised(L, s);
            lua_pop(L, 1);
            sluice_forget_coroutine(b);
            return SLUICE__HAND_RAISES;
        }
    }
    lua_pushvalue(h->co, MAIN);
    lua_pushvalue(h->co, HANDLE);
    lua_pushvalue(h->co, TOOLS);
    h->furthest = h->at = s->pos;
    h->idle = 0;
    h->running = true;
    h->awaits_line = false;
    return run(b, s, 2);
}

sluice__hand sluice_hand(sluice_stream *s, bool on) {
    bridge *b = sluice_bridge_of(s);
    const by_hand *h = b->hand;
    if (!on)
        return open_block(b, s);
    if (!h->co || !h->running)
        return SLUICE__HAND_REJECTS;
    int results = h->awaits_line ? line_end(h->co, s) : 0;
    return h->awaits_line ? SLUICE__HAND_WAITS : run(b, s, results);
}
