/* One response being read: its state, and what every room may do with it. */
#ifndef SLUICE_STREAM_H
#define SLUICE_STREAM_H

#include "program.h"
#include "json/json.h"

/* ---- Questions that are asked outside the core -------------------------------------------- */

/* What a function that reads a block by hand did. */
typedef enum sluice__hand {
    SLUICE__HAND_WAITS,   /* it needs more input */
    SLUICE__HAND_NAMES,   /* it named a call, which is to be announced; the one before ends */
    SLUICE__HAND_ENDS,    /* the call ends */
    SLUICE__HAND_CLOSES,  /* the block is over */
    SLUICE__HAND_REJECTS, /* it was not a block */
    SLUICE__HAND_RAISES   /* an error, which is reported */
} sluice__hand;

typedef enum sluice__question {
    SLUICE__Q_FITS,   /* does the text match the pattern? The answer's text: what it captures */
    SLUICE__Q_HEADER, /* reads a header by the pattern: sets the name, the id, the held pairs */
    SLUICE__Q_REPAIR_NAME, /* the name, mended by the given tools */
    SLUICE__Q_DECLARES,    /* does the tool declare this key? number: 1 if its singular counts */
    SLUICE__Q_PLURAL,      /* the declared name of an array whose singular the text uses */
    SLUICE__Q_SINGLE,      /* the tool's only parameter if the tool does not declare this key */
    SLUICE__Q_PARAMETER,   /* the tool's parameter at this position, from 1 */
    SLUICE__Q_COUNT
} sluice__question;

/* Each returns -1 if the script raised an error, which it reported. The tool is the stream's, by
 * its number. Returned texts are valid until the next question. */
typedef struct sluice__scripts {
    /* Answers 1, or 0, and with 1 some a text. `number`: a pattern, or what the question says. */
    int (*ask)(sluice_stream *s, sluice__question what, size_t number, view text, view *answer);
    /* Returns the number, from 1, of the tool with this name, or 0. */
    size_t (*find_tool)(const sluice_stream *s, const char *name, size_t len);
    /* The types of a member (or, with `items`, of the items) of schema `of` (0: the tool's own),
     * and the number of its schema (may be NULL), valid until the call ends. */
    int (*types)(sluice_stream *s, size_t of, view key, bool items, size_t *schema,
                 sluice__types *out);
    /* Do the arguments fit the tool's schema, if any? 0; 1: a message, a code. */
    int (*validate)(sluice_stream *s, const sluice__doc *arguments, view *message,
                    const char **code);
    /* The parameters that a tool declares (0: no tool), and the given tools. */
    int (*given)(sluice_stream *s, size_t tool, sluice__given *out);
    /* The program of this member of many; NULL: it cannot be made, which was reported. */
    const sluice__program *(*program)(sluice_stream *s, uint16_t member);
    /* Reads a block by hand; `on`: goes on with it. */
    sluice__hand (*hand)(sluice_stream *s, bool on);
    /* Watches: "before" and "after" the instruction at `pc`, the "open" and "close" of a block. At
     * "open", the verdict is the opener, or NULL. */
    void (*watch)(sluice_stream *s, size_t pc, const char *what, const char *verdict);
    void (*new_id)(const sluice_stream *s, char *id, size_t size);
    void (*release)(sluice_stream *s); /* it is being freed, and so is its memory */
} sluice__scripts;

/* ---- State -------------------------------------------------------------------------------- */

/* An event. The numbers are 1 + the place in stream.made; or 0. */
typedef struct queued {
    const char *text; /* unless it is `made` */
    size_t text_len;  /* of CALL_END: those of the source */
    uint64_t start, end;
    size_t index;
    const char *code;
    uint64_t block_start;
    uint32_t made, name, id, key, extra;
    uint8_t type, status;
    bool valid;
} queued;

typedef enum mark_kind {
    MARK_NONE,   /* nothing goes back to it (any more) */
    MARK_CHOICE, /* the next alternative */
    MARK_OPTION, /* goes on behind an optional part */
    MARK_LOOP,   /* not a parameter */
    MARK_CALL    /* an item of a list that is no call */
} mark_kind;
/* What an alternative or an optional part of a header may set, and what goes with it. */
struct header {
    uint32_t pairs;                          /* bytes of `held_pairs` */
    uint16_t pattern;                        /* of the name; NO_NAME: none was read */
    enum { NO_OPENER, OPENED, LOST } opener; /* the first that was due, or was there */
    bool has_id, loose;                      /* loose: a part is left out */
};
typedef struct mark {
    uint64_t pos;
    uint16_t pc, any, way; /* any, way: of a choice */
    uint8_t kind;
    struct header header;
} mark;
enum { MARKS = 8 }; /* the scripts of the library need six */

