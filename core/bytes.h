/* Views on bytes, white space, and text that is built. */
#ifndef SLUICE_BYTES_H
#define SLUICE_BYTES_H

#include "alloc.h"
#include "utf8.h"

typedef struct view {
    const char *p, *end;
} view;

static inline size_t view_len(view v) { return (size_t)(v.end - v.p); }
static inline view view_of(const char *p, size_t n) { return (view){p, p + n}; }
static inline view view_text(const char *text) { return view_of(text, strlen(text)); }
static inline bool equal_views(view a, view b) {
    return view_len(a) == view_len(b) && memcmp(a.p, b.p, view_len(a)) == 0;
}
static inline bool view_is(view v, const char *word) { return equal_views(v, view_text(word)); }
static inline bool has_start(view v, view part) {
    return view_len(v) >= view_len(part) && memcmp(v.p, part.p, view_len(part)) == 0;
}
static inline bool has_end(view v, view part) {
    size_t n = view_len(part);
    return !n ||
           (view_len(v) >= n && v.end[-1] == part.end[-1] && memcmp(v.end - n, part.p, n) == 0);
}
static inline bool is_one_of(const char *const *list, view v) { /* ends with NULL */
    while (*list && !view_is(v, *list))
        list++;
    return *list;
}
static inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static inline bool is_quote(char c) { return c == '"' || c == '\''; }
static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
static inline const char *past_space(view v) {
    while (v.p < v.end && is_space(*v.p))
        v.p++;
    return v.p;
}
static inline view left_trimmed(view v) { return (view){past_space(v), v.end}; }
static inline view right_trimmed(view v, size_t most) { /* of more than that the rest stays */
    for (; most-- && v.end > v.p && is_space(v.end[-1]); v.end--) {
    }
    return v;
}
static inline view trimmed(view v) { return right_trimmed(left_trimmed(v), SIZE_MAX); }
static inline bool has_any(view v, const char *signs) { /* or white space */
    while (v.p < v.end && !is_space(*v.p) && !strchr(signs, *v.p))
        v.p++;
    return v.p < v.end;
}
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
/* The value of a hexadecimal digit, or -1. */
static inline int hex_of(char c) {
    return is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}
/* An ASCII letter or digit, or '_'? */
static inline bool is_word_byte(char c) {
    return c == '_' || is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');
}
/* May the byte be part of a name in a program? */
static inline bool is_name_byte(char c) { return is_word_byte(c) || (c & 0x80); }

/* Where text is allocated. */
typedef struct heap {
    sluice_allocator alloc;
    bool failed; /* an allocation */
} heap;

/* Text that is built. A failed allocation sets heap->failed and leaves the text as it was, so that
 * only the end of a step asks for it. */
typedef struct out {
    sluice__buffer b;
    heap *heap;
} out;

static inline void put(out *o, const char *p, size_t n) {
    if (!sluice__buffer_add(&o->heap->alloc, &o->b, p, n))
        o->heap->failed = true;
}
static inline void put_view(out *o, view v) { put(o, v.p, view_len(v)); }
static inline void put_text(out *o, const char *text) { put(o, text, strlen(text)); }
static inline const char *out_text(const out *o) { return o->b.data ? o->b.data : ""; }
static inline view out_view(const out *o) { return view_of(out_text(o), o->b.len); }

/* In a table of the bytes that wake what waits: of a character above ASCII, which passes if it is
 * well-formed; the first of a literal, which passes if none can stand there. */
enum { WHOLE_CHARACTERS = 2, A_LITERAL = 3 };

/* CUT: right so far, but the bytes end. */
typedef enum match { NO, YES, CUT } match;

/* The length of the sequence at v.p, as of sluice__utf8_sequence. */
static inline int utf8_len(view v) {
    return *v.p & 0x80 ? sluice__utf8_sequence(v.p, view_len(v)) : 1;
}
/* n without an unfinished sequence at the end of p[0, n). */
static inline size_t utf8_whole(const char *p, size_t n) {
    return n && p[n - 1] & 0x80 ? n - sluice__utf8_tail(p, n) : n;
}

#endif
