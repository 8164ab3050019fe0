/*
 * A description as a program: a flat, immutable list of instructions with their literal sets and
 * specifications, made once when a script is loaded and shared by all streams of an engine.
 *
 * The machine (machine.c) runs it over the operations of stream.h. It can stop between any two
 * bytes: the whole state of a block is a program counter, the phase of the instruction, a small
 * stack of marks and a few registers. It calls back only for the patterns and functions of a
 * script, and with questions about the given tools.
 */
#ifndef SLUICE_PROGRAM_H
#define SLUICE_PROGRAM_H

#include "parts.h"

/* The instructions. docs/design.md has the table of what each reads and does. */
#define SLUICE__INSTRUCTIONS(X)                                                                    \
    X(literal)                                                                                     \
    X(maybe)                                                                                       \
    X(maybe_seq)                                                                                   \
    X(maybe_end)                                                                                   \
    X(any)                                                                                         \
    X(any_end)                                                                                     \
    X(line_start)                                                                                  \
    X(name)                                                                                        \
    X(key)                                                                                         \
    X(id)                                                                                          \
    X(header)                                                                                      \
    X(shape)                                                                                       \
    X(attributes)                                                                                  \
    X(backref)                                                                                     \
    X(text)                                                                                        \
    X(value)                                                                                       \
    X(params)                                                                                      \
    X(params_next)                                                                                 \
    X(params_back)                                                                                 \
    X(params_bad)                                                                                  \
    X(elements)                                                                                    \
    X(elements_bad)                                                                                \
    X(arguments)                                                                                   \
    X(object)                                                                                      \
    X(calls)                                                                                       \
    X(call)                                                                                        \
    X(call_end)                                                                                    \
    X(call_bad)                                                                                    \
    X(between_end)                                                                                 \
    X(section)                                                                                     \
    X(section_end)                                                                                 \
    X(named)                                                                                       \
    X(declared)                                                                                    \
    X(side)                                                                                        \
    X(member)                                                                                      \
    X(member_end)                                                                                  \
    X(weak)                                                                                        \
    X(answer)                                                                                      \
    X(jump)                                                                                        \
    X(hand)                                                                                        \
    X(close)

enum {
#define X(name) SLUICE__I_##name,
    SLUICE__INSTRUCTIONS(X)
#undef X
        SLUICE__I_COUNT
};

/* Numbers of a table (from 0), or addresses, as the instruction says; SLUICE__NONE is neither. */
typedef struct sluice__ins {
    uint8_t op, flags;
    uint16_t a, b, c;
} sluice__ins;
enum { SLUICE__NONE = 0xFFFF };

/* Pattern numbers that are not a script's. */
enum { SLUICE__NO_PATTERN = 0xFFFF, SLUICE__BARE_NAME = 0xFFFE };

/* Flags of instructions. */
enum {
    SLUICE__F_EXACT = 1,      /* LITERAL, MAYBE*: does not skip white space before it */
    SLUICE__F_LINE = 2,       /* LITERAL: blanks and a newline, or the end, must follow */
    SLUICE__F_WHOLE_LINE = 4, /* LITERAL: it is only that newline */
    SLUICE__F_RECOVER = 8,    /* MAYBE*: its absence is a repair */
    SLUICE__F_IN_ORDER = 16,  /* ANY: exact heads decide, even after the announcement */
    SLUICE__F_INLINE = 32,    /* NAME, KEY, ID: on a header line; blanks end it */
    SLUICE__F_NAME = 64,      /* BACKREF: of the name, else of the key */
    SLUICE__F_PLAIN = 128,    /* NAME, ATTRIBUTES: it may be read at once, see machine_row.c */
    SLUICE__F_SOFT = 64,      /* LITERAL: exact, but its absence is a repair */
    SLUICE__F_MANY = 1,       /* CLOSE: the block's calls have ended already */
    SLUICE__F_INDENT = 1      /* LINE_START: also after indentation */
};

/* ---- Specifications: operands that do not fit into an instruction ---- */

