/* Blocks that a function of the script reads: each is a coroutine. */
#include "limits.h"
#include "script_options.h"

typedef sluice_bridge bridge;

void sluice_forget_coroutine(bridge *b) {
    if (b->co) {
        luaL_unref(b->room->L, LUA_REGISTRYINDEX, b->co_ref);
        b->co = NULL;
        b->co_ref = LUA_NOREF;
    }
}

/* The bottom of a coroutine's stack. */
enum { MAIN = 1, HANDLE, TOOLS, SET, KEPT = SET };

void sluice_begin_script(sluice_bridge *b, const sluice_stream *s) {
    if (s->furthest < b->seen) { /* another response */
        b->spent = (sluice_spent){0};
        b->reported = 0;
    }
    b->seen = s->furthest;
    sluice_limits_resume(b->room, &b->spent, s->furthest);
}

void sluice_end_script(sluice_bridge *b) { sluice_limits_pause(b->room, &b->spent); }

static sluice__verdict run(bridge *b, sluice_stream *s, int arguments) {
    lua_State *L = b->room->L;
    int results = 0;
    sluice_stream *outer = b->room->current;
    b->room->current = s;
    sluice_begin_script(b, s);
    int status = sluice_resume(b->co, L, arguments, &results);
    sluice_end_script(b);
    b->room->current = outer;
    b->room->L = L;
    if (status ==
        LUA_YIELD) { /* the operation's arguments stay on its stack, which keeps them alive */
        lua_pop(b->co, results);
        sluice__verdict verdict = b->named   ? SLUICE__NAMES
                                  : b->ended ? SLUICE__ENDS
                                             : SLUICE__AWAITS;
        b->named = b->ended = false;
        return verdict;
    }
    sluice__verdict verdict = SLUICE__REJECTED;
    if (status == LUA_OK) {
        if (lua_toboolean(b->co, KEPT + 1))
            verdict = SLUICE__CLOSED;
        lua_settop(b->co, KEPT); /* a finished coroutine can run again */
        return verdict;
    }
    const char *message = lua_tostring(b->co, -1);
    bool reported =
        sluice__fail(s, message ? message : "the script raised an error that is not a string");
    (void)reported; /* if out of memory for the message, the next event reports that */
    sluice_forget_coroutine(b);
    return SLUICE__FAILED;
}

/* [-0, +1, m] Pushes settings as a table, as descriptions read them. */
static void push_settings(lua_State *L, const sluice__settings *set) {
    lua_newtable(L);
#define X(name, push)                                                                              \
    push;                                                                                          \
    lua_setfield(L, -2, #name);
    SLUICE_SETTINGS(X)
#undef X
}

void sluice_push_plan(lua_State *L, const bridge *b) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->plan);
    if (!b->many)
        return;
    lua_getfield(L, -1,
                 "member"); // member(number, tools) -> its plan, for a stream with these tools
    lua_pushinteger(L, b->run->member + 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools);
    lua_call(L, 2, 1);
    lua_replace(L, -2);
}

/* [-2, +0, m] Makes the coroutine of the bridge at light userdata 1; it reads for the stream at
 * light userdata 2. */
static int make_coroutine(lua_State *L) {
    bridge *b = lua_touserdata(L, 1);
    const sluice_stream *s = lua_touserdata(L, 2);
    lua_State *co = lua_newthread(L);
    b->co_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    b->co = co;
    b->co_member = b->run->member;
    sluice_push_plan(L, b);
    lua_getfield(L, -1, "main");
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->room->handle);
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->tools);
    push_settings(L, &s->set);
    lua_xmove(L, co, KEPT);
    return 0;
}

static sluice__verdict hand_open(bridge *b, sluice_stream *s) {
    lua_State *L = b->room->L;
    if (b->co_member != b->run->member)
        sluice_forget_coroutine(b);
    if (!b->co) {
        lua_pushcfunction(L, make_coroutine);
        lua_pushlightuserdata(L, b);
        lua_pushlightuserdata(L, s);
        if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
            const char *message = lua_tostring(L, -1);
            bool reported = sluice__fail(s, message ? message : "no memory");
            (void)reported;
            lua_pop(L, 1);
            sluice_forget_coroutine(b);
            return SLUICE__FAILED;
        }
    }
    lua_State *co = b->co; // main(handle, tools, settings, pos, in_reasoning)
    lua_pushvalue(co, MAIN);
    lua_pushvalue(co, HANDLE);
    lua_pushvalue(co, TOOLS);
    lua_pushvalue(co, SET);
    lua_pushinteger(co, (lua_Integer)s->pos);
    lua_pushboolean(co, s->from_reason);
    b->furthest = s->pos;
    b->idle = 0;
    return run(b, s, 5);
}

int sluice_push_result(lua_State *L, const sluice_stream *s) {
    if (s->result.item >= 0)
        lua_pushinteger(L, (lua_Integer)s->result.item + !s->result.is_byte);
    else
        lua_pushnil(L);
    lua_pushinteger(L, (lua_Integer)s->result.start);
    lua_pushinteger(L, (lua_Integer)s->result.end);
    lua_pushinteger(L, (lua_Integer)s->result.kind);
    lua_pushboolean(L, s->result.ok);
    if (!s->result.text)
        return 5;
    lua_pushlstring(L, s->result.text, s->result.text_len);
    return 6;
}

sluice__verdict sluice_hand(void *user, sluice_stream *s, bool on) {
    bridge *b = user;
    if (!on)
        return hand_open(b, s);
    if (!b->co)
        return SLUICE__REJECTED;
    return run(b, s, sluice_push_result(b->co, s));
}
