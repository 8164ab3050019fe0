/* The handle of a script that reads by hand: the operations of core/stream.h as methods. */
#include "limits.h"
#include "script_options.h"

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
        luaL_error(L, "the description reads without making progress");
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
    return text;
}

/* Maximum bytes of a name or an id; a higher limit of the stream is used instead. */
enum { MOST_NAME = 4096 };
static size_t most_name(const sluice_stream *s) {
    return s->set.limit_name > MOST_NAME ? s->set.limit_name : MOST_NAME;
}

static int h_accept(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_accept(s, sluice_check_set(L, 2), !lua_toboolean(L, 3), true));
}
static int h_peek(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_accept(s, sluice_check_set(L, 2), !lua_toboolean(L, 3), false));
}
static int h_upto(lua_State *L) {
    sluice_stream *s = current(L);
    size_t limit = lua_isnumber(L, 3) ? (size_t)lua_tointeger(L, 3) : s->set.limit_header;
    return answer(L, s,
                  sluice__op_upto(s, sluice_check_set(L, 2), limit, lua_toboolean(L, 4),
                                  lua_toboolean(L, 5)));
}
static int h_byte(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_byte(s, lua_toboolean(L, 2)));
}
static int h_string(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    size_t limit = lua_isnumber(L, 4) ? (size_t)lua_tointeger(L, 4) : s->set.limit_name;
    return answer(L, s, sluice__op_string(s, (uint32_t)luaL_optinteger(L, 2, 0), quote, n, limit));
}
static int h_member(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    return answer(
        L, s,
        sluice__op_member(s, (uint32_t)luaL_optinteger(L, 2, 0), quote, n, lua_toboolean(L, 4)));
}
static int h_skip(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    return answer(L, s, sluice__op_skip(s, (uint32_t)luaL_optinteger(L, 2, 0), quote, n, 0));
}
static int h_begin(lua_State *L) {
    sluice_stream *s = current(L);
    if (s->call.open)
        return luaL_error(L, "a call is open already");
    size_t name_len, id_len = 0;
    const char *name = short_text(L, 2, most_name(s), "a name", &name_len),
               *id = lua_isnoneornil(L, 3) ? "" : short_text(L, 3, most_name(s), "an id", &id_len);
    charge_report(L, s, name_len + id_len);
    uint64_t start = (uint64_t)luaL_optinteger(L, 4, 0), end = (uint64_t)luaL_optinteger(L, 5, 0);
    const char *code = luaL_optstring(L, 6, NULL), *message = luaL_optstring(L, 7, NULL);
    if (code && !(code = sluice__code(code)))
        return luaL_error(L, "there is no error code of this name");
    return answer(L, s, sluice__op_begin(s, name, name_len, id, id_len, start, end, code, message));
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
static int h_arguments(lua_State *L) {
    sluice_stream *s = in_call(L);
    if (s->call.has_arguments)
        return luaL_error(L, "the call has arguments already");
    size_t n = 0;
    uint32_t flags = (uint32_t)luaL_checkinteger(L, 2);
    sluice__top top = (sluice__top)luaL_optinteger(L, 3, SLUICE__TOP_OBJECT);
    if ((unsigned)top > SLUICE__TOP_KWARGS)
        return luaL_error(L, "there is no such kind of arguments");
    const char *quote = luaL_optlstring(L, 4, NULL, &n);
    return answer(L, s, sluice__op_arguments(s, flags, top, quote, n, lua_toboolean(L, 5)));
}
static int h_value(lua_State *L) {
    sluice_stream *s = current(L);
    const sluice__markers *ends = sluice_check_set(L, 2), *confirm = sluice_check_set(L, 3);
    const char *lead = luaL_optstring(L, 4, NULL), *trail = luaL_optstring(L, 5, NULL);
    int mode = (int)luaL_checkinteger(L, 6);
    if ((unsigned)mode > SLUICE__DISCARDED)
        return luaL_error(L, "there is no mode %d to read a value", mode);
    if (mode == SLUICE__STREAMED || mode == SLUICE__TYPED)
        in_param(L);
    unsigned types = (unsigned)luaL_checkinteger(L, 7);
    uint32_t flags = (uint32_t)luaL_checkinteger(L, 8);
    return answer(L, s,
                  sluice__op_value(s, ends, confirm, lead, trail, mode, types, flags,
                                   lua_toboolean(L, 9), lua_toboolean(L, 10),
                                   (unsigned)luaL_optinteger(L, 11, 0)));
}
/* quotes(quoting, keys or nil, names or nil, key): sets what the next value may quote, and for
 * which tool: sets of its parameters and of the given tools; `key` as it is written. The
 * description and the tools own the sets. */
static int h_quotes(lua_State *L) {
    sluice_stream *s = current(L);
    sluice__given given = {lua_isnoneornil(L, 3) ? NULL : sluice_check_set(L, 3),
                           lua_isnoneornil(L, 4) ? NULL : sluice_check_set(L, 4)};
    size_t n;
    const char *key = luaL_optlstring(L, 5, "", &n);
    return checked(
        L, sluice__op_value_quotes(s, luaL_checkudata(L, 2, SLUICE_QUOTING_TYPE), &given, key, n));
}
/* go(ends_here, ends, confirm, lead, trail): answers an ASK of value; repeats its arguments. */
static int h_go(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->asks)
        return luaL_error(L, "no question is open");
    const sluice__markers *ends = sluice_check_set(L, 3), *confirm = sluice_check_set(L, 4);
    const char *lead = luaL_optstring(L, 5, NULL), *trail = luaL_optstring(L, 6, NULL);
    return answer(L, s, sluice__op_value_go(s, ends, confirm, lead, trail, lua_toboolean(L, 2)));
}
static int h_content(lua_State *L) {
    sluice_stream *s = current(L);
    const char *kind = luaL_checkstring(L, 3);
    return answer(L, s,
                  sluice__op_text(s, sluice_check_set(L, 2),
                                  kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT,
                                  luaL_optstring(L, 4, NULL), luaL_optstring(L, 5, NULL)));
}
/* speech(flags, kind): reads a JSON value's strings as text or reasoning. */
static int h_speech(lua_State *L) {
    sluice_stream *s = current(L);
    const char *kind = luaL_checkstring(L, 3);
    return answer(L, s,
                  sluice__op_speech(s, (uint32_t)luaL_checkinteger(L, 2),
                                    kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT));
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
/* lines(prefix): reads the open parameter's value, from lines that begin with the set's literal. */
static int h_lines(lua_State *L) {
    sluice_stream *s = in_param(L);
    return answer(L, s, sluice__op_lines(s, sluice_check_set(L, 2)));
}
static int h_junk(lua_State *L) {
    sluice_stream *s = current(L);
    return answer(L, s, sluice__op_junk(s, sluice_check_set(L, 2)));
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
static int h_param(lua_State *L) {
    size_t n;
    sluice_stream *s = in_call(L);
    if (s->call.in_text || (s->call.has_arguments && !s->call.built))
        return luaL_error(L, "a parameter cannot begin here");
    const char *key = short_text(L, 2, s->set.limit_value, "a key", &n);
    bridge *b = s->user;
    charge_report(L, s, n);
    return checked(L, sluice__machine_key(b->run, s, key, n) && sluice__param(s, key, n));
}
static int h_param_json(lua_State *L) {
    size_t n;
    sluice_stream *s = in_param(L);
    const char *json = luaL_checklstring(L, 2, &n);
    const char *why;
    size_t at;
    charge_report(L, s, n);
    if (!sluice__is_json(&s->alloc, json, n, &why, &at))
        return luaL_error(L, "not valid JSON: %s", why);
    return queued(L, s, sluice__flush(s) && sluice__param_json(s, json, n));
}
static int h_param_text(lua_State *L) {
    size_t n;
    sluice_stream *s = in_param(L);
    const char *text = luaL_checklstring(L, 2, &n);
    charge_report(L, s, n);
    return queued(L, s, sluice__flush(s) && sluice__param_text(s, text, n));
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
/* typed(text, types, flags[, cut]) -> JSON, or nil if it can only be a string; whether it was
 * repaired */
static int h_typed(lua_State *L) {
    size_t n;
    unsigned type;
    bool mended;
    sluice_stream *s = current(L);
    const char *text = luaL_checklstring(L, 2, &n);
    sluice_limits_charge(L, lua_touserdata(L, lua_upvalueindex(1)), (double)n);
    s->taken.len = 0;
    if (!sluice__typed_value(s, text, n, (unsigned)luaL_checkinteger(L, 3),
                             (uint32_t)luaL_checkinteger(L, 4), lua_toboolean(L, 5), &s->taken,
                             &type, &mended))
        return no_memory(L);
    if (!type)
        return 0;
    lua_pushlstring(L, s->taken.data, s->taken.len);
    lua_pushboolean(L, mended);
    return 2;
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
/* drop_after(white space): drops it from the text after the block; at most 15 bytes. */
static int h_drop_after(lua_State *L) {
    sluice_stream *s = current(L);
    const char *text = luaL_checkstring(L, 2);
    sluice__aside *aside = sluice__get_aside(s);
    if (!aside)
        return checked(L, false);
    snprintf(aside->drop_text, sizeof aside->drop_text, "%s", text);
    s->drop_after = aside->drop_text;
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
static int h_status(lua_State *L) {
    static const char *const names[] = {"complete", "recovered", "incomplete"};
    lua_pushstring(L, names[current(L)->call.status]);
    return 1;
}
/* Raises unless `extra` is a JSON object: it is reported unchanged. */
static void check_extra(lua_State *L, sluice_stream *s, const char *extra, size_t len) {
    const char *why = "it is not an object";
    size_t at;
    if (extra && (!len || extra[strspn(extra, " \t\r\n")] != '{' ||
                  !sluice__is_json(&s->alloc, extra, len, &why, &at)))
        luaL_error(L, "the extra of a call must be a JSON object: %s", why);
}
/* end_call([id[, extra]]) -> true if the call counts */
static int h_end_call(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->call.open)
        return luaL_error(L, "no call is open");
    size_t id_len = 0, extra_len = 0;
    const char *id = lua_isnoneornil(L, 2) ? "" : short_text(L, 2, most_name(s), "an id", &id_len),
               *extra = luaL_optlstring(L, 3, NULL, &extra_len);
    charge_report(L, s, id_len + extra_len);
    check_extra(L, s, extra, extra_len);
    bool good;
    if (!sluice__end_call(s, id, id_len, extra, extra_len, &good))
        return no_memory(L);
    lua_pushboolean(L, good);
    return 1;
}
/* flush(): reports the bytes read so far as markup; the block can no longer be text. */
static int h_flush(lua_State *L) {
    sluice_stream *s = current(L);
    s->committed = true;
    charge_report(L, s, 0);
    return queued(L, s, sluice__flush(s));
}
/* tell(kind, upto): reports the bytes up to there that no event covers as "text", "reasoning" or
 * "markup"; reading continues there. */
static int h_tell(lua_State *L) {
    sluice_stream *s = current(L);
    const char *kind = luaL_checkstring(L, 2);
    uint64_t upto = (uint64_t)luaL_checkinteger(L, 3);
    if (s->call.open || upto < s->sent || upto > sluice__visible(s))
        return luaL_error(L, "these bytes cannot be reported");
    s->committed = true;
    s->pos = upto;
    return checked(L, kind[0] == 'm'
                          ? sluice__gap(s, upto)
                          : sluice__send(s, kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT, upto));
}
/* say(kind, text): reports "text" or "reasoning" that is not in the response. */
static int h_say(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    const char *kind = luaL_checkstring(L, 2), *text = luaL_checklstring(L, 3, &n);
    if (s->call.open)
        return luaL_error(L, "a call is open");
    s->committed = true;
    return checked(
        L, sluice__fragment(s, kind[0] == 'r' ? SLUICE_REASONING : SLUICE_TEXT, text, n, s->sent));
}
/* keep(): keeps the open call's arguments; arguments_text() -> them, closed, or nil if they are too
 * long */
static int h_keep(lua_State *L) {
    sluice_stream *s = current(L);
    s->call.kept = true;
    return 0;
}
static int h_arguments_text(lua_State *L) {
    sluice_stream *s = current(L);
    if (!s->call.kept)
        return 0;
    if (!sluice__flush(s) || !sluice__close_arguments(s))
        return no_memory(L);
    lua_pushlstring(L, s->call.text.data ? s->call.text.data : "", s->call.text.len);
    return 1;
}
/* json(flags[, quote]): reads one value as JSON, as the open parameter's */
static int h_json(lua_State *L) {
    sluice_stream *s = in_param(L);
    size_t n = 0;
    const char *quote = luaL_optlstring(L, 3, NULL, &n);
    return answer(L, s, sluice__op_json(s, (uint32_t)luaL_checkinteger(L, 2), quote, n, 0));
}
/* seen_id(id) -> true if an earlier call of this response has it. Remembers it. */
static int h_seen_id(lua_State *L) {
    sluice_stream *s = current(L);
    size_t n;
    bool again;
    const char *id = luaL_checklstring(L, 2, &n);
    if (!sluice__seen_id(s, id, n, &again))
        return no_memory(L);
    lua_pushboolean(L, again);
    return 1;
}
static const char *const option_names[] = {
#define X(name, push) #name,
    SLUICE_OPTIONS(X)
#undef X
        NULL};

static int h_option(lua_State *L) {
    sluice_stream *s = current(L);
    const sluice__settings *set = &s->set;
    enum {
        NONE,
#define X(name, push) NAMED_##name,
        SLUICE_OPTIONS(X)
#undef X
    };
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    switch (lua_tointeger(L, -1)) {
#define X(name, push)                                                                              \
    case NAMED_##name:                                                                             \
        push;                                                                                      \
        return 1;
        SLUICE_OPTIONS(X)
#undef X
    }
    return luaL_error(L, "there is no option '%s'", luaL_checkstring(L, 2));
}

static const luaL_Reg handle_methods[] = {{"accept", h_accept},
                                          {"peek", h_peek},
                                          {"upto", h_upto},
                                          {"byte", h_byte},
                                          {"string", h_string},
                                          {"member", h_member},
                                          {"skip", h_skip},
                                          {"begin", h_begin},
                                          {"call", h_call},
                                          {"done", h_done},
                                          {"arguments", h_arguments},
                                          {"value", h_value},
                                          {"quotes", h_quotes},
                                          {"go", h_go},
                                          {"content", h_content},
                                          {"speech", h_speech},
                                          {"lines", h_lines},
                                          {"carry", h_carry},
                                          {"carried", h_carried},
                                          {"junk", h_junk},
                                          {"text", h_text},
                                          {"pos", h_pos},
                                          {"seek", h_seek},
                                          {"error", h_error},
                                          {"param", h_param},
                                          {"param_json", h_param_json},
                                          {"param_text", h_param_text},
                                          {"param_typed", h_param_typed},
                                          {"typed", h_typed},
                                          {"param_array", h_param_array},
                                          {"lower", h_lower},
                                          {"status", h_status},
                                          {"end_call", h_end_call},
                                          {"param_part", h_param_part},
                                          {"at_line", h_at_line},
                                          {"drop_after", h_drop_after},
                                          {"pin", h_pin},
                                          {"keep", h_keep},
                                          {"arguments_text", h_arguments_text},
                                          {"json", h_json},
                                          {"flush", h_flush},
                                          {"tell", h_tell},
                                          {"say", h_say},
                                          {"seen_id", h_seen_id},
                                          {NULL, NULL}};

/* [-0, +0, m] Creates the methods of the handle. Upvalue 1 of each is the room; 2, of `option`,
 * maps names to numbers. */
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
    lua_newtable(L);
    for (int i = 0; option_names[i]; i++) {
        lua_pushinteger(L, i + 1);
        lua_setfield(L, -2, option_names[i]);
    }
    lua_pushcclosure(L, h_option, 2);
    lua_setfield(L, -2, "option");
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
