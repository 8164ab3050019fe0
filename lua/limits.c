#include "limits.h"

#include <math.h>
#include <time.h>

#ifdef _WIN32
#define NOGDI // it defines its own PATTERN
#include <windows.h>
#endif

/* Bytes handled by a C function that count as one instruction; the cost of a tick. */
enum { BYTES_AN_INSTRUCTION = 16, TICK_COSTS = 50 };

/* Work between two readings of the clock, in instructions: a reading takes a fraction of a
 * microsecond. */
enum { BETWEEN_LOOKS = 1000 };

/* Nanoseconds after a deadline in which it is not raised again: to report what was found. */
enum { TO_REPORT = 20000000 };

/* ---- Counting ----------------------------------------------------------------------------- */

/* Returns the processor time of this thread in nanoseconds, so a busy or sleeping machine costs a
 * script nothing. */
static uint64_t now(void) {
#ifdef _WIN32 /* MinGW's clock_gettime would need another library */
    FILETIME created, ended, kernel, user;
    if (GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user)) {
        uint64_t high = (uint64_t)kernel.dwHighDateTime + user.dwHighDateTime;
        return ((high << 32) + kernel.dwLowDateTime + user.dwLowDateTime) * 100;
    }
#elif defined CLOCK_THREAD_CPUTIME_ID
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0)
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
    return (uint64_t)clock() * (1000000000u / CLOCKS_PER_SEC);
}

void sluice_limits_deadline(sluice_room *room, uint64_t nanoseconds) {
    room->started = nanoseconds ? now() : 0;
    room->deadline = room->started + nanoseconds;
}

/* True if this function is of a script or C, not of one of Sluice's modules. */
static bool of_script(lua_State *L, lua_Debug *f) {
    return lua_getinfo(L, "S", f) && strncmp(f->source, "=sluice.", 8) != 0;
}

void sluice_limits_stop(lua_State *L, const char *why) {
    lua_Debug f;
    int level = 0;
    while (lua_getstack(L, level, &f) && (!of_script(L, &f) || *f.what == 'C'))
        level++;
    luaL_where(L, level);
    lua_pushstring(L, why);
    lua_concat(L, 2);
    lua_error(L);
}

static void look(lua_State *L, sluice_room *room) {
    room->looked = room->spent;
    if (room->deadline) {
        uint64_t time = now();
        if (room->progress)
            room->progress(time - room->started);
        if (time > room->deadline) {
            room->deadline = time + TO_REPORT;
            sluice_limits_stop(L, "processor time limit exceeded; --seconds raises it");
        }
        if (!room->reads)
            return;
    }
    if (room->spent > room->budget)
        sluice_limits_stop(L, "the script used more instructions than allowed");
    uint64_t time = now();
    if (!room->timed) {
        room->timed = true;
        room->since = time > room->before ? time - room->before : 0;
    }
    if (room->time && time > room->since && time - room->since > room->time)
        sluice_limits_stop(L, "the script took longer than allowed");
}

void sluice_limits_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    sluice_room *room = sluice_room_of(L);
    room->spent += SLUICE_COUNT_EVERY + room->churn / (4 * BYTES_AN_INSTRUCTION);
    room->churn = 0;
    if (room->spent > room->budget || room->spent - room->looked >= BETWEEN_LOOKS || !room->timed)
        look(L, room);
}

/* Allowance per byte of a response that was read: instructions, and nanoseconds. */
enum { WORK_A_BYTE = 2000, TIME_A_BYTE = 10000 };

static uint64_t beyond(uint64_t used, uint64_t allowed) {
    return used > allowed ? used - allowed : 0;
}

void sluice_limits_resume(sluice_room *room, const sluice_spent *spent, uint64_t read) {
    sluice_limits_begin(room);
    room->reads = true;
    room->looked = room->spent = beyond(spent->work, read * WORK_A_BYTE);
    room->before = beyond(spent->time, read * TIME_A_BYTE);
    room->entered = (sluice_spent){room->spent, room->before};
}

void sluice_limits_pause(sluice_room *room, sluice_spent *spent) {
    room->reads = false;
    spent->work += beyond(room->spent, room->entered.work);
    if (room->timed)
        spent->time += beyond(beyond(now(), room->since), room->entered.time);
}

/* True if a script runs in L and its work counts. */
static bool counts(lua_State *L, const sluice_room *room) {
    return room->count && lua_gethook(L) == room->count;
}

void sluice_limits_charge(lua_State *L, sluice_room *room, double work) {
    if (!counts(L, room))
        return;
    double cost = work / BYTES_AN_INSTRUCTION;
    if (cost < 1)
        cost = 1;
    room->spent = cost > (double)room->budget ? room->budget + 1 : room->spent + (uint64_t)cost;
    if (room->spent > room->budget || room->spent - room->looked >= BETWEEN_LOOKS)
        look(L, room);
}

int sluice_limits_charge_lua(lua_State *L) {
    sluice_limits_charge(L, sluice_room_of(L), luaL_checknumber(L, 1));
    return 0;
}

int sluice_limits_tick(lua_State *L) {
    sluice_limits_charge(L, sluice_room_of(L), TICK_COSTS * BYTES_AN_INSTRUCTION);
    lua_pushboolean(L, 1);
    return 1;
}

int sluice_limits_size(lua_State *L) {
    lua_pushinteger(L, lua_isuserdata(L, 1) ? (lua_Integer)lua_rawlen(L, 1) : 0);
    return 1;
}

int sluice_limits_fresh(lua_State *L) {
    sluice_limits_begin(sluice_room_of(L));
    return 0;
}

bool sluice_limits_count(lua_State *L, const sluice_room *room, bool on) {
    bool before = counts(L, room);
    if (room->count && on != before)
        lua_sethook(L, on ? room->count : NULL, on ? LUA_MASKCOUNT : 0, SLUICE_COUNT_EVERY);
    return before;
}

