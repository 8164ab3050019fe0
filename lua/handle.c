/* The stream as s.lines reads it (lua/sluice/words/lines.lua): its methods. Scripts never hold it.
 */
#include "limits.h"

#include <stdio.h>

/* A block is given up after this many operations without progress, including those that go back. */
enum { MOST_IDLE = 1000000 };

typedef sluice_bridge bridge;

/* Returns the stream that is being read. Upvalue 1: the room. */
static sluice_stream *current(lua_State *L) {
    sluice_room *room = lua_touserdata(L, lua_upvalueindex(1));
    if (lua_topointer(L, 1) != room->handle_at)
        luaL_checkudata(L, 1, SLUICE_HANDLE_TYPE); /* raises */
    room->L = L;
    sluice_stream *s = room->current;
    if (!s)
        luaL_error(L, "a stream can be read only while it parses");
    bridge *b = s->user;
    if (s->pos > b->furthest) {
        b->furthest = s->pos;
        b->idle = 0;
    } else if (++b->idle > MOST_IDLE) {
        luaL_error(L, "the syntax loops without consuming input");
    }
    return s;
}

static int no_memory(lua_State *L) { return luaL_error(L, "not enough memory"); }

/* Calls out of order are refused, so that whatever a script does, calls have an end and arguments
 * are JSON. */

static sluice_stream *in_call(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->call.open || s->call.closed)
        luaL_error(L, "no call is open");
    return s;
}

/* Raises unless a parameter's value is due. */
static sluice_stream *in_param(lua_State *L) {
    sluice_stream *s = in_call(L);
    if ((!s->call.key_pending && !s->call.in_array) || s->call.in_text)
        luaL_error(L, "no parameter is open");
    return s;
}

/* Ends every operation: returns its result now, or when more input has come. */
static int answer(lua_State *L, sluice_stream *s, int r) {
    if (r < 0)
        return no_memory(L);
    if (r == 0 || s->count - s->head > 256) /* let the events out first */
        return lua_yield(L, 0);
    lua_settop(L, 0);
    return sluice_push_result(L, s);
}

static int checked(lua_State *L, bool good) {
    if (!good)
        return no_memory(L);
    return 0;
}

/* Charges a script that reads by hand for `n` bytes of events that it makes itself. They may be
 * some times as many as it has read, not more: else a few bytes of a model could cost a host any
 * amount. */
static void charge_report(lua_State *L, sluice_stream *s, size_t n) {
    enum { SLACK = 1 << 20, TIMES = 64, EACH = 64 };
    bridge *b = s->user;
    uint64_t most = SLACK + TIMES * sluice__visible(s);
    b->reported += EACH + (n < most ? n : most);
    if (b->reported > most)
        luaL_error(L, "the script reports much more than it reads");
    sluice_limits_charge(L, b->room, (double)n);
}

/* Like `checked`, for functions that queue events: if the queue is long, lets the events out
 * first. */
static int queued(lua_State *L, sluice_stream *s, bool good) {
    enum { MOST_EVENTS = 256, MOST_BYTES = 256 * 1024 };
    if (!good)
        return no_memory(L);
    if (s->count - s->head <= MOST_EVENTS && s->scratch.len <= MOST_BYTES)
        return 0;
    memset(&s->result, 0, sizeof s->result);
    return lua_yield(L, 0);
}

/* Returns a text that an event carries whole: a name, an id, a key. */
static const char *short_text(lua_State *L, int at, size_t most, const char *what, size_t *len) {
    const char *text = luaL_checklstring(L, at, len);
    if (*len > most)
        luaL_error(L, "%s may have at most %d bytes, not %d", what, (int)most, (int)*len);
    if (memchr(text, 0, *len)) /* in C it would end there, perhaps as another tool's name */
        luaL_error(L, "%s may not contain a NUL", what);
    return text;
}

