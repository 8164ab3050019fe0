/*
 * The quick way through wire formats. Most frames differ from the one before only in a text, and
 * most events of a stream are fragments that the encoder writes like the one before. Lua
 * (sluice.wire) interprets a frame, and this file learns its outline; Lua encodes a fragment, and
 * this file learns what is around its text. The frames and fragments that are like them are then
 * converted here. Everything else goes through Lua: an event that cannot be written, and the bytes
 * from the first frame that is unlike.
 */
#include "luawire.h"
#include "../core/json.h"
#include "../core/outline.h"
#include "files.h"

#define QUICK_TYPE "sluice.quick_wire"

enum { PIECES_MAX = 8 };

/* What follows the bytes of a piece. */
typedef enum slot {
    SLOT_NONE,
    SLOT_TEXT,  /* the text of the event, as a JSON string */
    SLOT_ONCE,  /* the kept members of the frame, unless they were written */
    SLOT_KEPT,  /* the first kept value of the frame */
    SLOT_STAMP, /* the time */
    SLOTS
} slot;

static const char *const slot_names[] = {"", "text", "once", "kept", "stamp", NULL};

/* What an encoder writes for a fragment. */
typedef struct form {
    sluice_event_type type;
    size_t index; /* of the call, for arguments */
    sluice__buffer bytes;
    struct {
        size_t len;
        slot next;
    } pieces[PIECES_MAX];
    size_t count; /* 0: unknown */
} form;

struct sluice_quick_wire {
    sluice_allocator alloc;
    sluice__outline outline; /* of the last frame, if Lua could describe it */
    size_t data_at, data_to; /* its JSON, from its start and its end */
    sluice_stream *stream;   /* which gets its text; NULL: it is reasoning */
    int stream_ref;          /* the registry reference that keeps the stream alive */
    bool plain;              /* instead of an outline: all bytes are text */
    form form;
    sluice__buffer frame; /* the last frame, if it has kept values */
    bool frame_is_news;   /* Lua does not know its kept values */
    bool once;            /* they were not written yet */
    sluice__buffer text;  /* what the stream reads */
    sluice__buffer out;
    sluice_event event; /* the last one */
    bool waits;         /* it waits for Lua */
    bool drains;        /* the stream may have more */
    bool ready;         /* nothing is held before the next bytes */
    bool live;
};

typedef struct sluice_quick_wire quick;

/* How far the quick way got. */
typedef enum reached { ALL, AN_EVENT, A_FRAME, NO_MEMORY } reached;

/* ---- Writing ------------------------------------------------------------------------------ */

static bool write_raw(void *user, const char *p, size_t n, bool source) {
    quick *q = user;
    (void)source;
    return sluice__buffer_add(&q->alloc, &q->out, p, n);
}

static bool write_string(quick *q, const char *p, size_t n) {
    bool plain = sluice__plain_run(p, n, '"') == n;
    sluice__sink sink = {q, write_raw, NULL, 0, false, NULL, NULL};
    return sluice__buffer_add(&q->alloc, &q->out, "\"", 1) &&
           (plain ? sluice__buffer_add(&q->alloc, &q->out, p, n)
                  : sluice__escape_whole(&sink, p, n)) &&
           sluice__buffer_add(&q->alloc, &q->out, "\"", 1);
}

/* Writes the first kept value of the frame; `all`: all kept members, a comma before each. */
static bool write_kept(quick *q, bool all) {
    const sluice__outline *o = &q->outline;
    const char *key = o->keys.data;
    for (size_t i = 0; i < o->count; i++) {
        const sluice__hole *g = &o->holes[i];
        if (g->kind != SLUICE__HOLE_KEPT)
            continue;
        if (all && !sluice__buffer_add(&q->alloc, &q->out, key, g->key_len))
            return false;
        key += g->key_len;
        if (!sluice__buffer_add(&q->alloc, &q->out, q->frame.data + g->at, g->len))
            return false;
        if (!all)
            break;
    }
    return true;
}

static bool write_slot(quick *q, slot which) {
    char stamp[32];
    switch (which) {
    case SLOT_TEXT:
        return write_string(q, q->event.text, q->event.text_len);
    case SLOT_ONCE:
        if (!q->once)
            return true;
        q->once = false;
        return write_kept(q, true);
    case SLOT_KEPT:
        return write_kept(q, false);
    case SLOT_STAMP:
        return write_string(q, stamp, sluice_time_stamp(time(NULL), stamp, sizeof stamp));
    default:
        return true;
    }
}