typedef struct sluice__any {       /* alternatives */
    const sluice__markers *firsts; /* literals that may begin one */
    uint16_t *way_of;              /* literal -> alternative */
    uint16_t *ways;                /* addresses */
    uint16_t count, other;         /* other: the alternative for any other start */
} sluice__any;

typedef struct sluice__attribute { /* an attribute of a tag that is read */
    const char *name;
    const char *key; /* of a parameter */
    enum { SLUICE__A_NAME, SLUICE__A_KEY, SLUICE__A_TYPE, SLUICE__A_VALUE, SLUICE__A_IGNORED } what;
    uint16_t pattern; /* of a name without a key, or SLUICE__NONE */
    struct {
        const char *text;
        unsigned mask;
    } * types; /* the spellings of a type; ends with a NULL text */
} sluice__attribute;

typedef struct sluice__attributes {
    const sluice__markers *follow;
    sluice__attribute *list;
    size_t count;
    bool asks, entities; /* a name or a key is required; entities of parameters are decoded */
    const char *name;    /* with F_PLAIN: the attribute that is the name, */
    uint8_t odd[256];    /* and the bytes that end a wait for the rest of the tag */
} sluice__attributes;

typedef struct sluice__content { /* text or reasoning inside a block */
    const sluice__markers *ends;
    const char *lead, *trail;
    int type;
} sluice__content;

/* The question about a literal that may end a value. */
typedef struct sluice__ask {
    enum {
        SLUICE__ASK_KEY = 1, /* opens a parameter: its key must be declared and new */
        SLUICE__ASK_FIXED,   /* opens a parameter of fixed key: it must be new */
        SLUICE__ASK_NAMED,   /* a closer that names what it closes, and what must follow */
        SLUICE__ASK_LINE     /* must fill a line */
    } kind;
    bool indent, within;          /* LINE: may be indented; may be followed by more of the line */
    uint16_t probe;               /* address of the probe */
    const sluice__markers *later; /* NAMED: what may follow; LINE: the literal */
    bool open;                    /* NAMED: anything may follow */
    const char **fixed;           /* FIXED: keys; ends with NULL */
} sluice__ask;

typedef struct sluice__value_spec {
    const sluice__markers *ends, *confirm;
    const sluice__markers *strict_ends;  /* only what the description says; or NULL */
    const sluice__markers *may_be_whole; /* an array as JSON, or nothing */
    sluice__ask *asks;                   /* by literal of `ends` */
    const char *lead, *trail, *key;      /* key: fixed, or NULL */
    uint16_t elements;                   /* number of the elements inside, or SLUICE__NONE */
    const sluice__quoting *quoting;      /* what the value may quote; or NULL */
    const sluice__further *further;      /* the next parameter of a row; or NULL */
    unsigned as;                         /* bits of sluice__op_value */
    bool to_line_end, trim;
    bool present; /* white space alone is not a value */
    bool single;  /* for the tool's only parameter if the tool does not declare this key */
} sluice__value_spec;

/* Parameters as nearly all are written: see machine_row.c. */
typedef struct sluice__row {
    sluice__further head;            /* without an opener: the loop has another shape; odd: the last
                                        bytes of `behind` */
    const sluice__marker *behind[2]; /* literals between key and value; the second or NULL */
    const sluice__marker *closer;    /* of the value */
    const char *attribute;           /* the attribute that is the key; NULL: it is bare */
    uint16_t value;                  /* address */
    uint16_t item;                   /* the opener, in `set` of the loop */
} sluice__row;

typedef struct sluice__loop { /* parameters */
    const sluice__markers *set,
        *stops;         /* set: openers, exits; stops: also own closers, later ones */
    bool *opener, *own; /* by literal of `stops` */
    size_t listed;      /* literals of `set` */
    size_t named; /* the exit that a parameter's closer begins with, or SIZE_MAX; the name closed
                     follows it, up to `name_ends` */
    const sluice__markers *name_ends;
    bool open_ended;
    uint16_t body, out; /* addresses */
    sluice__row row;
} sluice__loop;

