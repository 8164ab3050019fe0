/* Lua files that a program has inside, as text or as bytecode of its own Lua: cmake/embed.cmake
 * writes tables of them. */
#ifndef SLUICE_EMBED_H
#define SLUICE_EMBED_H

#include <stddef.h>
#include <string.h>

struct embedded_module {
    const char *name, *text; /* `name` NULL: the table's end */
    size_t len;
};

/* The module of that name, or NULL. */
static inline const struct embedded_module *embedded_find(const struct embedded_module *table,
                                                          const char *name) {
    for (const struct embedded_module *m = table; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

#endif