/* Writes the event if its form is known, or leaves it to Lua. */
static reached write_event(quick *q) {
    const form *f = &q->form;
    const char *bytes = f->bytes.data;
    if (!f->count || f->type != q->event.type ||
        (f->type == SLUICE_ARGUMENTS && f->index != q->event.index)) {
        q->waits = true;
        return AN_EVENT;
    }
    for (size_t i = 0; i < f->count; i++) {
        if (!sluice__buffer_add(&q->alloc, &q->out, bytes, f->pieces[i].len) ||
            !write_slot(q, f->pieces[i].next))
            return NO_MEMORY;
        bytes += f->pieces[i].len;
    }
    return ALL;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static reached drain(quick *q) {
    if (q->waits)
        return AN_EVENT;
    while (q->drains) {
        q->drains = sluice_stream_next(q->stream, &q->event) == SLUICE_EVENT;
        reached r = q->drains ? write_event(q) : ALL;
        if (r != ALL)
            return r;
    }
    return ALL;
}

/* Reads the frame at p; *used receives its length. */
static reached read_frame(quick *q, const char *p, size_t n, size_t *used) {
    sluice__buffer *text = q->plain ? &q->text : &q->outline.text;
    if (q->plain) {
        *used = n;
        text->len = 0;
        if (!sluice__buffer_add(&q->alloc, text, p, n))
            return NO_MEMORY;
    } else {
        sluice__likeness like = sluice__outline_match(&q->alloc, &q->outline, p, n, used);
        if (like != SLUICE__LIKE)
            return like == SLUICE__LIKE_NOMEM ? NO_MEMORY : A_FRAME;
    }
    /* the text is a copy, which lives longer than the caller's bytes if Lua raises */
    int fed =
        q->stream && text->len ? sluice_stream_feed(q->stream, text->data, text->len) : SLUICE_OK;
    if (fed != SLUICE_OK)
        return fed == SLUICE_E_NOMEM ? NO_MEMORY : A_FRAME;
    if (q->outline.kept) {
        q->frame.len = 0;
        if (!sluice__buffer_add(&q->alloc, &q->frame, p, *used))
            return NO_MEMORY;
        q->frame_is_news = q->once = true;
    }
    q->drains = q->stream && text->len;
    if (q->stream || !text->len)
        return ALL;
    q->event = (sluice_event){SLUICE_REASONING, .text = text->data, .text_len = text->len};
    return write_event(q);
}

/* Converts p[*at..n), as far as it can. */
static reached convert(quick *q, const char *p, size_t n, size_t *at) {
    for (;;) {
        reached r = drain(q);
        if (r != ALL || *at == n)
            return r;
        size_t used = 0;
        r = q->plain || q->outline.count ? read_frame(q, p + *at, n - *at, &used) : A_FRAME;
        if (r == A_FRAME)
            return r;
        *at += used;
        if (r != ALL)
            return r;
    }
}

int sluice_quick_wire_feed(quick *q, const char *p, size_t n, size_t *used, bool *done) {
    sluice_quick_wire_clear(q);
    *used = 0;
    *done = false;
    if (!q->ready)
        return SLUICE_OK;
    q->ready = false;
    reached r = convert(q, p, n, used);
    q->ready = *done = r == ALL;
    return r == NO_MEMORY ? SLUICE_E_NOMEM : SLUICE_OK;
}

void sluice_quick_wire_clear(quick *q) { q->out.len = 0; }

const char *sluice_quick_wire_out(quick *q, size_t *len) {
    if (!sluice__buffer_reserve(&q->alloc, &q->out, 1))
        return NULL;
    q->out.data[q->out.len] = 0;
    *len = q->out.len;
    return q->out.data;
}

/* ---- For Lua ------------------------------------------------------------------------------ */

static quick *check(lua_State *L) {
    sluice_room_of(L);
    return luaL_checkudata(L, 1, QUICK_TYPE);
}

quick *sluice_check_quick_wire(lua_State *L, int index) {
    return luaL_checkudata(L, index, QUICK_TYPE);
}

static void forget(lua_State *L, quick *q) {
    luaL_unref(L, LUA_REGISTRYINDEX, q->stream_ref);
    q->stream_ref = LUA_NOREF;
    q->stream = NULL;
    q->outline.count = q->outline.kept = 0;
    q->plain = q->waits = q->drains = q->frame_is_news = q->once = q->ready = false;
}

static int quick_gc(lua_State *L) {
    quick *q = lua_touserdata(L, 1);
    sluice_room_of(L);
    if (!q->live)
        return 0;
    q->live = false;
    forget(L, q);
    sluice__outline_release(&q->alloc, &q->outline);
    sluice__buffer_release(&q->alloc, &q->form.bytes);
    sluice__buffer_release(&q->alloc, &q->frame);
    sluice__buffer_release(&q->alloc, &q->text);
    sluice__buffer_release(&q->alloc, &q->out);
    q->form.count = 0;
    return 0;
}

/* wire_quick() -> a quick way, which can convert nothing yet */
static int wire_quick(lua_State *L) {
    sluice_room *room = sluice_room_of(L);
    quick *q = lua_newuserdata(L, sizeof *q);
    memset(q, 0, sizeof *q);
    q->alloc = room->schemas;
    q->stream_ref = LUA_NOREF;
    q->live = true;
    luaL_getmetatable(L, QUICK_TYPE);
    lua_setmetatable(L, -2);
    return 1;
}

static int out_of_memory(lua_State *L) { return luaL_error(L, "not enough memory"); }

/* Pushes the output, which is then empty. */
static int push_out(lua_State *L, quick *q) {
    lua_pushlstring(L, q->out.len ? q->out.data : "", q->out.len);
    sluice_quick_wire_clear(q);
    return 1;
}

/* quick:feed(bytes) -> the converted bytes; or nil, and the position from which on Lua must convert
 * (see sluice_quick_wire_feed) */
static int quick_feed(lua_State *L) {
    quick *q = check(L);
    size_t n, used;
    bool done;
    const char *p = luaL_checklstring(L, 2, &n);
    if (sluice_quick_wire_feed(q, p, n, &used, &done) != SLUICE_OK)
        return out_of_memory(L);
    if (done)
        return push_out(L, q);
    lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)used + 1);
    return 2;
}