typedef struct sluice__elements { /* parameters inside a parameter */
    const sluice__markers *marks; /* openers, then closers of an element or of all */
    size_t openers;
    const sluice__markers *closer, *behind; /* of a closer that names what it closes; or NULL */
    size_t own_closer;                      /* its number in `marks`, or SIZE_MAX */
    const char *item;                       /* the key of an array's items */
    uint16_t body, next;                    /* addresses */
} sluice__elements;

typedef struct sluice__arguments_spec {
    const sluice__markers *enders, *resync; /* or NULL */
    const sluice__markers *closers;         /* those of the call itself; or NULL */
    const char *quote;
    size_t quote_len;
    uint32_t flags;
    bool kwargs;
    uint16_t raw; /* address of the value to read if there is no object, or SLUICE__NONE */
    sluice__marker guesses[2]; /* what mostly follows an object: perhaps a brace, a line break or
                                  nothing, and the closer of the call; empty: not known */
} sluice__arguments_spec;

typedef struct sluice__field { /* a key of an object that is a call */
    const char *key;
    bool name, arguments, id, reasoning, ignored;
    uint8_t extra; /* number, from 1, of a member that goes to `extra`; 0: none */
    enum {
        SLUICE__ANY_KIND,
        SLUICE__A_STRING,
        SLUICE__AN_OBJECT,
        SLUICE__A_NUMBER,
        SLUICE__MAYBE_NUMBER
    } required;
} sluice__field;
enum { SLUICE__FIELDS = 24, SLUICE__EXTRAS = 8 };

typedef struct sluice__object_spec {
    sluice__arguments_spec how;
    sluice__field *fields;
    size_t count;
    bool name_as_key, arguments_required, some_required;
    bool arguments_optional; /* not required even if the block has no marker */
    bool flat;               /* all other members are arguments */
    bool anywhere;           /* it may begin in the middle of a text */
    bool brace_follows;      /* a brace after it belongs to an enclosing object */
    const char *scalar;      /* the parameter for arguments that are not an object, or NULL */
    const char **answers;    /* names whose arguments are text; ends with NULL */
    bool has_head;           /* it mostly begins with the name: see machine_row.c */
    uint16_t name_field, arguments_field; /* then the fields of such a head, */
    const sluice__markers *opening;       /* and how it is mostly written before the name, */
    const char *between;                  /* and after it */
    size_t between_len;
    uint8_t odd[256]; /* then the bytes that end a wait for the rest of it */
} sluice__object_spec;

typedef struct sluice__beside { /* notes that few formats need */
    uint64_t said[16];          /* positions of reasoning to report with the call */
} sluice__beside;

typedef struct sluice__member { /* an object that holds calls as a member */
    const char **keys, **reasoning;
    const char **fixed, **values; /* members that must be these strings */
    bool anywhere;
    uint16_t out; /* address */
} sluice__member;

typedef struct sluice__calls_spec {
    const sluice__markers *follow; /* between, body, exits; or NULL */
    uint8_t *kind;                 /* by literal of `follow` */
    const sluice__markers *closers, *starts;
    bool once, must_close, unclosed, open, in_json, between;
    uint16_t call, between_at, bad, out; /* addresses */
} sluice__calls_spec;
enum { SLUICE__K_BETWEEN = 1, SLUICE__K_BODY, SLUICE__K_EXIT };

typedef struct sluice__section_spec { /* a part of the message that is reserved for calls */
    const sluice__markers *close;
    const char *after;
    uint16_t array, object, out; /* addresses */
} sluice__section_spec;

typedef struct sluice__extra {   /* a member of `extra` */
    const char *key, *otherwise; /* otherwise: JSON text, or NULL */
} sluice__extra;

/* Where a block begins. */
typedef struct sluice__entry {
    uint16_t address;
} sluice__entry;