/* A raw value. */
enum { NESTED = 32, FENCES = 16 };
typedef struct raw_value {
    sluice__types types;
    uint64_t last;           /* the closer of the last quoted parameter; or 0 */
    uint64_t hold;           /* 1 + where it may have ended; 0: nowhere */
    uint16_t mask;           /* the types that count */
    char stack[NESTED + 1];  /* the kinds of the quoted parts that are open; then 0 */
    char fences[FENCES + 1]; /* the ticks of the fences that are open; then 0 */
    enum { UNDECIDED, WRITTEN, MUTE } string; /* it has begun as one; MUTE: it is left out */
    bool quoted;                              /* it held a literal of its format */
    bool odd;  /* not all of them matched, or one may be that of a call */
    bool over; /* too much is held: only its own closer ends it */
    bool lone; /* the newline before it had no carriage return */
    bool bad_utf8;
} raw_value;
typedef struct value_end {
    uint64_t at;
    bool known, doubt, recovered; /* known: else the text ended */
} value_end;

/* What is left over between and behind calls. */
typedef struct outside {
    const sluice__format_literals *literals; /* of the format, or of the last call */
    uint64_t at, end; /* a run of text or markup: how far it was looked through, and its end */
    uint64_t orphan, leaked, hollow; /* 1 + where; or 0. hollow: the first literal of calls */
    uint64_t code_at;                /* 1 + where the code began that is open; or 0 */
    uint64_t kept_from;              /* where the text that is kept begins */
    size_t kept;                     /* its length, without markup at its end */
    uint64_t opened;                 /* pairs of which an opener was seen */
    uint16_t stack[16];              /* twice the pairs that are open; odd: in text */
    uint8_t depth;
    bool text;        /* the run is text, not markup */
    bool opens;       /* the last literal that closes if it is alone on its line opened */
    bool due;         /* of a section whose opener was lost, the closer may follow */
    bool fenced_call; /* the fence around a value of the call may have ended too early */
    uint8_t near;     /* what stands behind the call may go on with its arguments */
    bool torn;        /* a closer of it is missing */
    bool blank;       /* only white space and signs follow it so far; if it is torn, anything */
    uint8_t comma;    /* the last sign: a bracket or a comma, perhaps with a word behind it */
    bool some;        /* there was anything but markup */
    enum { NOT_TOLD, LEAK_TOLD, RETRIES_TOLD, LIMIT_TOLD } told; /* LIMIT: further calls are text */
} outside;

/* What a member means. From PARAMETER on its value is written; BEGUN: in part it is. */
enum { NO_MEMBER, SEEN, AROUND, BEHIND, NAME, FIRST_NAME, KNOWN, ID, ANSWER, OTHER };
enum { PARAMETER = OTHER + 1, BEGUN, SCALAR };

/* What only a block and its calls need. Most calls have short ones of the first texts, for which
 * there is room; test builds go without, so that sanitizers see each as a block. */
enum { TEXTS = 24, ROOMS = 9, ROOM = SLUICE_GROWTH > 24 ? 24 : 0 };
struct call {
    mark mark[MARKS];
    union {
        struct {
            out name, key, decoded;
            out param, due;                  /* the key; what the arguments need before its value */
            out scratch, taken;              /* what is made and used at once */
            out called;                      /* the name as the tools know it */
            out id;                          /* also what stands for one */
            out wrong, first_wrong, bad_why; /* why it is no call */
            out held_pairs, extras, arguments, source, half;
            out repeated_text, watched_key;
            out other;       /* of an object: a member that may have been an argument */
            out said;        /* where values of it stand that are reasoning: begin, end */
            out last_closer; /* of the last call, if tags are named after it */
            out used, ids;   /* hashes of keys and ids that were seen: some hundreds */
        };
        out texts[TEXTS];
    };
    uint64_t name_start, name_end; /* where it stands; equal: nowhere */
    char room[ROOMS][ROOM ? ROOM : 1];
    sluice__buffer values; /* of the arguments, as a document */
    json reader;
    raw_value value;
    sluice__buffer handed;      /* what closes the arguments that were handed out, read backwards */
    size_t behind;              /* how much it is behind: so much at the end of those kept */
    sluice__buffer watched;     /* the same, for PARAMETER */
    char kinds[SLUICE__FIELDS]; /* the first byte of each field's value */
    uint64_t no_closer;         /* of the section up to here */
    struct {
        uint8_t ticks;
        bool fenced;
    } say; /* code fences in speech */