/* quick:run(bytes, at) -> the position after what was converted; and an event that Lua must encode
 * before it continues, if there is one. It has no offsets if the server parsed it. */
static int quick_run(lua_State *L) {
    quick *q = check(L);
    size_t n;
    const char *p = luaL_checklstring(L, 2, &n);
    size_t at = (size_t)luaL_checkinteger(L, 3) - 1;
    reached r = at <= n ? convert(q, p, n, &at) : ALL;
    if (r == NO_MEMORY)
        return out_of_memory(L);
    lua_pushinteger(L, (lua_Integer)at + 1);
    if (r != AN_EVENT)
        return 1;
    q->waits = false;
    sluice_push_stream_event(L, &q->event);
    if (!q->stream) {
        lua_pushnil(L);
        lua_setfield(L, -2, "first");
        lua_pushnil(L);
        lua_setfield(L, -2, "last");
    }
    return 2;
}

/* quick:kept() -> the JSON of the last frame, and whether its kept members were written; or nothing
 * if Lua knows them. From then on Lua writes them. */
static int quick_kept(lua_State *L) {
    quick *q = check(L);
    if (!q->frame_is_news)
        return 0;
    lua_pushlstring(L, q->frame.data + q->data_at, q->frame.len - q->data_to - q->data_at);
    lua_pushboolean(L, !q->once);
    if (q->once)
        q->form.count = 0;
    q->frame_is_news = q->once = false;
    return 2;
}

/* Fills the place from the list on the top of the stack: a kind, then names, or numbers for the
 * first item of an array. */
static void read_place(lua_State *L, sluice__place *place) {
    static const char *const kinds[] = {"text", "kept", "free", NULL};
    int list = lua_gettop(L);
    size_t depth = lua_rawlen(L, list) - 1;
    lua_rawgeti(L, list, 1);
    place->kind = (sluice__hole_kind)luaL_checkoption(L, -1, NULL, kinds);
    luaL_argcheck(L, depth >= 1 && depth <= SLUICE__PATH_MAX, list, "too deep");
    place->depth = (unsigned)depth;
    for (unsigned i = 0; i < place->depth; i++) {
        lua_rawgeti(L, list, (int)i + 2);
        place->path[i].name = NULL;
        if (lua_type(L, -1) == LUA_TSTRING) /* which the list keeps alive */
            place->path[i].name = lua_tolstring(L, -1, &place->path[i].len);
    }
    lua_settop(L, list - 1);
}

/* Returns the position of the JSON `data` in an SSE frame with one line of data, or in a frame that
 * is one line; SIZE_MAX if it is not there. */
static size_t find_data(const char *raw, size_t n, const char *data, size_t len) {
    for (size_t i = 0; i + 5 < n; i++) { /* at the beginning of a line */
        if (memcmp(raw + i, "data:", 5) == 0) {
            i += 5 + (raw[i + 5] == ' ');
            return n - i >= len && memcmp(raw + i, data, len) == 0 ? i : SIZE_MAX;
        }
        const char *line = memchr(raw + i, '\n', n - i);
        if (!line)
            break;
        i = (size_t)(line - raw);
    }
    return n >= len && memcmp(raw, data, len) == 0 ? 0 : SIZE_MAX;
}