/* Maximum bytes of a name or an id; a higher limit of the stream is used instead. */
enum { MOST_NAME = 4096 };
static size_t most_name(const sluice_stream *s) {
    return s->set.limit_name > MOST_NAME ? s->set.limit_name : MOST_NAME;
}

static int h_upto(lua_State *L) {
    sluice_stream *s = current(L);
    size_t limit = lua_isnumber(L, 3) ? (size_t)lua_tointeger(L, 3) : s->set.limit_header;
    return answer(L, s,
                  sluice__op_upto(s, sluice_check_set(L, 2), limit, lua_toboolean(L, 4),
                                  lua_toboolean(L, 5)));
}
/* call(name, start, end): the machine announces this call, and ends the one before. */
static int h_call(lua_State *L) {
    sluice_stream *s = current(L);
    bridge *b = s->user;
    size_t n;
    const char *name = short_text(L, 2, most_name(s), "a name", &n);
    uint64_t start = (uint64_t)luaL_checkinteger(L, 3), end = (uint64_t)luaL_checkinteger(L, 4);
    charge_report(L, s, n);
    if (!sluice__machine_name(b->run, s, name, n, start, end))
        return no_memory(L);
    b->named = true;
    return lua_yield(L, 0);
}
/* done(): the open call has ended. */
static int h_done(lua_State *L) {
    sluice_stream *s = in_call(L);
    ((bridge *)s->user)->ended = true;
    return lua_yield(L, 0);
}
/* carry(text): keeps a text for later blocks of this response; carried() -> it, or nil */
static int h_carry(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *text = luaL_checklstring(L, 2, &n);
    return checked(L, sluice__carry(s, text, n));
}
static int h_carried(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->aside || !s->aside->carried.len)
        return 0;
    lua_pushlstring(L, s->aside->carried.data, s->aside->carried.len);
    return 1;
}

/* text(start, end) -> bytes of the response that are still held */
static int h_text(lua_State *L) {
    sluice_stream *s = current(L);
    uint64_t start = (uint64_t)luaL_checkinteger(L, 2), end = (uint64_t)luaL_checkinteger(L, 3);
    if (start < s->window.base || end < start || end > sluice__visible(s))
        return luaL_error(L, "these bytes are no longer held");
    lua_pushlstring(L, start < end ? sluice__at(s, start) : "", (size_t)(end - start));
    return 1;
}
static int h_pos(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)current(L)->pos);
    return 1;
}
/* seek(p): continues reading at p, which must be in the held bytes. */
static int h_seek(lua_State *L) {
    sluice_stream *s = current(L);
    uint64_t to = (uint64_t)luaL_checkinteger(L, 2);
    uint64_t least = s->sent > s->mark || s->committed ? s->sent : s->mark;
    if (least < s->window.base)
        least = s->window.base;
    if (to < least || to > sluice__visible(s))
        return luaL_error(L, "this position is not held");
    sluice__seek(s, to);
    return 0;
}
static int h_error(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *code = sluice__code(luaL_checkstring(L, 2)), *message = luaL_checklstring(L, 3, &n);
    if (!code)
        return luaL_error(L, "there is no error code '%s'", lua_tostring(L, 2));
    charge_report(L, s, n);
    return queued(L, s, sluice__settle(s) && sluice__error(s, code, message, n));
}
/* param(key) -> true; nil if the key is too long, which is told */
static int h_param(lua_State *L) {
    static const char too_long[] = "a parameter whose key is longer than limit_value is left out";
    size_t n;
    sluice_stream *s = in_call(L);
    if (s->call.in_text || (s->call.has_arguments && !s->call.built))
        return luaL_error(L, "a parameter cannot begin here");
    const char *key = short_text(L, 2, SIZE_MAX, "a key", &n);
    bridge *b = s->user;
    charge_report(L, s, n);
    if (n > s->set.limit_value) {
        sluice__lower(s, SLUICE_INCOMPLETE);
        return checked(L, sluice__settle(s) && sluice__error(s, sluice__code("limit_exceeded"),
                                                             too_long, sizeof too_long - 1));
    }
    if (!sluice__machine_key(b->run, s, key, n) || !sluice__param(s, key, n))
        return no_memory(L);
    lua_pushboolean(L, true);
    return 1;
}
/* param_typed(text, types, flags[, cut]) -> the type of the value, or 0 */
static int h_param_typed(lua_State *L) {
    size_t n;
    unsigned type;
    sluice_stream *s = in_param(L);
    const char *text = luaL_checklstring(L, 2, &n);
    charge_report(L, s, n);
    if (!sluice__flush(s) ||
        !sluice__param_typed(s, text, n, (unsigned)luaL_checkinteger(L, 3),
                             (uint32_t)luaL_checkinteger(L, 4), lua_toboolean(L, 5), &type))
        return no_memory(L);
    lua_pushinteger(L, (lua_Integer)type);
    return 1;
}
/* param_part(text[, last]): adds a part of a string value */
static int h_param_part(lua_State *L) {
    size_t n;
    sluice_stream *s = in_call(L);
    if (!s->call.in_text)
        in_param(L);
    const char *text = luaL_checklstring(L, 2, &n);
    charge_report(L, s, n);
    return queued(L, s, sluice__flush(s) && sluice__param_part(s, text, n, lua_toboolean(L, 3)));
}
/* at_line() -> true if a line begins at pos */
static int h_at_line(lua_State *L) {
    sluice_stream *s = current(L);
    lua_pushboolean(L, (lua_toboolean(L, 2) ? sluice__line_indent : sluice__line_start)(s, s->pos));
    return 1;
}
/* pin(true): allows seek to go back to here: bytes read from now on are not reported as markup
 * until the same number of pin(false), or until a call is announced. */
