/* One JSON value, read as it comes: strict JSON by a table (strict.c), what is not by a lenient
 * reader, token by token (lenient.c).
 *
 * What was read is *sure* up to a point; the reader begins again from there. Sure is what can be
 * sent on and never has to be taken back: a comma and a key only with the beginning of their value,
 * a number only with its end. */
#ifndef SLUICE_JSON_H
#define SLUICE_JSON_H

#include "../bytes.h"

enum { JSON_DEPTH = 1024, LONGEST_TOKEN = 4096 };

/* Where the sure point is: the first states of the table. */
enum { IN_LENIENT_STRING, BEFORE_VALUE, IN_EMPTY_ARRAY, IN_EMPTY_OBJECT, AFTER_VALUE, IN_STRING };
enum { IN_FULL_OBJECT = IN_STRING + 1 }; /* nothing of it came, but it has members */

/* What a reader asks. `who`: the reader's. */
typedef struct json_asks {
    /* The name of the n-th parameter of the tool, from 0; false: none. */
    bool (*name_position)(void *who, uint32_t n, view *name);
    bool (*is_text)(void *who, const char *p); /* the format's own quote at p */
} json_asks;
extern const char sluice__no_parameter[], sluice__too_deep[]; /* problems */

typedef struct json {
    /* What the lenient reader finds out even where it has to begin again: */
    const char *problem; /* why it cannot be read on */
    /* What it restores then: */
    uint8_t state;  /* of the table, `ahead` bytes behind the sure point */
    uint8_t place;  /* of the sure point */
    bool python;    /* tuples, True, None; a list of arguments is an object */
    bool strict;    /* nothing is mended */
    char last;      /* in a string with own quotes: the last byte that is no white space */
    uint8_t nested; /* strings that are quoted in it, and open */
    uint16_t depth;
    uint32_t positions;    /* arguments without a keyword, so far; UINT32_MAX: none may follow */
    uint32_t ahead;        /* ODD: where the byte is that is no strict JSON */
    const char *mended;    /* what was mended first; NULL: it is strict JSON */
    const char *lost;      /* why something may be misread; NULL: nothing */
    const char *quote;     /* what closes the string */
    const char *own_quote; /* or NULL */
    const json_asks *asks; /* or NULL */
    void *who;
    bool bad_utf8;
    bool arguments;               /* the outermost container is a list of arguments */
    uint8_t open[JSON_DEPTH / 4]; /* the brackets that are open: two bits each */
    uint16_t limit;               /* of the depth, for all values; 0: JSON_DEPTH */
} json;

/* The bracket at this depth, from 0: { [ ( g or = (a list of arguments); g: a ( without a comma. */
static inline char json_bracket(const json *j, unsigned i) {
    return i == 0 && j->arguments ? '=' : "{[(g"[j->open[i / 4] >> i % 4 * 2 & 3];
}
static inline char json_top(const json *j) { return j->depth ? json_bracket(j, j->depth - 1u) : 0; }
static inline void json_push(json *j, char bracket) {
    unsigned i = j->depth++, shift = i % 4 * 2;
    unsigned kind = bracket == '[' ? 1 : bracket == '(' ? 2 : bracket == 'g' ? 3 : 0;
    j->open[i / 4] = (uint8_t)((j->open[i / 4] & ~(3u << shift)) | kind << shift);
}

typedef enum { JSON_MORE, JSON_ON, JSON_DONE, JSON_ODD } json_end; /* ON: some of it was read */

void sluice__json_begin(json *j, bool python);
void sluice__json_begin_inside(json *j, bool arguments); /* an object; or a Python call's list */

/* What closes the value, were it to end at the sure point. */
void sluice__json_closing(const json *j, out *o);

/* Reads strict JSON as far as it comes; or else one token that is none, which goes to *o as strict
 * JSON. v->p goes behind it. MORE: more bytes are needed, and `most` may be waited for (0: no more
 * come). ODD: no reader can make sense of it. */
json_end sluice__json_step(json *j, view *v, size_t most, view *strict, out *o);
/* As many steps as there are: all that was read goes to *o. */
json_end sluice__json_go(json *j, view *v, size_t most, out *o);

/* Reads one value, which is all of v, as strict JSON to *o. NULL, or why it is none, and where. The
 * reader has begun; `at` may be NULL. */
const char *sluice__json_whole(json *j, view v, out *o, size_t *at);
/* Why this is no value of strict JSON, and where; NULL: it is one. `at` may be NULL. */
const char *sluice__not_json(const sluice_allocator *a, view v, size_t *at);

/* Text as the inside of a JSON string. Ill-formed UTF-8 becomes U+FFFD. */
bool sluice__put_escaped(out *o, view text); /* true: some of it was ill-formed */
bool sluice__put_string(out *o, view text);  /* the same, with its quotes */
/* The quote that closes the string whose inside begins at v.p; NULL: none. With `own`, that quote
 * ends it, and nothing is escaped. */
const char *sluice__string_end(view v, const char *own, char quote);
/* The text of the JSON string whose inside this is. A lone surrogate becomes U+FFFD; with
 * `halves`, three bytes, which are no UTF-8. */
void sluice__put_halves(out *o, view v, bool halves);
static inline void sluice__put_unescaped(out *o, view v) { sluice__put_halves(o, v, false); }
/* The same of the character at p; where the next one begins. */
const char *sluice__put_character(out *o, const char *p, const char *end, bool halves);

extern const uint8_t sluice__ends_plain[256]; /* bytes that do not simply go on a string */
/* Behind what simply goes on a string. *len: of a character there as of utf8_len, or 1. */
static inline const char *past_plain(view v, int *len) {
    for (;; v.p += *len) {
        *len = 1;
        while (v.p < v.end && !sluice__ends_plain[(unsigned char)*v.p])
            v.p++;
        if (v.p == v.end || !(*v.p & 0x80) || (*len = utf8_len(v)) <= 0)
            return v.p;
    }
}

static inline bool in_string(const json *j) {
    return j->place == IN_STRING || j->place == IN_LENIENT_STRING;
}

/* What wakes a reader that waits; NULL: any byte. */
static inline const uint8_t *json_wakes(const json *j) {
    return j->state == IN_STRING ? sluice__ends_plain : NULL;
}

/* Reads strict JSON from the sure point on (`ends`: no more bytes come). *sure: how many bytes
 * are sure now. ODD: the byte behind what was read is no strict JSON; the lenient reader goes on
 * from the sure point. */
json_end sluice__json_read(json *j, view v, bool ends, size_t *sure);

#endif
