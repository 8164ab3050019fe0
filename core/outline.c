#include "outline.h"
#include "json.h"
#include "utf8.h"
#include "json/run.h"

enum {
    FRAME_MAX = 1024 * 1024,          /* longer frames are left to others */
    FREE_MAX = 16 * 1024,             /* and longer values of HOLE_FREE, which bounds vain work */
    DEPTH_MAX = SLUICE__DEPTH_MAX / 2 /* so that the whole frame is not nested too deep */
};

/* ---- Lengths of JSON values --------------------------------------------------------------- */

/* Returns the length of the string at p with its quotes, or 0. */
static size_t string_length(const char *p, size_t n) {
    for (size_t i = 1; i < n; i += 2) {
        i += sluice__string_run(p + i, n - i);
        if (i < n && p[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Returns the length of the value at p, or 0. It may be invalid. */
static size_t value_length(const char *p, size_t n) {
    size_t i = 0, depth = 0;
    if (n && *p == '"')
        return string_length(p, n);
    if (!n || (*p != '{' && *p != '[')) {
        while (i < n && !memchr(",]}: \t\r\n\"", p[i], 9))
            i++;
        return i;
    }
    while (i < n) {
        i += sluice__structure_run(p + i, n - i);
        if (i >= n)
            break;
        if (p[i] == '"') {
            size_t k = string_length(p + i, n - i);
            if (!k)
                break;
            i += k;
            continue;
        }
        if ((p[i] == '{' || p[i] == '[') && ++depth > DEPTH_MAX)
            break;
        if ((p[i] == '}' || p[i] == ']') && --depth == 0)
            return i + 1;
        i++;
    }
    return 0;
}

/* Returns the length of the value at p, which must be one of a HOLE_KEPT; or 0. */
static size_t kept_length(const char *p, size_t n, bool string) {
    size_t whole;
    if (!n || (*p == '"') != string)
        return 0;
    if (string) {
        size_t k = sluice__plain_run(p + 1, n - 1, '"');
        return k && 1 + k < n && p[1 + k] == '"' ? k + 2 : 0;
    }
    if (n >= 4 && memcmp(p, "true", 4) == 0)
        return 4;
    if (n >= 5 && memcmp(p, "false", 5) == 0)
        return 5;
    return sluice__number_run(p, n, true, &whole);
}

/* The same for a HOLE_FREE. */
static size_t free_length(const sluice_allocator *a, const char *p, size_t n) {
    const char *why;
    size_t at, len = kept_length(p, n, n && *p == '"');
    if (!len && n >= 4 && memcmp(p, "null", 4) == 0)
        len = 4;
    if (len)
        return len;
    len = value_length(p, n < FREE_MAX ? n : FREE_MAX);
    return len && sluice__is_json(a, p, len, &why, &at) ? len : 0;
}

/* ---- The text ----------------------------------------------------------------------------- */

struct decoding {
    const sluice_allocator *alloc;
    sluice__buffer *text;
};

static bool ignore(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

static bool take(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    struct decoding *d = user;
    (void)depth;
    return token != SLUICE__T_STRING || sluice__buffer_add(d->alloc, d->text, p, n);
}

/* Decodes the string p[0..n), with its quotes. */
static sluice__likeness decode(const sluice_allocator *a, sluice__buffer *text, const char *p,
                               size_t n) {
    struct decoding d = {a, text};
    sluice__sink sink = {&d, ignore, take, SLUICE__DEPTH_MAX, false, NULL, NULL};
    sluice__reader r;
    size_t used;
    sluice__reader_init(&r, a, &sink, 0, SLUICE__TOP_ANY, NULL, 0, 0);
    r.lazy = true;
    sluice__reading what = sluice__reader_feed(&r, p, n, true, &used);
    sluice__reader_release(&r);
    return what == SLUICE__READ_NOMEM               ? SLUICE__LIKE_NOMEM
           : what == SLUICE__READ_DONE && used == n ? SLUICE__LIKE
                                                    : SLUICE__UNLIKE;
}

/* Returns the length of the prefix of p[0..n) that decodes to itself: no escapes, valid UTF-8. */
static size_t literal_run(const char *p, size_t n) {
    size_t i = 0;
    for (;;) {
        i += sluice__plain_run(p + i, n - i, '"');
        if (i >= n || (unsigned char)p[i] < 0x80)
            return i;
        int k = sluice__utf8_sequence(p + i, n - i);
        if (k <= 0)
            return i;
        i += (size_t)k;
    }
}

/* Reads the string at p into `text`; *len receives its length with the quotes. */
static sluice__likeness read_text(const sluice_allocator *a, sluice__buffer *text, const char *p,
                                  size_t n, size_t *len) {
    text->len = 0;
    if (!n || *p != '"')
        return SLUICE__UNLIKE;
    size_t k = literal_run(p + 1, n - 1);
    if (1 + k < n && p[1 + k] == '"') {
        *len = k + 2;
        return sluice__buffer_add(a, text, p + 1, k) ? SLUICE__LIKE : SLUICE__LIKE_NOMEM;
    }
    *len = string_length(p, n);
    return *len ? decode(a, text, p, *len) : SLUICE__UNLIKE;
}

/* ---- Learning ----------------------------------------------------------------------------- */

static size_t blanks(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r'))
        i++;
    return i;
}

/* Sets *at to the position of the member's value in the object at p. False if there is none, or
 * several, or a key has an escape. */
static bool find_member(const char *p, size_t n, const char *name, size_t len, size_t *at) {
    bool found = false;
    if (!n || *p != '{')
        return false;
    for (size_t i = 1; i < n; i++) { /* at the beginning, or at a comma */
        i += blanks(p + i, n - i);
        size_t key = i < n && p[i] == '"' ? string_length(p + i, n - i) : 0;
        if (!key || memchr(p + i, '\\', key))
            return false;
        bool same = key == len + 2 && memcmp(p + i + 1, name, len) == 0;
        i += key;
        i += blanks(p + i, n - i) + 1; /* and the colon */
        if (i >= n || (same && found))
            return false;
        i += blanks(p + i, n - i);
        if (same) {
            found = true;
            *at = i;
        }
        i += value_length(p + i, n - i);
        i += blanks(p + i, n - i);
        if (i >= n || p[i] != ',')
            return found;
    }
    return false;
}

/* Sets *at and *len to the place of a value in the JSON object p[0..n). */
static bool find_place(const char *p, size_t n, const sluice__place *place, size_t *at,
                       size_t *len) {
    *at = blanks(p, n);
    *len = n - *at;
    for (unsigned k = 0; k < place->depth; k++) {
        size_t from = 0;
        if (place->path[k].name) {
            if (!find_member(p + *at, *len, place->path[k].name, place->path[k].len, &from))
                return false;
        } else {
            if (!*len || p[*at] != '[')
                return false;
            from = 1 + blanks(p + *at + 1, *len - 1);
        }
        *at += from;
        *len = value_length(p + *at, *len - from);
    }
    return *len > 0;
}

/* Adds the hole to the outline, in the order of the frame; its key is added later. False if it
 * overlaps another. */
static bool add_hole(sluice__outline *o, const sluice__hole *hole) {
    size_t i = o->count;
    while (i && o->holes[i - 1].at > hole->at) {
        o->holes[i] = o->holes[i - 1];
        i--;
    }
    o->holes[i] = *hole;
    o->count++;
    return (!i || o->holes[i - 1].at + o->holes[i - 1].len <= hole->at) &&
           (i + 1 == o->count || hole->at + hole->len <= o->holes[i + 1].at);
}

/* Copies the bytes around the holes, and the keys of kept values, which end before their colon. */
static bool copy_parts(const sluice_allocator *a, sluice__outline *o, const char *raw, size_t n) {
    size_t from = 0;
    o->bytes.len = o->keys.len = o->kept = 0;
    for (size_t i = 0; i < o->count; i++) {
        sluice__hole *g = &o->holes[i];
        g->before = g->at - from;
        if (!sluice__buffer_add(a, &o->bytes, raw + from, g->before))
            return false;
        from = g->at + g->len;
        if (g->kind != SLUICE__HOLE_KEPT)
            continue;
        size_t end = g->at; /* only blanks and the colon are between the key and the value */
        while (raw[end - 1] != '"')
            end--;
        size_t start = end - 1;
        while (raw[start - 1] != '"')
            start--;
        g->key_len = end - start + 3;
        o->kept++;
        if (!sluice__buffer_text(a, &o->keys, ",\"") ||
            !sluice__buffer_add(a, &o->keys, raw + start, end - start) ||
            !sluice__buffer_text(a, &o->keys, ":"))
            return false;
    }
    o->after = n - from;
    return sluice__buffer_add(a, &o->bytes, raw + from, o->after);
}

sluice__likeness sluice__outline_learn(const sluice_allocator *a, sluice__outline *o,
                                       const char *raw, size_t n, size_t at, size_t len,
                                       const sluice__place *places, size_t count) {
    o->count = 0;
    if (n > FRAME_MAX || count > SLUICE__HOLES_MAX)
        return SLUICE__UNLIKE;
    for (size_t i = 0; i < count; i++) {
        const sluice__place *place = &places[i];
        sluice__hole g = {.kind = place->kind};
        bool good = find_place(raw + at, len, place, &g.at, &g.len);
        g.at += at;
        g.string = good && raw[g.at] == '"';
        if (good && g.kind == SLUICE__HOLE_KEPT) {
            const char *key = place->path[place->depth - 1].name;
            size_t key_len = place->path[place->depth - 1].len;
            good = key && sluice__plain_run(key, key_len, '"') == key_len &&
                   kept_length(raw + g.at, g.len, g.string) == g.len;
        }
        if (!good || (g.kind == SLUICE__HOLE_TEXT && !g.string) || !add_hole(o, &g)) {
            o->count = 0;
            return SLUICE__UNLIKE;
        }
    }
    if (copy_parts(a, o, raw, n))
        return SLUICE__LIKE;
    o->count = 0;
    return SLUICE__LIKE_NOMEM;
}

/* ---- Matching ----------------------------------------------------------------------------- */

sluice__likeness sluice__outline_match(const sluice_allocator *a, sluice__outline *o, const char *p,
                                       size_t n, size_t *len) {
    const char *bytes = o->bytes.data;
    size_t i = 0;
    if (!o->count)
        return SLUICE__UNLIKE;
    if (n > FRAME_MAX)
        n = FRAME_MAX;
    for (size_t k = 0; k < o->count; k++) {
        sluice__hole *g = &o->holes[k];
        if (n - i < g->before || memcmp(p + i, bytes, g->before) != 0)
            return SLUICE__UNLIKE;
        i += g->before;
        bytes += g->before;
        g->at = i;
        if (g->kind == SLUICE__HOLE_TEXT) {
            sluice__likeness read = read_text(a, &o->text, p + i, n - i, &g->len);
            if (read != SLUICE__LIKE)
                return read;
        } else if (g->kind == SLUICE__HOLE_KEPT) {
            g->len = kept_length(p + i, n - i, g->string);
        } else {
            g->len = free_length(a, p + i, n - i);
        }
        if (!g->len)
            return SLUICE__UNLIKE;
        i += g->len;
    }
    if (n - i < o->after || memcmp(p + i, bytes, o->after) != 0)
        return SLUICE__UNLIKE;
    *len = i + o->after;
    return SLUICE__LIKE;
}

void sluice__outline_release(const sluice_allocator *a, sluice__outline *o) {
    sluice__buffer_release(a, &o->bytes);
    sluice__buffer_release(a, &o->keys);
    sluice__buffer_release(a, &o->text);
    o->count = 0;
}
