/* The few things of the system (files, the clock, the process) that the host side needs. */
#ifndef SLUICE_FILES_H
#define SLUICE_FILES_H

#include "bridge.h"

/* The folder of the installed scripts, in `out`; NULL where there is none. Any thread. */
const char *sluice_script_folder(char *out, size_t size);

/* The number of this process. */
unsigned long sluice_process(void);

/* Fills p[0..n) from the system's randomness. False: there is none. */
bool sluice_random(void *p, size_t n);

/* What separates the folders in SLUICE_PATH. */
#ifdef _WIN32
#define SLUICE_PATH_SEPARATOR ";"
#else
#define SLUICE_PATH_SEPARATOR ":"
#endif

/* Functions of the module sluice.core; see files.c and scripts.c. */
int sluice_embedded_script(lua_State *L);
int sluice_read_file(lua_State *L);
int sluice_list_folder(lua_State *L);
int sluice_real_path(lua_State *L);
int sluice_is_link(lua_State *L);
int sluice_now(lua_State *L);
int sluice_script_folder_lua(lua_State *L);

#endif