    /* Of the response: zero when it begins */
    uint64_t lost_to; /* calls before it are in doubt: values of what is text; UINT64_MAX: all */
    uint64_t quoting_from, quoting_until; /* an object that is no call, nor anything in it */

    /* Of a block: zero when one opens */
    uint64_t lost_before;   /* `lost_to` when it began, as it is for each reading */
    bool silent;            /* it is not told why it is no call */
    bool committed;         /* something of it was told, so it cannot become text */
    bool bare;              /* it has no marker */
    bool unfinished;        /* the end of the text cut it, which is to be told */
    const uint16_t *blocks; /* still to be tried */
    const sluice__candidate *candidates;
    uint32_t shared; /* the length of its opener, if other formats have it; or 0 */
    const char *why; /* the furthest failure: what was expected, and where */
    uint64_t why_at;
    const char *first_code;

    /* Of a reading of it: zero when it begins */
    uint16_t pc, phase;
    struct header header;
    uint64_t steps;
    uint64_t spoken; /* how far an object speaks before its call */
    uint8_t marks;
    bool markerless, missed, spoke;  /* missed: the last literal; spoke: its object, as text */
    size_t good;                     /* items of the list that were calls */
    uint64_t start;                  /* of the current item of a list, or of what follows it */
    uint64_t call_start, stage_told; /* of the announced call: its start; `told` at that time */
    uint64_t skip_at; /* 1 + where the value begins that is looked through; 0: none */
    char outer_quote; /* of the string that the arguments are in; or 0 */
    uint64_t object_at, object_end;
    bool object_given, doubted; /* the arguments came; another member may be a call, too */
    uint8_t meant;              /* what the member means whose value is looked through */

    /* Of a call: zero before each */
    uint64_t absent_at; /* where an opener that may be lost was missing; or UINT64_MAX */
    uint32_t extra[SLUICE__EXTRAS]; /* 1 + where it begins in `extras`, JSON and a NUL; or 0 */
    /* The open parameter is an array; or perhaps one, and its only value is held. */
    enum { NOT_REPEATED, ONE_TEXT, ONE_JSON, AN_EMPTY_ARRAY, AN_ARRAY } repeated;
    const char *code;
    size_t tool;
    unsigned said_type; /* the types that the text says, for the next value; or 0 */
    enum { NOT_BEGUN, IS_OPEN, LIST_OVER } began; /* OPEN: it is announced, and not ended */
    bool has_key, bad_comma, odd_quotes;          /* has_key: its value has not begun */
    bool refused;    /* its tool is not given, or it is not whole: it is text when it ends */
    bool beside;     /* the arguments stand beside the name; the object is read again */
    bool raw_text;   /* text stands for the tool's only parameter */
    uint8_t cut_off; /* the text ended where another parameter may have begun; 2: a call began */
    bool cut_told;   /* that the text ends inside the call */

    /* Of an announced call: zero when it is announced */
    uint8_t status;
    enum { ARGUMENTS_BEGIN, ARGUMENTS_READ, ARGUMENTS_MEMBERS, ARGUMENTS_BEHIND, LEFT_OUT } json_at;
    uint16_t errors;
    uint8_t watched_at;                        /* what of a member comes next, for PARAMETER */
    enum { NOT_TORN, EXTRA_BRACE, TORN } torn; /* a brace; TORN: one is missing */
    enum { NONE, SOME, ALL } any; /* parameters so far; ALL: one object is all of them */
    bool whole;                   /* its arguments are closed */
    bool invalid;                 /* a schema, or an error, says so */
    bool kept;                    /* all of its arguments are, so they can be checked */
    bool has_tokens;              /* a value has a special token that came as such */
    bool utf8_told, mended_told;
    bool explained; /* an error says what is wrong with the call */
    bool doubtful;  /* incomplete, but all of it was read */
    bool sealed;    /* its values are, so far */
    bool was_read;  /* to its end, or that of the text: only its content is judged now */
};

_Static_assert(offsetof(struct call, name_start) == sizeof(mark[MARKS]) + sizeof(out[TEXTS]),
               "the array has all texts");

/* PAUSE: events are handed out first, so that what is queued does not grow with a chunk. */
typedef enum went { GO, WAIT, FAIL, JUMPED, OVER, BROKEN, PAUSE } went;