int sluice_limits_counted(lua_State *L) {
    const sluice_room *room = sluice_room_of(L);
    bool before = sluice_limits_count(L, room, lua_toboolean(L, 1));
    int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
    sluice_limits_count(L, room, before);
    if (status == LUA_OK)
        return lua_gettop(L) - 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

/* ---- The libraries for scripts ------------------------------------------------------------ */

/* How the cost of a function is computed. Every function is charged for the bytes of its arguments
 * (but PART, which looks at no more than its results) and results, and for their number; some for
 * more, before they are called. */
enum cost { PLAIN, PART, REPEAT, PATTERN, FIND, ELEMENTS, SORT };

/* The bytes of all values on the stack. */
static double bytes_of(lua_State *L) {
    double bytes = 0;
    for (int i = lua_gettop(L); i > 0; i--)
        bytes += 16 + (lua_type(L, i) == LUA_TSTRING ? (double)lua_rawlen(L, i) : 0);
    return bytes;
}

/* True if the caller of this function is a script's, not one of Sluice's modules. */
static bool by_script(lua_State *L) {
    lua_Debug caller;
    return lua_getstack(L, 1, &caller) && of_script(L, &caller);
}

/* The size of `text:rep(n, sep)`. With empty strings it still loops n times. */
static double repeated(lua_State *L) {
    double n = (double)luaL_optnumber(L, 2, 0);
    double each = (double)(lua_isstring(L, 1) ? lua_rawlen(L, 1) : 0) +
                  (double)(lua_isstring(L, 3) ? lua_rawlen(L, 3) : 0);
    return n > 0 ? n * (each + 1) : 0;
}

/* Lua's string patterns backtrack in C. Returns their maximum cost: bytes, times the length of a
 * long pattern, times bytes for each repetition or pair of brackets, times two for each `?`; or
 * (plain) bytes times bytes. */
static double matched(lua_State *L, bool find) {
    enum { SHORT = 16 };
    size_t n = 0, m = 0;
    const char *text = lua_tolstring(L, 1, &n), *pattern = lua_tolstring(L, 2, &m);
    double cost = (double)n + 1;
    if (!text || !pattern)
        return cost;
    if (find && lua_toboolean(L, 4)) /* find(text, pattern, init, plain) */
        return cost * ((double)m + 1);
    cost *= 1 + (double)(m / SHORT);
    for (size_t i = 0; i < m && cost < 1e30; i++) {
        char c = pattern[i];
        if (c == '*' || c == '+' || c == '-')
            cost *= (double)n + 1;
        else if (c == '?')
            cost *= 2;
        else if (c == '%' && i + 1 < m && strchr("b123456789", pattern[i + 1]))
            cost *= (double)n + 1; /* a pair; and the contents of a capture */
    }
    return cost;
}

/* The comparisons of a sort, each as long as the longest string. */
static double sorted(lua_State *L) {
    double n = lua_istable(L, 1) ? (double)lua_rawlen(L, 1) : 0;
    size_t longest = 0;
    bool more = true; /* the length may be that of a list with gaps, which is not sorted */
    for (int i = 1; more && i <= (int)n && n < INT32_MAX; i++) {
        lua_rawgeti(L, 1, i);
        more = !lua_isnil(L, -1);
        size_t len = lua_type(L, -1) == LUA_TSTRING ? lua_rawlen(L, -1) : 0;
        longest = len > longest ? len : longest;
        lua_pop(L, 1);
    }
    return n * (log2(n + 1) + 1) * (16 + (double)longest);
}

/* Wraps a function of a library. Upvalues: the function, its cost, the room. */
static int charged(lua_State *L) {
    sluice_room *room = lua_touserdata(L, lua_upvalueindex(3));
    int kind = (int)lua_tointeger(L, lua_upvalueindex(2)), given = lua_gettop(L);
    double before = 0;
    if (kind == REPEAT) {
        before = repeated(L);
    } else if (kind == PATTERN || kind == FIND) {
        double cost = matched(L, kind == FIND);
        if (cost >= 1e8 && by_script(L))
            return luaL_error(
                L, "this pattern may take too long on %d bytes; LPeg patterns do not backtrack",
                (int)(lua_isstring(L, 1) ? lua_rawlen(L, 1) : 0));
        if (cost >= 1e6 && counts(L, room)) /* few instructions, but maybe much time */
            look(L, room);
    } else if (kind == ELEMENTS && lua_istable(L, 1)) {
        before = 4.0 * (double)lua_rawlen(L, 1);
    } else if (kind == SORT) {
        before = sorted(L);
    }
    sluice_limits_charge(L, room, before + (kind == PART ? 0 : bytes_of(L)));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, given, LUA_MULTRET);
    sluice_limits_charge(L, room, bytes_of(L));
    return lua_gettop(L);
}

/* Returns the kind of cost of a function. */
static enum cost cost_of(const char *name) {
    static const struct {
        const char *name;
        enum cost cost;
    } special[] = {{"sub", PART},        {"byte", PART},       {"rep", REPEAT},
                   {"find", FIND},       {"match", PATTERN},   {"gmatch", PATTERN},
                   {"gsub", PATTERN},    {"insert", ELEMENTS}, {"remove", ELEMENTS},
                   {"concat", ELEMENTS}, {"sort", SORT}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strcmp(special[i].name, name) == 0)
            return special[i].cost;
    return PLAIN;
}

int sluice_limits_charged(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_pushinteger(L, cost_of(luaL_checkstring(L, 2)));
    lua_replace(L, 2);
    lua_pushlightuserdata(L, sluice_room_of(L));
    lua_pushcclosure(L, charged, 3);
    return 1;
}