/* quick:learn(raw, data, stream or nil, places) -> whether frames like this one can be converted.
 * Its JSON is `data`; its text goes to the stream, or is reasoning. */
static int quick_learn(lua_State *L) {
    quick *q = check(L);
    sluice__place places[SLUICE__HOLES_MAX];
    size_t n, len;
    const char *raw = luaL_checklstring(L, 2, &n), *data = luaL_checklstring(L, 3, &len);
    sluice_stream *stream = lua_isnil(L, 4) ? NULL : sluice_check_stream(L, 4);
    luaL_checktype(L, 5, LUA_TTABLE);
    lua_settop(L, 5);
    forget(L, q);
    size_t count = lua_rawlen(L, 5), at = find_data(raw, n, data, len);
    /* after a CR at the end, the frame may continue with a LF */
    bool possible = n > 0 && count <= SLUICE__HOLES_MAX && at != SIZE_MAX && raw[n - 1] == '\n' &&
                    !memchr(data, '\n', len) && !memchr(data, '\r', len);
    for (size_t i = 0; possible && i < count; i++) {
        lua_rawgeti(L, 5, (int)i + 1);
        read_place(L, &places[i]);
    }
    if (possible && stream) {
        lua_pushvalue(L, 4);
        q->stream_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    sluice__likeness like =
        possible ? sluice__outline_learn(&q->alloc, &q->outline, raw, n, at, len, places, count)
                 : SLUICE__UNLIKE;
    if (like == SLUICE__LIKE_NOMEM)
        return out_of_memory(L);
    q->stream = stream;
    q->data_at = at;
    q->data_to = n - at - len;
    lua_pushboolean(L, like == SLUICE__LIKE);
    return 1;
}

/* quick:learn_text(stream): all bytes are text for the stream */
static int quick_learn_text(lua_State *L) {
    quick *q = check(L);
    sluice_stream *stream = sluice_check_stream(L, 2);
    lua_settop(L, 2);
    forget(L, q);
    q->stream_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    q->stream = stream;
    q->plain = true;
    return 0;
}

/* quick:forget(): converts nothing until it learns again */
static int quick_forget(lua_State *L) {
    forget(L, check(L));
    return 0;
}

/* quick:form(pieces): how to write events like the last one that `run` returned: bytes, then what
 * follows them (a slot), in turn. Without pieces: no event can be written. */
static int quick_form(lua_State *L) {
    quick *q = check(L);
    form *f = &q->form;
    f->count = f->bytes.len = 0;
    f->type = q->event.type;
    f->index = q->event.index;
    size_t count = lua_istable(L, 2) ? (lua_rawlen(L, 2) + 1) / 2 : 0;
    luaL_argcheck(L, count <= PIECES_MAX, 2, "too many pieces");
    for (size_t i = 0; i < count; i++) {
        size_t n;
        lua_rawgeti(L, 2, (int)(2 * i) + 1);
        lua_rawgeti(L, 2, (int)(2 * i) + 2);
        const char *bytes = luaL_checklstring(L, -2, &n);
        f->pieces[i].len = n;
        f->pieces[i].next = (slot)luaL_checkoption(L, -1, "", slot_names);
        if (!sluice__buffer_add(&q->alloc, &f->bytes, bytes, n))
            return out_of_memory(L);
        lua_pop(L, 2);
    }
    f->count = count;
    return 0;
}

/* quick:add(bytes): adds bytes that Lua encoded to the output */
static int quick_add(lua_State *L) {
    quick *q = check(L);
    size_t n;
    const char *p = luaL_checklstring(L, 2, &n);
    return sluice__buffer_add(&q->alloc, &q->out, p, n) ? 0 : out_of_memory(L);
}

/* quick:taken() -> the output, which is then empty */
static int quick_taken(lua_State *L) { return push_out(L, check(L)); }

/* quick:set_ready(yes): nothing is held before the next bytes, which `feed` may convert */
static int quick_set_ready(lua_State *L) {
    check(L)->ready = lua_toboolean(L, 2);
    return 0;
}

void sluice_wire_open(lua_State *L) {
    static const luaL_Reg methods[] = {{"feed", quick_feed},
                                       {"run", quick_run},
                                       {"kept", quick_kept},
                                       {"learn", quick_learn},
                                       {"form", quick_form},
                                       {"learn_text", quick_learn_text},
                                       {"add", quick_add},
                                       {"forget", quick_forget},
                                       {"taken", quick_taken},
                                       {"set_ready", quick_set_ready},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"wire_quick", wire_quick}, {NULL, NULL}};
    sluice_metatable(L, QUICK_TYPE, methods, quick_gc);
    sluice_add_functions(L, functions);
}