struct sluice_stream {
    heap heap; /* failed: since the response began */
    const sluice__scripts *scripts;
    /* sluice__members: arguments ask it, and objects are above them */
    went (*members)(sluice_stream *s, const sluice__object_spec *o, unsigned row);
    const sluice__many *many;       /* or NULL */
    const sluice__program *program; /* being tried or chosen; NULL: none yet */
    sluice__settings set;
    const sluice_stream_options *options; /* of many: resolved by each format */
    bool has_tools;
    sluice__buffer held;   /* the bytes that are kept, unless they are the caller's chunk */
    sluice__buffer tokens; /* of the special ones that came as such: begin, end */
    struct call *call;     /* NULL until the first block */
    sluice__buffer queue;  /* of `queued` */
    out made;
    out kept_text; /* text and markup since the last other event, but for code */

    /* Of the response: zero when it begins, as all that follows. Bytes: [base, base + len). */
    const char *bytes; /* those of `held`, or the caller's chunk */
    size_t len;
    uint64_t base, pos;
    uint64_t horizon;  /* how far a block may look, that is not announced */
    char before;       /* the byte before `base` */
    bool inside;       /* it, or one before it on its line, is no blank */
    bool lent, broken; /* broken: a script raised an error */

    /* Waiting. Passing: a chunk without a byte of `wakes` is an event. Holding: it is only kept. */
    const uint8_t *wakes;  /* NULL: any byte */
    const literals *among; /* those of A_LITERAL */
    const char *trail;     /* passing: white space that waits at the end; or NULL */
    uint64_t cut_at;       /* 1 + where one of them begins that is cut: no other byte wakes; or 0 */
    enum { TODO_NOTHING, TODO_PASS, TODO_LOOK, TODO_WORK, TODO_END, TODO_OVER } todo; /* stream.c */
    uint8_t passes;     /* passing: 1 + the type of that event; or 0 */
    bool keeps;         /* it is kept, for what damage may have left in it */
    uint64_t passes_to; /* up to where; pos: nothing does */
    bool finished;      /* no more bytes come, and nothing may wait */

    /* Text */
    uint64_t at;       /* how far what stands at pos was looked through */
    uint64_t searched; /* no end of the reasoning, or the fence, up to here */
    uint64_t thought;  /* 1 + where what looked like a call was none in this reasoning; or 0 */
    bool reasoning, at_start;
    bool after_markup;        /* only white space since a block, a turn, or a tag of reasoning */
    bool scripted;            /* a script has run on this response */
    const sluice__pair *pair; /* of the last reasoning that was opened or closed; or NULL */
    uint32_t ticks, fence;    /* backticks that opened code on this line; the fence; or 0 */
    const char *drop;         /* white space to drop before text, or behind the block */
    uint64_t again;           /* bytes that were read again */
    uint64_t run_end;         /* of the first characters of a literal that stands alone */

    /* What is told */
    outside outside;
    sluice_counts counts;
    uint64_t told;
    size_t head;  /* bytes of the queue that were handed out */
    size_t stage; /* where the events begin that wait until their call is whole; SIZE_MAX */
    size_t calls;

    bool in_block;
    uint64_t block; /* where the block begins, or did */
};
static inline const sluice__format *format_of(const sluice_stream *s) {
    return s->program ? s->program->format : s->many->format;
}
static inline size_t tool_named(const sluice_stream *s, view name) { /* its number; 0: none */
    return s->has_tools ? s->scripts->find_tool(s, name.p, view_len(name)) : 0;
}
static inline bool is_open(const sluice_stream *s) { return s->call && s->call->began == IS_OPEN; }
/* Is the open parameter an array that has begun? */
static inline bool in_array(const sluice_stream *s) { return s->call->repeated >= AN_EMPTY_ARRAY; }
static inline bool opener_lost(const sluice_stream *s) { return s->call->header.opener == LOST; }
/* A value may have swallowed a call: later ones are in doubt. */
static inline void lose_calls(sluice_stream *s, bool may) {
    s->call->lost_to = may ? UINT64_MAX : s->call->lost_to;
}
/* What follows `field` is not known any more. */
#define ZERO_FROM(of, field) memset(&(of)->field, 0, (char *)((of) + 1) - (char *)&(of)->field)

/* ---- window.c ----------------------------------------------------------------------------- */

