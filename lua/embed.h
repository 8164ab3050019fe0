/* Lua files embedded in a program, as text or as bytecode of its own Lua: cmake/embed.cmake
 * generates tables of them. */
#ifndef SLUICE_EMBED_H
#define SLUICE_EMBED_H

#include <stddef.h>
#include <string.h>

struct embedded_module {
    const char *name, *text; /* `name` NULL: end of the table */
    size_t len;
};

/* Returns the module of that name, or NULL. */
static inline const struct embedded_module *embedded_find(const struct embedded_module *table,
                                                          const char *name) {
    for (const struct embedded_module *m = table; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

#endif
