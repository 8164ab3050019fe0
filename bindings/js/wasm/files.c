/* The system as the WebAssembly module sees it: there are no files but the scripts that are
 * compiled in and the texts that JavaScript registers. Takes the place of lua/files.c. */
#include "files.h"
#include "../../../lua/files.h"
#include "scripts.h"

#include <stdlib.h>
#include <time.h>
#include <wasi/api.h>

#define FOLDER "/syntaxes"

/* Texts registered by JavaScript, newest first; they come before the compiled-in scripts. */
static struct file {
    struct file *next;
    char *path, *text;
    size_t len;
} * files;

static struct file *find(const char *path) {
    struct file *f = files;
    while (f && strcmp(f->path, path) != 0)
        f = f->next;
    return f;
}

bool sluice_js_write_file(const char *path, const char *text, size_t len) {
    char *copy = malloc(len + 1);
    if (!copy)
        return false;
    memcpy(copy, text, len);
    copy[len] = 0;
    struct file *f = find(path);
    if (!f) {
        char *name = strdup(path);
        f = name ? malloc(sizeof *f) : NULL;
        if (!f) {
            free(name);
            free(copy);
            return false;
        }
        *f = (struct file){files, name, NULL, 0};
        files = f;
    }
    free(f->text);
    f->text = copy;
    f->len = len;
    return true;
}

void sluice_js_remove_file(const char *path) {
    for (struct file **at = &files; *at; at = &(*at)->next) {
        struct file *f = *at;
        if (strcmp(f->path, path) != 0)
            continue;
        *at = f->next;
        free(f->path);
        free(f->text);
        free(f);
        return;
    }
}

/* read_file(path) -> text, or nil and a sentence */
int sluice_read_file(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    const struct file *f = find(path);
    if (f) {
        lua_pushlstring(L, f->text, f->len);
        return 1;
    }
    size_t n = strlen(FOLDER "/");
    for (const struct embedded_module *m = embedded_modules; m->name; m++) {
        const char *name = m->name + strlen("sluice.");
        size_t len = strlen(name);
        if (strncmp(path, FOLDER "/", n) == 0 && strncmp(path + n, name, len) == 0 &&
            strcmp(path + n + len, ".lua") == 0) {
            lua_pushlstring(L, m->text, m->len);
            return 1;
        }
    }
    lua_pushnil(L);
    lua_pushfstring(L, "%s cannot be read: there is no file system here", path);
    return 2;
}

/* list_folder(path) -> names, or nil and a sentence */
int sluice_list_folder(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    if (strcmp(path, FOLDER) != 0) {
        lua_pushnil(L);
        lua_pushfstring(L, "%s cannot be read: there is no file system here", path);
        return 2;
    }
    lua_newtable(L);
    int i = 0;
    for (const struct embedded_module *m = embedded_modules; m->name; m++) {
        lua_pushfstring(L, "%s.lua", m->name + strlen("sluice."));
        lua_rawseti(L, -2, ++i);
    }
    return 1;
}

int sluice_real_path(lua_State *L) {
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    return 1;
}

int sluice_is_link(lua_State *L) {
    lua_pushboolean(L, 0);
    return 1;
}

const char *sluice_script_folder(char *out, size_t size) {
    if (size < sizeof FOLDER)
        return NULL;
    memcpy(out, FOLDER, sizeof FOLDER);
    return out;
}

int sluice_script_folder_lua(lua_State *L) {
    lua_pushliteral(L, FOLDER);
    return 1;
}

/* now() -> seconds since 1970, the same as text (2026-11-22T04:30:16Z) */
int sluice_now(lua_State *L) {
    time_t now = time(NULL);
    struct tm parts;
    char text[32];
    size_t n =
        gmtime_r(&now, &parts) ? strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) : 0;
    lua_pushinteger(L, (lua_Integer)now);
    lua_pushlstring(L, text, n);
    return 2;
}

/* There is no process number: random bits, so that the ids of two pages differ. */
unsigned long sluice_process(void) {
    static unsigned long number;
    if (!number && __wasi_random_get((uint8_t *)&number, sizeof number) != 0)
        number = 1;
    return number;
}