struct sluice__program {
    const sluice__format *format;
    const sluice__ins *code;
    size_t count;
    sluice__markers **sets;
    sluice__any *anys;
    sluice__attributes *attributes;
    sluice__content *contents;
    sluice__value_spec *values;
    sluice__loop *loops;
    sluice__elements *elements;
    sluice__arguments_spec *arguments;
    sluice__object_spec *objects;
    sluice__calls_spec *calls;
    sluice__section_spec *sections;
    sluice__member *members;
    const char **texts;
    /* Addresses of the blocks that may begin with a literal, then SLUICE__NONE; by number of the
     * literal in the format's `text`, then in its `reasoning`; the last one is for bare blocks. */
    uint16_t **starts;
    const char **namespaces;       /* ends with NULL */
    const char **fixed_parameters; /* the same */
    const char **known;            /* names that the script itself knows; or NULL */
    sluice__extra *extra;
    size_t extra_count;
    const sluice__markers *encoded, *nothing; /* starts of encoded arguments; spellings of none */
    const sluice__markers *fence, *fence_end; /* around a section */
    sluice__literals literals;                /* see doubt.h */
    sluice__block_literals *block_literals;   /* by address; none if all have the same */
    size_t block_count;
    unsigned untyped; /* types that a value without a schema may have; 0: any */
    bool repeated_is_array, singular_keys, repairs_names, reserved_section;
};
typedef struct sluice__program sluice__program;

/* ---- Questions that the machine asks outside the core ---- */

typedef struct sluice__run sluice__run;

/* Each returns -1 if the script raised an error; sluice__fail then got the message. `user` is the
 * run's. Returned texts are valid until the next question. */
typedef struct sluice__scripts {
    /* Does the text match the pattern? Returns 1 or 0. */
    int (*fits)(void *user, sluice_stream *s, unsigned pattern, const char *text, size_t len);
    /* Reads a header by a pattern and sets the run's name, id and held pairs. Returns 1, or 0 if
     * the header does not match. */
    int (*header)(void *user, sluice_stream *s, sluice__run *m, unsigned pattern, const char *text,
                  size_t len);
    /* Returns the number, from 1, of the tool with this name, or 0. */
    size_t (*find_tool)(void *user, const char *name, size_t len);
    /* Repairs a name by the given tools. Returns 1 and the name; 0; or 2 if the arguments tell the
     * name. */
    int (*repair_name)(void *user, sluice_stream *s, const char *name, size_t len, const char **out,
                       size_t *out_len);
    /* Finds the only given tool that these arguments, an object as written, fit. Returns 1 or 0. */
    int (*tool_for)(void *user, sluice_stream *s, const char *arguments, size_t len,
                    const char **out, size_t *out_len);
    /* Returns 1 and the part of a text that a pattern captures, or all of it; 0 if it does not
     * match. */
    int (*capture)(void *user, sluice_stream *s, unsigned pattern, const char *text, size_t len,
                   const char **out, size_t *out_len);
    /* Returns 1 and the name of the tool's only parameter if the tool does not declare this key; or
     * 0. */
    int (*single)(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                  const char **out, size_t *out_len);
    /* Gets the types of a tool's parameter. `schema` 0: the tool's own; else one from `child`. */
    int (*types)(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                 sluice__types *out);
    /* Gets the schema of a member (or, with `items`, of the items) of schema `of` (0: the tool's
     * own), and its types. Schema numbers are valid until the call ends. */
    int (*child)(void *user, sluice_stream *s, size_t tool, size_t of, const char *key, size_t len,
                 bool items, size_t *schema, sluice__types *out);
    /* Does the tool declare the parameter? */
    int (*declares)(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                    bool singular);
    /* Returns 1 and the declared name of an array whose singular the text uses; or 0. */
    int (*plural)(void *user, sluice_stream *s, size_t tool, const char *key, size_t len,
                  const char **out, size_t *out_len);
    /* Does the tool have a schema for checking arguments? Returns 1 or 0. */
    int (*has_schema)(void *user, sluice_stream *s, size_t tool);
    /* Do the call's arguments (a NUL follows them) fit the tool's schema? Returns 0; or 1, a
     * message and an error code. */
    int (*validate)(void *user, sluice_stream *s, size_t tool, const char *text, size_t len,
                    const char **out, size_t *out_len, const char **code);
    /* Gets the parameters that a tool declares (0: no tool), and the given tools. */
    int (*given)(void *user, sluice_stream *s, size_t tool, sluice__given *out);
    /* Returns 1 and the name of the tool's parameter at this position, from 1; or 0. */
    int (*parameter)(void *user, sluice_stream *s, size_t tool, size_t place, const char **out,
                     size_t *out_len);
    /* Makes the program of member m->member of many, if not made yet. Returns NULL if this failed,
     * which was reported. */
    const sluice__program *(*program)(void *user, sluice_stream *s);
    /* Reads with the script's own function, from its beginning or (`on`) from where it waited. */
    sluice__verdict (*hand)(void *user, sluice_stream *s, bool on);
    /* Called before (verdict -1) and after each instruction, to watch; or NULL. */
    void (*watch)(void *user, sluice_stream *s, const sluice__run *m, int verdict);
} sluice__scripts;

