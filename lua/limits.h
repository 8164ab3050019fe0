/* Limits of scripts in a private state: instructions, work that C functions do for them, time. */
#ifndef SLUICE_LIMITS_H
#define SLUICE_LIMITS_H

#include "bridge.h"

/* The count hook of a state with limited scripts. Raises if the script has exceeded a limit. */
void sluice_limits_hook(lua_State *L, lua_Debug *ar);

/* [-0, +0, v] Charges the running script for `work` bytes or elements handled in C, before or after
 * the work. Raises like the hook. Does nothing if nothing is limited or no script is running. */
void sluice_limits_charge(lua_State *L, sluice_room *room, double work);

/* [-0, +0, v] Raises with the place in the script, if one is running. */
void sluice_limits_stop(lua_State *L, const char *why);

/* Lets all that follows together take this processor time; 0: each entry has its own limits. */
void sluice_limits_deadline(sluice_room *room, uint64_t nanoseconds);

/* Begins a new entry into a script: nothing is used yet. */
static inline void sluice_limits_begin(sluice_room *room) {
    if (room->heap && *room->heap > room->enough) {
        lua_gc(room->L, LUA_GCCOLLECT, 0);
        size_t left = *room->heap < room->most ? room->most - *room->heap : 0;
        room->enough = *room->heap + left / 2;
    }
    room->spent = room->looked = room->churn = room->before = 0;
    room->timed = false;
}

/* Resumes the script that reads a response, of which `read` bytes were read: earlier work counts,
 * less an allowance per byte. And stops it: `spent` receives its work so far. */
void sluice_limits_resume(sluice_room *room, const sluice_spent *spent, uint64_t read);
void sluice_limits_pause(sluice_room *room, sluice_spent *spent);

/* Sets whether code running in L is counted; returns the old setting. Changes nothing if nothing is
 * limited. */
bool sluice_limits_count(lua_State *L, const sluice_room *room, bool on);

/* For `sluice.core`. charge(n); charged(f, name) -> f, a library's function of this name, but it
 * charges for its work; tick(): for patterns, while they match; size_of(userdata) -> bytes;
 * fresh_budget(): the next script begins; counted(yes, f, ...): returns the results of f, or nil
 * and its error; counts its work or not. */
int sluice_limits_charge_lua(lua_State *L);
int sluice_limits_charged(lua_State *L);
int sluice_limits_tick(lua_State *L);
int sluice_limits_size(lua_State *L);
int sluice_limits_fresh(lua_State *L);
int sluice_limits_counted(lua_State *L);

#endif