/* From there to the end of what has come, or of what may be looked at. */
static inline view see_from(const sluice_stream *s, uint64_t at) {
    uint64_t end = s->base + s->len;
    if (end > s->horizon)
        end = s->horizon > s->base ? s->horizon : s->base;
    if (at > end)
        at = end;
    return (view){s->bytes + sluice__minus(at, s->base), s->bytes + (size_t)(end - s->base)};
}
static inline view see(const sluice_stream *s) { return see_from(s, s->pos); }
static inline const char *byte_at(const sluice_stream *s, uint64_t at) {
    return s->bytes + sluice__minus(at, s->base);
}
static inline char byte_before(const sluice_stream *s, uint64_t at) {
    return at > s->base ? *byte_at(s, at - 1) : s->before;
}
/* The place of a byte that is in memory. */
static inline uint64_t place_of(const sluice_stream *s, const char *p) {
    return s->base + sluice__minus(p, s->bytes);
}
static inline view text_at(const sluice_stream *s, uint64_t from, uint64_t to) {
    return to > from ? view_of(byte_at(s, from), (size_t)(to - from)) : view_of("", 0);
}
static inline out new_out(sluice_stream *s) { return (out){.heap = &s->heap}; }
/* Moves what is left to the beginning of `held`, with room for n bytes behind it. */
void sluice__window_move(sluice_stream *s, size_t n);
uint64_t sluice__window_needed(const sluice_stream *s);
void sluice__window_drop(sluice_stream *s, uint64_t from); /* lets go of what is before it */
/* Notes what goes: its first n bytes. */
static inline void sluice__window_pass(sluice_stream *s, size_t n) {
    const char *p = s->bytes + n;
    s->before = n ? p[-1] : s->before;
    while (p > s->bytes && is_blank(p[-1]))
        p--;
    if (p > s->bytes)
        s->inside = p[-1] != '\n';
    s->bytes += n;
    s->len -= n;
    s->base += n;
}
bool sluice__line_start(const sluice_stream *s, uint64_t at);
bool sluice__line_indent(const sluice_stream *s, uint64_t at);

/* Was a special token fed as such that stands in [from, to)? */
bool sluice__has_token(const sluice_stream *s, uint64_t from, uint64_t to);
bool sluice__is_plain(const sluice_stream *s, const sluice__literal *m, const char *p);

/* Do closed code fences hide calls? */
static inline bool sluice__fences_hide(const sluice__settings *set, const sluice__format *f) {
    return set->fences == SLUICE__FENCE_TEXT ||
           (set->fences == SLUICE__FENCE_SCRIPT && f->fence_text);
}

/* A literal at v.p. A special one counts only as a token, where the host tells tokens. */
static inline match find_literal(const sluice_stream *s, const literals *set, view v,
                                 size_t *item) {
    match m = literals_at(set, v, s->finished, item);
    return m == YES && s->set.tokens && sluice__is_plain(s, &set->items[*item], v.p) ? NO : m;
}
/* The first literal of the set in v. *at: where it begins, or may begin. */
match sluice__search(const sluice_stream *s, const literals *set, view v, const char **at,
                     size_t *item);

/* ---- looks.c ------------------------------------------------------------------------------ */

/* Is it a run of as many copies as the literal has, or several times that? *run: its length. */
match sluice__alone(sluice_stream *s, const sluice__literal *m, uint64_t at, view v, size_t *run);
/* The end of the white space `lead` at v.p, as far as it is there; NULL: more may come. */
const char *sluice__past_lead(const sluice_stream *s, view v, const char *lead);
/* v without what a closer drops at its end: `trail` but for `keeps` bytes. open: or may drop. */
view sluice__without_tail(view v, const char *trail, size_t keeps, bool open);

/* ---- The machine -------------------------------------------------------------------------- */

static inline bool is_full(const sluice_stream *s) { /* or out of memory */
    enum { MOST_EVENTS = 32, MOST_TEXT = 32768 };
    bool much = s->queue.len >= MOST_EVENTS * sizeof(queued) || s->made.b.len > MOST_TEXT;
    return s->heap.failed || (much && s->stage == SIZE_MAX && s->queue.len > s->head);
}