/* A format of `auto` that may begin a block at a literal. */
typedef struct sluice__candidate {
    uint16_t program, literal; /* literal: its number in the format's sets; SLUICE__NONE: bare */
    bool at_start, at_line, indented, weak;
    bool json, named; /* JSON, or a given tool's name, must follow */
    bool quiet;       /* too common to report why it is not a call */
    bool own;         /* its own longest literal here counts: they contain tools' names */
    const sluice__markers *word; /* must be here; or NULL */
} sluice__candidate;

/* Many programs at once: by literal of the joined format, the candidates for a block. */
typedef struct sluice__many {
    const sluice__format *format;
    size_t count;                                 /* programs */
    sluice__candidate **text, **reasoning, *bare; /* lists; each ends with program SLUICE__NONE */
} sluice__many;

/* ---- Registers of a block ---- */

enum {                     /* what failing to a mark does */
       SLUICE__M_NONE,     /* fails further */
       SLUICE__M_CHOICE,   /* the next alternative */
       SLUICE__M_OPTIONAL, /* goes on after the optional part */
       SLUICE__M_LOOP,     /* not a parameter */
       SLUICE__M_CALL,     /* not a call: finds the next one */
       SLUICE__M_PROBE,    /* answers no */
       SLUICE__M_SECTION   /* nothing in the section was a call */
};

typedef struct sluice__mark {
    uint64_t pos, name_start, name_end;
    uint32_t name_len, id_len; /* UINT32_MAX: none */
    uint16_t pc, phase, way, pattern, held, type;
    uint8_t kind;
    bool began : 1, item : 1, pinned : 1, loose : 1;
} sluice__mark;

typedef struct sluice__other {
    uint32_t key, len; /* in other_keys */
    uint64_t first;    /* where its value begins */
    bool own;          /* repeats what a wrapper says: the call's name, or its kind */
    bool declared;     /* the tool declares a parameter of this name */
    bool flat;         /* it is an argument */
    uint8_t shape;     /* shape of its value: see machine_object.c */
} sluice__other;

typedef struct sluice__pair_held {
    uint32_t key, key_len, text, text_len; /* in `held` */
} sluice__pair_held;

/* State that most calls do not need, allocated at the first write. */
typedef struct sluice__rare {
    sluice__buffer wrong, first_wrong; /* why it is not a call, NUL-terminated */
    const char *first_code;
    sluice__buffer bad_why; /* why the first bad call of a list is not a call */
    struct {
        uint32_t from, to;
    } extra[SLUICE__EXTRAS];
    sluice__buffer extras; /* their JSON text: offsets in `extra` */
    struct {               /* members of the object other than name and arguments */
        sluice__other *list;
        size_t count, cap, at;
    } others;
    sluice__buffer other_keys,
        other_key;       /* the members' keys; one used in place of the arguments' key */
    sluice__buffer held; /* parameters to report when the call is announced: `pair_count` */
    sluice__pair_held *pairs;
    size_t pair_cap;
    struct { /* a parameter that may be repeated */
        bool open, array;
        uint8_t holds;
        sluice__types types;
        sluice__buffer key, text;
    } repeated;
} sluice__rare;
extern const sluice__rare sluice__nothing_rare; /* used until there is one */

