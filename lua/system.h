/* The differences between POSIX systems and Windows, for files.c. */
#ifndef SLUICE_SYSTEM_H
#define SLUICE_SYSTEM_H

#define _CRT_RAND_S
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

#ifdef _WIN32

#include <windows.h>

/* Returns the path without dots and links, with '/' as separator; NULL and errno if there is no
 * such file. */
static inline char *system_real_path(const char *path, char out[PATH_MAX]) {
    if (!_fullpath(out, path, PATH_MAX) || GetFileAttributesA(out) == INVALID_FILE_ATTRIBUTES) {
        errno = ENOENT;
        return NULL;
    }
    for (char *p = out; *p; p++)
        if (*p == '\\')
            *p = '/';
    return out;
}

static inline bool system_is_link(const char *path) {
    DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT);
}

/* Writes the path of the program or library that contains the code at `address`. */
static inline bool system_self(const void *address, char out[PATH_MAX]) {
    HMODULE module;
    char path[PATH_MAX];
    if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (LPCSTR)address, &module))
        return false;
    DWORD n = GetModuleFileNameA(module, path, sizeof path);
    return n > 0 && n < sizeof path && system_real_path(path, out);
}

static inline bool system_utc(time_t when, struct tm *parts) { return gmtime_s(parts, &when) == 0; }

static inline bool system_random(unsigned char *p, size_t n) {
    for (unsigned int bits; n--; *p++ = (unsigned char)bits)
        if (rand_s(&bits) != 0)
            return false;
    return true;
}

#else

#include <dlfcn.h>

static inline char *system_real_path(const char *path, char out[PATH_MAX]) {
    return realpath(path, out);
}

static inline bool system_is_link(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static inline bool system_self(const void *address, char out[PATH_MAX]) {
    Dl_info info;
    if (dladdr(address, &info) && info.dli_fname && strchr(info.dli_fname, '/') &&
        realpath(info.dli_fname, out))
        return true;
    return realpath("/proc/self/exe", out); /* dli_fname of a program found by PATH has no folder */
}

static inline bool system_utc(time_t when, struct tm *parts) { return gmtime_r(&when, parts); }

static inline bool system_random(unsigned char *p, size_t n) {
    FILE *f = fopen("/dev/urandom", "rb");
    bool good = f && fread(p, 1, n, f) == n;
    if (f)
        fclose(f);
    return good;
}

#endif

#endif
