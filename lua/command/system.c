/* Files, the terminal and the lines of `batch`: functions that Lua's own libraries lack, or that
 * are too slow there. */
#define _GNU_SOURCE
#include "command.h"

#include "../../core/json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE = 65536 };

/* terminal(stream) -> true if standard output (1) or standard error (2) is a terminal */
static int system_terminal(lua_State *L) {
    lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
    return 1;
}

/* sleep(milliseconds) */
static int system_sleep(lua_State *L) {
    usleep((useconds_t)luaL_checkinteger(L, 1) * 1000);
    return 0;
}

/* ---- Input -------------------------------------------------------------------------------- */

static int failed(lua_State *L, const char *path, const char *what) {
    lua_pushnil(L);
    lua_pushfstring(L, "%s cannot be %s: %s", path, what, strerror(errno));
    return 2;
}

/* open(path) -> a descriptor ("-": standard input's); or nil and a message */
static int system_open(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed(L, path, "read");
    lua_pushinteger(L, fd);
    return 1;
}

/* read(descriptor, path) -> the available bytes, "" at the end; or nil and a message */
static int system_read(lua_State *L) {
    char bytes[PIECE];
    ssize_t n;
    do
        n = read((int)luaL_checkinteger(L, 1), bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return failed(L, luaL_checkstring(L, 2), "read");
    lua_pushlstring(L, bytes, (size_t)n);
    return 1;
}

/* close(descriptor) */
static int system_close(lua_State *L) {
    int fd = (int)luaL_checkinteger(L, 1);
    if (fd > 0)
        close(fd);
    return 0;
}

/* create(path, text) -> true; or nil and a message. Existing files are kept. */
static int system_create(lua_State *L) {
    size_t n;
    const char *path = luaL_checkstring(L, 1), *text = luaL_checklstring(L, 2, &n);
    FILE *f = fopen(path, "wbx");
    bool good = f && fwrite(text, 1, n, f) == n;
    if (!f || fclose(f) != 0 || !good)
        return failed(L, path, "written");
    lua_pushboolean(L, 1);
    return 1;
}

/* ---- The lines of batch ------------------------------------------------------------------- */

/* members(line) -> a table of the JSON object's members: the JSON text of each; or nil, a code and
 * a message. Of two members with one name the last counts. */
static int system_members(lua_State *L) {
    size_t n, at;
    const char *p = luaL_checklstring(L, 1, &n);
    heap heap = {sluice__libc_allocator(), false};
    const char *why = sluice__not_json(&heap.alloc, view_of(p, n), &at);
    if (why) {
        lua_pushnil(L);
        lua_pushliteral(L, "bad_json");
        lua_pushfstring(L, "the line is not valid JSON: %s (at byte %d)", why, (int)at);
        return 3;
    }
    view v = {p, p + n};
    v.p = past_space(v);
    if (*v.p != '{') {
        lua_pushnil(L);
        lua_pushliteral(L, "bad_line");
        lua_pushliteral(L, "the line is not a JSON object");
        return 3;
    }
    json value = {0};
    out text = {.heap = &heap};
    lua_createtable(L, 0, 8);
    while (v.p++, v.p = past_space(v), *v.p == '"') { /* behind the brace, or a comma */
        v.p++;
        const char *end = sluice__string_end(v, NULL, '"');
        lua_pushlstring(L, v.p, (size_t)(end - v.p));
        v.p = strchr(end, ':') + 1;
        v.p = past_space(v);
        sluice__json_begin(&value, false);
        value.strict = true;
        const char *from = v.p;
        text.b.len = 0;
        sluice__json_go(&value, &v, 0, &text);
        lua_pushlstring(L, from, (size_t)(v.p - from));
        lua_rawset(L, -3);
        v.p = past_space(v);
    }
    sluice__buffer_release(&heap.alloc, &text.b);
    return 1;
}

/* ---- The module --------------------------------------------------------------------------- */

int sluice_open_system(lua_State *L) {
    static const luaL_Reg functions[] = {{"terminal", system_terminal}, {"sleep", system_sleep},
                                         {"open", system_open},         {"read", system_read},
                                         {"close", system_close},       {"create", system_create},
                                         {"members", system_members},   {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