/* `holds` of `repeated`: what is held of its value. */
enum { SLUICE__NOTHING_HELD, SLUICE__TEXT_HELD, SLUICE__JSON_HELD };

struct sluice__run {
    const sluice__program *program;
    const sluice__many *many;             /* or NULL */
    const sluice__program **programs;     /* of many; NULL: not made yet */
    const sluice_stream_options *options; /* of many; valid, and resolved by each format */
    const sluice__scripts *scripts;
    void *user;
    const sluice__rare *rare; /* written by sluice__m_rare */

    uint64_t at[4];                            /* kept by an instruction across waits */
    uint64_t space_from, space_to;             /* white space that was examined */
    uint64_t blanks_from, blanks_to;           /* blanks of a line that were examined */
    const uint16_t *blocks;                    /* still to be tried */
    const sluice__candidate *candidates, *all; /* still to be tried; all, from the first on */
    uint64_t steps_pos;
    unsigned steps;                  /* instructions since pos last moved */
    uint16_t pc, phase, sub, member; /* member: of many, the number of the program */
    bool has_tools;
    bool calls_only, passed_text; /* of several formats, calls of any come before text of another */

    /* of the block */
    bool bare, quiet; /* it began without a marker; not a call: not reported */
    bool missed;      /* the last literal was missing */
    bool spoke;       /* text that looked like a call was an answer, or an empty list */
    bool passed;      /* members that are arguments were skipped */
    bool loose_key;   /* a key of the object has no colon, or a quote inside */
    bool trailed;     /* a possible argument followed the arguments */
    bool doubted;     /* a possible call, or possible arguments, beside the member with the calls */
    bool markerless, opened, opener_missing, any, reserved, unknown_as_text, several, probing;
    bool inside, nested; /* an unreadable item: what follows may be part of it; and the same before
                            the current call */
    uint8_t said_count, said_next;
    uint64_t object_at;
    sluice__beside *beside;  /* NULL until needed */
    uint32_t shared;         /* bytes that calls of other formats also begin with; 0: none do */
    uint32_t good;           /* calls of the block so far */
    uint64_t start, between; /* start of the current call, and of what precedes it */
    const char *code;        /* why it is not a call: see `wrong` */

    /* of the call */
    bool began, given, broken, kept, answer;
    bool has_name, has_id, outer_name, outer_id;
    bool unnamed;      /* the name is a placeholder: the arguments tell the tool */
    bool by_arguments; /* they told it */
    bool has_key;      /* a parameter's key was read, but not yet its value */
    bool loose;        /* part of a tag of it, or of its parameter, was not used */
    bool unread;       /* its arguments became unreadable */
    bool in_python;    /* the skipped text continues a Python call */
    bool looped;       /* its parameters are separate */
    bool bare_end;     /* the text ends where the first parameter is required */
    bool stray;        /* a closer or text followed a parameter: did its value end too early? */
    bool found;        /* `tool` is the tool of exactly this name */
    bool bad_told;     /* it was reported that this is not a call */
    bool lacks_opener; /* the current value lacks its opener */
    bool unwrapped;    /* one parameter held all arguments */
    bool unfinished, silent;      /* the text ended in it; the options made it text */
    uint8_t seen[SLUICE__FIELDS]; /* kind of each field that was present */
    uint16_t pattern, outer_pattern;
    uint16_t field; /* of the object, being read */
    uint16_t pair_count;
    unsigned type;                /* of the next value, or 0 */
    int open;                     /* objects and lists open at `why`, including the call's own */
    const sluice__markers *lacks; /* of separate parameters: the last missing closer; and where */
    uint64_t lacks_at;
    size_t tool;
    sluice__buffer name, id, key, asked_key, mended;
    sluice__buffer param; /* the open parameter, as the tool declares it */
    const char *resolved; /* the name as the tools know it, during the announcement */
    size_t resolved_len;
    uint64_t name_start, name_end, arguments_at;
    sluice__hashes used;
    const char *why; /* why the arguments became unreadable, or NULL */
    struct {
        uint64_t from, stop;
        bool whole, object, empty;
    } section;

