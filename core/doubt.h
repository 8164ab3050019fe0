/*
 * What makes a call doubtful, and what is left over between and behind calls.
 *
 * Damage has no end of kinds: what looks odd is not mended here but told, and its call is not
 * valid. This room sees the arguments of a call as JSON text when the call ends, and the events as
 * they go out; it does not depend on how they were read.
 */
#ifndef SLUICE_DOUBT_H
#define SLUICE_DOUBT_H

#include "alloc.h"
#include "include/sluice.h"
#include "marker.h"
#include "schema/doc.h"

/* How models spell the keys of a call's arguments, and of its name; end with NULL. */
extern const char *const sluice__argument_keys[], *const sluice__name_keys[];

/* The literals of a format: roles of a set. A closer has the pair of its opener. */
enum {
    SLUICE__D_INNER = 1,  /* of the parameters; else of a call or a section */
    SLUICE__D_CLOSER = 2, /* closes; else it opens */
    SLUICE__D_SINGLE = 4, /* has no partner in this format */
    SLUICE__D_QUOTE = 8,  /* a quote of the format's own: opens and closes */
    SLUICE__D_LINE = 16,  /* only at the start of a line */
    SLUICE__D_CALLS = 32, /* of a block that has nothing but calls */
    SLUICE__D_ALONE = 64, /* closes if nothing else stands on its line, else it opens */
    SLUICE__D_PAIR = 128  /* times the number of the pair */
};

typedef struct sluice__literals {
    const sluice__markers *set; /* NULL: none */
    bool raw;                   /* values are raw text, not JSON */
    bool tagged;                /* a parameter's tag is named after its key */
    bool angles;                /* they are in angle brackets */
    bool fenced;                /* a value may stand in a code fence */
} sluice__literals;

typedef struct sluice__suspect { /* a call that ends */
    const sluice__literals *literals;
    const sluice__markers *keys; /* those that its tool declares; NULL: not known */
    const char *name;
    size_t name_len;
    view id;                      /* the text's own */
    bool known;                   /* the name is that of a given tool */
    bool repaired;                /* JSON was repaired */
    const sluice__doc *arguments; /* one JSON object */
} sluice__suspect;

typedef struct sluice__doubt { /* all zero: none */
    char message[160];         /* "": none */
    bool lost;                 /* later calls of the message are doubtful too */
} sluice__doubt;

void sluice__doubt_call(const sluice__suspect *call, sluice__doubt *doubt); /* fills `doubt` */

/* Does the text open and close its own tag, <key>, alike? */
bool sluice__tags_match(view text, view key);

/* ---- Between and behind calls ---- */

typedef struct sluice__outside {
    const sluice__literals *literals; /* of the format, or of the last call */
    const sluice__literals *given;    /* those at the start; or NULL */
    sluice__buffer cut;               /* the beginning of a literal, if anything */
    uint64_t at;                      /* where it stands, or the next byte */
    bool runs, text;                  /* the last event was text (`text`), or markup */
    bool plain;                       /* text goes on where only bytes of `odd` say something */
    const uint8_t *odd;
    char last;                 /* the byte before it */
    bool line;                 /* nothing but white space before it on its line */
    size_t ticks, code, fence; /* backticks: before `at`; that opened what is open; or 0 */
    uint16_t stack[16];        /* twice the pairs that are open; odd: in text */
    size_t depth;
    uint64_t opened;     /* pairs of which an opener was seen */
    size_t calls;        /* that have ended */
    size_t sent;         /* bytes of arguments of the last one */
    sluice__buffer name; /* its name */
    bool in_call, due, fenced_call;
    bool empty, blank;       /* it has no arguments; nothing stands behind it so far */
    bool opens;              /* the last literal that stands alone began a block */
    uint64_t orphan, leaked; /* where; or UINT64_MAX */
    uint64_t hollow;         /* the first literal of calls in markup; or UINT64_MAX */
    bool some, ended;        /* there was anything but markup; the response is over without it */
    bool leaked_told;
    sluice_counts counts;
    bool taken; /* the next event, before which an ERROR goes out */
} sluice__outside;

void sluice__outside_restart(sluice__outside *o);
/* Takes text that says nothing; else false. */
static inline bool sluice__outside_plain(sluice__outside *o, const char *text, size_t n) {
    size_t i = 0;
    if (!o->plain)
        return false;
    while (i < n && !(o->odd[(unsigned char)text[i]] & 1))
        i++;
    if (i < n)
        return false;
    o->last = text[n - 1];
    return true;
}
/* Takes the next event, or NULL at the end of the response. False if out of memory. */
bool sluice__outside_take(const sluice_allocator *a, sluice__outside *o, const sluice_event *e);
/* An ERROR that stands before the last event that was taken. False if there is none (more). */
bool sluice__outside_told(sluice__outside *o, sluice_event *error);

#endif
