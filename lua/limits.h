/* What a script may use up in a private state: instructions, what C functions do for it, time. */
#ifndef SLUICE_LIMITS_H
#define SLUICE_LIMITS_H

#include "bridge.h"

/* [-0, +1, m] Pushes a table of the libraries for scripts: `string`, `table`, `utf8` and the
 * function `next`, which charge for what they do. The methods of strings are these from here on.
 * The globals stay as they are, for the modules of Sluice. */
void sluice_limits_open(lua_State *L, sluice_room *room);

/* The count hook of a state whose scripts are limited. Raises where the script has used up more
 * than it may. */
void sluice_limits_hook(lua_State *L, lua_Debug *ar);

/* [-0, +0, v] `work` bytes or elements were, or are to be, handled in C for the script that runs.
 * Raises as the hook does. Where nothing is limited, or what runs is no script, does nothing. */
void sluice_limits_charge(lua_State *L, sluice_room *room, double work);

/* A new entry into a script: nothing is used up. */
static inline void sluice_limits_begin(sluice_room *room) {
    room->spent = room->looked = room->churn = room->before = 0;
    room->timed = false;
}

/* The script that reads a response goes on, of which `read` bytes were read so far: what it used up
 * before counts, but for so much a byte. And it stops: `spent` is what it has used up by now. */
void sluice_limits_resume(sluice_room *room, const sluice_spent *spent, uint64_t read);
void sluice_limits_pause(sluice_room *room, sluice_spent *spent);

/* Is what runs in L counted from here on? Answers whether it was. Nothing changes where nothing is
 * limited. */
bool sluice_limits_count(lua_State *L, const sluice_room *room, bool on);

/* For `sluice.core`. charge(n); tick(): of patterns, while they match; size_of(userdata) -> bytes;
 * fresh_budget(): the next script begins; counted(yes, f, ...): what f answers, or nil and
 * what it raised; whether what it does is counted. */
int sluice_limits_charge_lua(lua_State *L);
int sluice_limits_tick(lua_State *L);
int sluice_limits_size(lua_State *L);
int sluice_limits_fresh(lua_State *L);
int sluice_limits_counted(lua_State *L);

#endif
