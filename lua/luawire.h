/* The quick way through a filter of sluice.wire, which needs no Lua: see luawire.c. */
#ifndef SLUICE_LUAWIRE_H
#define SLUICE_LUAWIRE_H

#include "bridge.h"

typedef struct sluice_quick_wire sluice_quick_wire;

/* [-0, +0, v] Returns the quick way at `index`; raises if it is not one. */
sluice_quick_wire *sluice_check_quick_wire(lua_State *L, int index);

/* Converts p[0..n) as far as that needs no Lua. Returns SLUICE_OK; *done: nothing is left. Else the
 * bytes from p[*used] on are left to Lua, and maybe an event before them. SLUICE_E_NOMEM if out of
 * memory. */
int sluice_quick_wire_feed(sluice_quick_wire *q, const char *p, size_t n, size_t *used, bool *done);

/* Returns what was written since the last call of sluice_quick_wire_feed or
 * sluice_quick_wire_clear, and a NUL; valid until the next one. NULL if out of memory. */
const char *sluice_quick_wire_out(sluice_quick_wire *q, size_t *len);
void sluice_quick_wire_clear(sluice_quick_wire *q);

#endif