static inline went wait_for(sluice_stream *s, const uint8_t *wakes) { /* NULL: any byte */
    s->wakes = wakes;
    s->cut_at = 0;
    return WAIT;
}
/* A literal of the set begins at p, and the bytes end in it. */
static inline went wait_literal(sluice_stream *s, const literals *set, const char *p) {
    s->among = set;
    s->cut_at = place_of(s, p) + 1;
    return WAIT;
}
static inline went wait_among(sluice_stream *s, const literals *set) {
    s->among = set;
    return wait_for(s, set->odd);
}
bool sluice__outside_keeps(const sluice_stream *s);
static inline went pass_on(sluice_stream *s, sluice_event_type type, const uint8_t *wakes,
                           const literals *among, const char *trail) {
    if (type == SLUICE_TEXT && (s->outside.near || s->outside.at < s->outside.end))
        return wait_for(s, NULL); /* it is looked at */
    s->among = among;
    s->trail = trail;
    if (s->stage == SIZE_MAX) /* else it is held, up to a limit */
        s->passes = (uint8_t)(1 + type);
    s->keeps = type == SLUICE_TEXT && sluice__outside_keeps(s);
    if (type == SLUICE_ARGUMENTS && s->set.parameters) /* PARAMETER looks at them */
        wakes = NULL, s->passes = 0;
    return wait_for(s, wakes);
}
static inline went jump_to(sluice_stream *s, uint16_t pc) {
    s->call->pc = pc;
    s->call->phase = 0;
    return JUMPED;
}
/* The byte behind white space, -1: the end; *at, if asked: where. False: wait. */
static inline bool peek_byte(sluice_stream *s, int *c, uint64_t *at) {
    view v = see(s);
    const char *p = past_space(v);
    if (p == v.end && !s->finished)
        return wait_for(s, NULL), false;
    if (at)
        *at = place_of(s, p);
    *c = p < v.end ? (unsigned char)*p : -1;
    return true;
}
/* The same, and goes to it. */
static inline bool next_byte(sluice_stream *s, int *c) { return peek_byte(s, c, &s->pos); }
typedef struct seen { /* a literal that stands somewhere; CUT: what reads it is to wait */
    match is;
    size_t item;
    uint64_t at;
} seen;
/* The literal of the set, which may be NULL; `skip`: behind white space. */
seen sluice__look(sluice_stream *s, const literals *set, bool skip);
/* The first literal of the set, or NULL, from there on; `at`: or where the search ended. */
seen sluice__find(const sluice_stream *s, const literals *set, uint64_t from);
/* Takes the literal that stands at pos, as sluice__look. */
match sluice__take(sluice_stream *s, const literals *set, bool skip);
void sluice__work(sluice_stream *s);                         /* reads on, up to where it waits */
went sluice__skip_to(sluice_stream *s, const literals *set); /* leaves out what is before it */
mark *sluice__push(sluice_stream *s, mark_kind kind, uint16_t pc);
void sluice__pop(sluice_stream *s);
void sluice__no_way_back(sluice_stream *s); /* behind what is sent on: its bytes may be gone */
void sluice__wrong(sluice_stream *s, const char *code, const char *why);
void sluice__new_call(sluice_stream *s);
match sluice__tell_sentence(sluice_stream *s);

typedef went instruction(sluice_stream *s, const sluice__ins *i);
#define X(name) instruction sluice__op_##name;
#define ROW(name, op)
SLUICE__INSTRUCTIONS(X)
#undef X
#undef ROW

/* ---- events.c, next.c --------------------------------------------------------------------- */

static inline queued *queued_at(const sluice_stream *s, size_t at) {
    return (queued *)(void *)(s->queue.data + at);
}

queued *sluice__tell(sluice_stream *s, sluice_event_type type, const char *text, size_t len,
                     uint64_t start, uint64_t end);
/* A copy in `made`, with a NUL: 1 + its place. */
uint32_t sluice__keep_text(sluice_stream *s, const char *text, size_t len);
/* The constant string of an error code, or NULL if there is no such code. */
const char *sluice__code(const char *name);
/* An ERROR as it is, of the call `index`, or SIZE_MAX. */
void sluice__error(sluice_stream *s, uint64_t at, size_t index, const char *code, view message);
void sluice__report(sluice_stream *s, const char *code, const char *message);
void sluice__report_at(sluice_stream *s, uint64_t at, const char *code, const char *message);
void sluice__report_view(sluice_stream *s, uint64_t at, const char *code, view message);
void sluice__report_key(sluice_stream *s, const char *code, const char *before, view key,
                        const char *behind);
