/* The few system functions (files, the clock, the process) that the host side needs. */
#ifndef SLUICE_FILES_H
#define SLUICE_FILES_H

#include "bridge.h"

/* Writes the folder of the installed scripts to `out`; NULL if there is none. Any thread. */
const char *sluice_script_folder(char *out, size_t size);

/* Returns the id of this process. */
unsigned long sluice_process(void);

/* Fills p[0..n) with random bytes of the system. False if it has none. */
bool sluice_random(void *p, size_t n);

/* Separates the folders in SLUICE_PATH. */
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
