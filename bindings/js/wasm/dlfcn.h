/* Declarations for lua/system.h, whose functions are not called here: this libc has neither dynamic
 * libraries nor links. */
#ifndef SLUICE_WASM_DLFCN_H
#define SLUICE_WASM_DLFCN_H

typedef struct {
    const char *dli_fname;
} Dl_info;

int dladdr(const void *address, Dl_info *info);
char *realpath(const char *path, char *resolved);

#endif