void sluice__tell_markup(sluice_stream *s, uint64_t to); /* what no event covers */
void sluice__speak(sluice_stream *s, uint64_t upto);     /* text, or reasoning */
/* A fragment of the arguments that covers the response up to `upto`. */
void sluice__arguments_made(sluice_stream *s, size_t from, uint64_t upto);
void sluice__write(sluice_stream *s, view text, uint64_t upto); /* a copy of the text */
/* The same, behind the key if one is due, or the comma of an item of an array. */
void sluice__write_value(sluice_stream *s, view json, uint64_t upto);
void sluice__write_raw(sluice_stream *s, const char *json);
void sluice__unstage(sluice_stream *s);
void sluice__fail(sluice_stream *s, const char *message); /* a script raised an error */
void sluice__tell_left(sluice_stream *s); /* what was found outside of calls, before an event */
void sluice__tell_end(sluice_stream *s);  /* the same, at the end of the response */

sluice_next sluice__hand_on(sluice_stream *s, sluice_event *e); /* what passes */
sluice_next sluice__hand_out(sluice_stream *s, sluice_event *e);

/* ---- parameters.c ------------------------------------------------------------------------- */

void sluice__walk(sluice_stream *s, view v); /* notes what closes what was handed out */
void sluice__catch_up(sluice_stream *s);     /* through what passed, if any */
/* More of the arguments, while they are kept: else they cannot be checked. */
static inline void sluice__keep_arguments(sluice_stream *s, const char *text, size_t len) {
    s->call->kept &= s->call->arguments.b.len + len <= (size_t)1 << (s->call->tool ? 24 : 20);
    if (s->call->kept)
        put(&s->call->arguments, text, len);
}
/* Tells of the parameters in more of the arguments. */
void sluice__watch(sluice_stream *s, const char *text, size_t n, uint64_t upto);

/* ---- outside.c ---------------------------------------------------------------------------- */

void sluice__outside_run(sluice_stream *s, bool text, uint64_t from, uint64_t to); /* it is told */
void sluice__outside_keep(sluice_stream *s, bool text, view v, uint64_t at);
void sluice__outside_staged(sluice_stream *s); /* what is staged counts */
void sluice__outside_look(sluice_stream *s);   /* through all that was told */
void sluice__outside_knows(sluice_stream *s);  /* the format: that of the next call */
void sluice__outside_code(sluice_stream *s, bool closed, bool bare);
void sluice__outside_call(sluice_stream *s, bool begins); /* a call begins, or ends */

/* ---- object.c ----------------------------------------------------------------------------- */

/* Reads members: OVER: the object has ended, behind `object_end`; FAIL: no member stands at pos;
 * JUMPED: the value at pos is read by others. */
went sluice__members(sluice_stream *s, const sluice__object_spec *o, unsigned row);

/* ---- noted.c, written.c, call.c ----------------------------------------------------------- */

static inline void sluice__set(sluice_stream *s, sluice__buffer *b, view text) {
    s->heap.failed |= !sluice__buffer_set(&s->heap.alloc, b, text.p, view_len(text));
}
void sluice__set_reg(sluice_stream *s, out *which, view text, uint64_t start, uint64_t end);
void sluice__hold_pair(sluice_stream *s, view key, view text);
went sluice__announce(sluice_stream *s); /* GO; WAIT; FAIL: it is no call */
went sluice__held(sluice_stream *s);
went sluice__prepare(sluice_stream *s);
void sluice__lower(sluice_stream *s, sluice_status status);
void sluice__spoil(sluice_stream *s, const char *code, const char *message); /* incomplete */
void sluice__repair(sluice_stream *s, const char *message);
void sluice__call_end(sluice_stream *s);
void sluice__finish_call(sluice_stream *s);
static inline bool sluice__more_calls(const sluice_stream *s) {
    return s->calls < s->set.max_calls;
}
/* Is the opener too common to report why it is not a call? */
static inline bool sluice__is_quiet(const sluice_stream *s) {
    return s->call->candidates && s->call->candidates[-1].quiet;
}
/* True the first time. */
static inline bool sluice__once(bool *done) { return !*done && (*done = true); }
/* Was so much read again that no call is looked for at `at`? */
static inline bool sluice__is_tired(const sluice_stream *s, uint64_t at) {
    return s->again > 16 * at + 256 * 1024;
}
bool sluice__hash_add(out *set, view text);               /* true: again */
void sluice__begin_parameter(sluice_stream *s, view key); /* the value follows */
void sluice__tell_loose(sluice_stream *s);
int sluice__declares(sluice_stream *s, view key);
bool sluice__may_follow(sluice_stream *s); /* another parameter; else that is told */
bool sluice__is_used(const sluice_stream *s, view key);

/* ---- Values, doubt.c ---------------------------------------------------------------------- */