    sluice__given tool_sets; /* those of the tool with this number, less 1 */
    size_t tool_sets_of;
    uint64_t stop;      /* end of an object that was read, while its arguments are re-read */
    uint64_t absent_at; /* where an optional opener was last missing */
    uint64_t why_at;    /* the furthest position before a failure */
    const sluice__program *failed_in; /* the program that failed there; NULL: none */
    const sluice__ins *failed_at;     /* NULL: the name failed, since it is not plausible */
    uint32_t place, bads;             /* arguments without a keyword; bad calls before a good one */

    /* of the current parameter */
    uint8_t mode;  /* how its value is read */
    uint16_t mask; /* and as which types */
    sluice__types types;

    uint32_t mark_count;
    sluice__mark *marks;
    size_t mark_cap;
    struct sluice__tree *tree; /* elements inside a parameter; see machine_tree.c */
};

/* Returns the arguments that an instruction reads if a literal follows them, which *closer
 * receives, and *brace what precedes it; or NULL. */
sluice__arguments_spec *sluice__find_end(const sluice__program *p, const sluice__ins *i,
                                         const sluice__marker **closer, const char **brace);
/* Finds the instructions for names that may be read at once, and sets their flags. The program's
 * sets and attributes are complete. */
void sluice__find_names(const sluice__program *p, sluice__ins *code);
/* Finds what is waited for after each literal of the text that opens a block, as of
 * sluice__format. The program is complete. */
void sluice__find_openings(const sluice__program *p, sluice__standby *behind);
/* Finds whether the loop is a row; its program's code, sets, attributes, values and
 * calls are complete. */
void sluice__find_row(const sluice__program *p, sluice__loop *loop);
/* The same for an object that is a call, and its head. */
void sluice__find_head(sluice__object_spec *o);

/* For `header` of the scripts: set the name at [start, end) (equal: nowhere), the id (NULL: none),
 * a held pair. False if out of memory. */
bool sluice__machine_key(sluice__run *m, const sluice_stream *s, const char *key, size_t n);
bool sluice__machine_name(sluice__run *m, const sluice_stream *s, const char *name, size_t len,
                          uint64_t start, uint64_t end);
bool sluice__machine_id(sluice__run *m, const sluice_stream *s, const char *id, size_t len);
bool sluice__machine_hold(sluice__run *m, const sluice_stream *s, const char *key, size_t key_len,
                          const char *text, size_t len);

/* True if an element of this name is open around the current one. */
bool sluice__tree_encloses(const sluice__run *m, const char *p, size_t n);
/* True if an element whose members are collected is being read. */
bool sluice__tree_open(const sluice__run *m);
const sluice__buffer *sluice__tree_result(const sluice__run *m);
void sluice__tree_drop(sluice__run *m);
void sluice__tree_release(sluice__run *m, const sluice_allocator *a);

/* The machine as a syntax of streams: `user` begins with a sluice__run. */
sluice__verdict sluice__machine_open(sluice__run *m, sluice_stream *s, size_t item);
sluice__verdict sluice__machine_resume(sluice__run *m, sluice_stream *s);
void sluice__machine_drop(sluice__run *m, sluice_stream *s);
void sluice__machine_release(sluice__run *m, const sluice_allocator *a);

/* Returns the name of an instruction, in lower case, for listings. */
const char *sluice__instruction_name(unsigned op);

#endif
