/* Texts that scripts can be loaded from by their path, in place of files. */
#ifndef SLUICE_JS_FILES_H
#define SLUICE_JS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Registers a copy of `text` (`len` bytes) under this path, in place of what it named. False if out
 * of memory. */
bool sluice_js_write_file(const char *path, const char *text, size_t len);

/* Forgets the text under this path, if there is one. */
void sluice_js_remove_file(const char *path);

#endif