/* Makes s->call, if there is none. False if out of memory. */
bool sluice__need_call(sluice_stream *s);
void sluice__call_release(sluice_stream *s);
void sluice__flush_repeated(sluice_stream *s);
void sluice__open_array(sluice_stream *s);
void sluice__value_complete(sluice__value_spec *v);
/* The text with its entities replaced, in `o`; or itself, if it is read `as` one without. */
view sluice__decoded(out *o, view text, unsigned as);
void sluice__duplicate(sluice_stream *s, view key); /* it is left out */
/* Reads `text` as the first of the types null, integer, number, boolean, object, array that it
 * fits: as JSON in `scratch`. False: only a string fits. If strings are allowed too, only JSON
 * counts. Reports a repair. `cut`: the text ended inside; then only certain bytes count. */
bool sluice__typed(sluice_stream *s, view text, unsigned types, bool cut);
/* Text as a value of these types; `cut`: the text ended in it. */
void sluice__write_typed(sluice_stream *s, view text, unsigned types, bool cut, uint64_t upto);

/* Where the value ends, and how; false: it goes on. It may be told up to there. */
bool sluice__quoted_end(sluice_stream *s, const sluice__value_spec *spec, value_end *end);
/* The word behind an opener: the key of a parameter, or the name of a call. */
match sluice__word_at(const sluice_stream *s, const sluice__head *head, view v, view *word,
                      const char **after);
/* May what stands at v follow a parameter's closer, or a call's? 0: any literal of the set may. If
 * the same closer stands there again, the value is odd. */
match sluice__follows(sluice_stream *s, const literals *set, view v, unsigned closer);
/* Does the value consist of elements, as its text begins? They as JSON; `cut`: the text ended. */
match sluice__elements_at(const sluice_stream *s, const sluice__value_spec *v, view text);
view sluice__elements_read(sluice_stream *s, const sluice__value_spec *v, view text, bool cut);
/* The value of the attribute of this name. */
bool sluice__find_attribute(view tag, const char *name, view *value);

/* The arguments of the open call, as JSON from pos on: GO: all of them; FAIL: they were closed. */
went sluice__stream_arguments(sluice_stream *s, const sluice__arguments_spec *how);
void sluice__write_member(sluice_stream *s, view key, bool whole, uint64_t first, uint64_t end);
void sluice__tell_utf8(sluice_stream *s, bool bad); /* that invalid UTF-8 was replaced; once */
typedef enum argument { NEITHER, AN_OBJECT, NO_ARGUMENTS, NOT_YET } argument;
argument sluice__look_at_arguments(sluice_stream *s, uint64_t at);
went sluice__behind_json(sluice_stream *s, const sluice__arguments_spec *how);
went sluice__unreadable(sluice_stream *s, const sluice__arguments_spec *how, const char *why);
bool sluice__plain_call(sluice_stream *s);
/* Looks through one value from pos on: its end. */
match sluice__skip_value(sluice_stream *s, uint64_t *end, bool python, const char *own);

/* How models spell the keys of a call's arguments, and of its name; end with NULL. */
extern const char *const sluice__argument_keys[], *const sluice__name_keys[];

/* Tells what is in doubt about the call that ends: its arguments, which are one JSON object, and
 * the keys that its tool declares (NULL: not known). */
void sluice__doubt_call(sluice_stream *s, const sluice__doc *doc, const literals *declared);

/* Is part of a tag left in the text of an element, <key>? */
bool sluice__has_debris(const sluice__format_literals *l, view text, view key);

/* ---- text.c ------------------------------------------------------------------------------- */

went sluice__read_text(sluice_stream *s);
void sluice__go_home(sluice_stream *s); /* no block is open any more */
void sluice__block_close(sluice_stream *s);
void sluice__block_is_text(sluice_stream *s);
bool sluice__is_place(const sluice_stream *s, uint64_t at, unsigned role);
/* The pair that the literal opens, or closes if it was opened so; else the one behind the last. */
const sluice__pair *sluice__pair_of(const sluice_stream *s, const sluice__format *f,
                                    const char *text, bool opens);

/* ---- stream.c ----------------------------------------------------------------------------- */

/* Begins a stream in memory that is zero. `scripts->release` frees it at last. */
void sluice__stream_init(sluice_stream *s, const sluice_allocator *a,
                         const sluice__program *program, const sluice__many *many,
                         const sluice__scripts *scripts, const sluice__settings *set,
                         bool has_tools);

#endif
