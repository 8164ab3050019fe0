/* The few system functions (files, the clock, the process) that the host side needs. Scripts cannot
 * reach them. */
#define _GNU_SOURCE
#include "files.h"
#include "system.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#ifndef SLUICE_SCRIPT_DIR
#define SLUICE_SCRIPT_DIR "/usr/local/share/sluice/syntaxes"
#endif

/* Maximum size of a script in bytes. */
enum { LARGEST_FILE = 16 << 20 };

/* Returns why a file must not be read, or NULL. Reading a pipe or a device may never end. */
static const char *unreadable(const char *path, struct stat *st) {
    if (stat(path, st) != 0)
        return strerror(errno);
    if (S_ISDIR(st->st_mode))
        return strerror(EISDIR);
    if (!S_ISREG(st->st_mode))
        return "it is not a regular file";
    return st->st_size > LARGEST_FILE ? "it is larger than 16 MiB" : NULL;
}

static int failed(lua_State *L, const char *path, const char *why) {
    lua_pushnil(L);
    lua_pushfstring(L, "%s cannot be read: %s", path, why);
    return 2;
}

/* read_file(path) -> text, or nil and a message. For scripts and tools: regular files of at most 16
 * MiB. */
int sluice_read_file(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    struct stat st;
    const char *why = unreadable(path, &st);
    size_t size = why ? 0 : (size_t)st.st_size, len;
    char *data = lua_newuserdata(L, size + 1);
    FILE *f = why ? NULL : fopen(path, "rb");
    if (!f)
        return failed(L, path, why ? why : strerror(errno));
    len = fread(data, 1, size, f);
    fclose(f);
    lua_pushlstring(L, data, len);
    return 1;
}

static int folder_gc(lua_State *L) {
    DIR **dir = lua_touserdata(L, 1);
    if (*dir)
        closedir(*dir);
    *dir = NULL;
    return 0;
}

/* list_folder(path) -> names, or nil and a message */
int sluice_list_folder(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    DIR **dir = lua_newuserdata(L, sizeof *dir); /* while it is open, Lua may raise */
    *dir = NULL;
    if (luaL_newmetatable(L, "sluice.folder")) {
        lua_pushcfunction(L, folder_gc);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    *dir = opendir(path);
    if (!*dir)
        return failed(L, path, strerror(errno));
    lua_newtable(L);
    int i = 0;
    for (struct dirent *e; (e = readdir(*dir));)
        if (e->d_name[0] != '.') {
            lua_pushstring(L, e->d_name);
            lua_rawseti(L, -2, ++i);
        }
    closedir(*dir);
    *dir = NULL;
    return 1;
}

/* real_path(path) -> the path without links and dots, or nil and a message */
int sluice_real_path(lua_State *L) {
    char resolved[PATH_MAX];
    if (!system_real_path(luaL_checkstring(L, 1), resolved)) {
        lua_pushnil(L);
        lua_pushfstring(L, "%s: %s", lua_tostring(L, 1), strerror(errno));
        return 2;
    }
    lua_pushstring(L, resolved);
    return 1;
}

/* is_link(path) -> true if it is a symbolic link */
int sluice_is_link(lua_State *L) {
    lua_pushboolean(L, system_is_link(luaL_checkstring(L, 1)));
    return 1;
}

/* True if this folder contains scripts. */
static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *sluice_script_folder(char *out, size_t size) {
    /* relative to the program or library that contains this code: PREFIX/bin, PREFIX/lib[/...] */
    char self[PATH_MAX];
    if (system_self((const void *)(uintptr_t)&sluice_script_folder, self)) {
        for (int up = 0; up < 5; up++) {
            char *slash = strrchr(self, '/');
            if (!slash)
                break;
            *slash = 0;
            snprintf(out, size, "%s/share/sluice/syntaxes", self);
            if (is_folder(out))
                return out;
            snprintf(out, size, "%s/syntaxes", self); /* a build folder inside the checkout */
            if (is_folder(out))
                return out;
        }
    }
    snprintf(out, size, "%s", SLUICE_SCRIPT_DIR);
    return is_folder(out) ? out : NULL;
}

/* script_folder() -> the folder of the installed scripts, or nil */
int sluice_script_folder_lua(lua_State *L) {
    char path[PATH_MAX];
    lua_pushstring(L, sluice_script_folder(path, sizeof path));
    return 1;
}

/* now() -> seconds since 1970, the same as text in UTC (2026-11-22T04:30:16Z) */
int sluice_now(lua_State *L) {
    time_t now = time(NULL);
    struct tm parts;
    char text[32];
    size_t n =
        system_utc(now, &parts) ? strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) : 0;
    lua_pushinteger(L, (lua_Integer)now);
    lua_pushlstring(L, text, n);
    return 2;
}

unsigned long sluice_process(void) { return (unsigned long)getpid(); }

bool sluice_random(void *p, size_t n) { return system_random(p, n); }