static int h_pin(lua_State *L) {
    sluice_stream *s = current(L);
    if (lua_toboolean(L, 2))
        s->pinned++;
    else if (s->pinned)
        s->pinned--;
    return 0;
}
static int h_param_array(lua_State *L) {
    sluice_stream *s = in_call(L);
    if (s->call.in_text || lua_toboolean(L, 2) == s->call.in_array ||
        !(s->call.key_pending || s->call.in_array))
        return luaL_error(L, "no array can begin or end here");
    return checked(L, sluice__flush(s) && sluice__param_array(s, lua_toboolean(L, 2)));
}
static int h_lower(lua_State *L) {
    sluice_stream *s = current(L);
    const char *to = luaL_checkstring(L, 2);
    sluice__lower(s, to[0] == 'i' ? SLUICE_INCOMPLETE : SLUICE_RECOVERED);
    return 0;
}
static const luaL_Reg handle_methods[] = {{"upto", h_upto},
                                          {"call", h_call},
                                          {"done", h_done},
                                          {"carry", h_carry},
                                          {"carried", h_carried},
                                          {"text", h_text},
                                          {"pos", h_pos},
                                          {"seek", h_seek},
                                          {"error", h_error},
                                          {"param", h_param},
                                          {"param_typed", h_param_typed},
                                          {"param_array", h_param_array},
                                          {"lower", h_lower},
                                          {"param_part", h_param_part},
                                          {"at_line", h_at_line},
                                          {"pin", h_pin},
                                          {NULL, NULL}};

/* [-0, +0, m] Creates the methods of the handle. Upvalue 1 of each is the room. */
void sluice_handle_open(lua_State *L) {
    sluice_metatable(L, SLUICE_HANDLE_TYPE, NULL, NULL);
    sluice_room *room = sluice_room_of(L);
    luaL_getmetatable(L, SLUICE_HANDLE_TYPE);
    lua_newtable(L);
    lua_pushlightuserdata(L, room); // stack: metatable, methods, room
    for (const luaL_Reg *m = handle_methods; m->name; m++) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, m->func, 1);
        lua_setfield(L, -3, m->name);
    }
    lua_pop(L, 1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
