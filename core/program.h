/*
 * A format as a program: a flat, immutable list of instructions with their sets of literals and
 * specifications, made once when a script is loaded and shared by all streams of an engine.
 *
 * An instruction is a plain function of the bytes from `pos` to the end of what has come. If they
 * do not suffice, it waits, having changed nothing, and is called again later. Instructions that
 * read something unbounded (say, value, arguments, object) move `pos` while they wait, and keep a
 * few bytes of state between tokens.
 *
 * Before a call is announced, what does not match fails: back to the last choice, or else the block
 * is text. Once it is announced nothing fails: what is missing lowers the call's status.
 */
#ifndef SLUICE_PROGRAM_H
#define SLUICE_PROGRAM_H

#include "marker.h"
#include "schema/doc.h"
#include "typed.h"

/* The instructions, each a row that words emit; and rows that are run by one of them. */
// clang-format off
#define SLUICE__INSTRUCTIONS(X)                                                                    \
    X(literal) X(choice) X(any) X(commit)                                                          \
    X(name) X(declared) X(header) X(attributes) X(same)                                            \
    X(params) X(params_next) X(params_back) X(value) X(arguments) X(object) X(say)                 \
    X(calls) X(call) X(call_end) X(call_bad) X(between_end) X(section) X(section_end)              \
    X(hand) X(close)                                                                               \
    ROW(maybe, literal) ROW(jump, commit) ROW(key, name) ROW(id, name) ROW(side, name)             \
    ROW(named, declared) ROW(shape, header) ROW(member, object) ROW(member_end, object)
// clang-format on

enum {
#define X(name) SLUICE__I_##name,
#define ROW(name, op) SLUICE__I_##name,
    SLUICE__INSTRUCTIONS(X)
#undef X
#undef ROW
        SLUICE__I_COUNT
};

/* Numbers of a table (from 0), or addresses, as the instruction says; SLUICE__NONE is neither. */
typedef struct sluice__ins {
    uint8_t row, flags;
    uint16_t a, b, c;
} sluice__ins;
enum { SLUICE__NONE = 0xFFFF };

/* Pattern numbers that are not a script's. */
enum { SLUICE__NO_PATTERN = 0xFFFF, SLUICE__BARE_NAME = 0xFFFE, SLUICE__NO_NAME = 0xFFFD };

/* Flags of instructions. */
enum {
    SLUICE__F_EXACT = 1,      /* literal, choice: does not skip white space before it */
    SLUICE__F_LINE = 2,       /* literal: its line ends behind it; key: it is on the next line */
    SLUICE__F_WHOLE_LINE = 4, /* literal: it is only that newline */
    SLUICE__F_RECOVER = 8,    /* literal, choice: its absence is a repair */
    SLUICE__F_NAME = 64,      /* same: as the name, else as the key */
    SLUICE__F_SOFT = 64,      /* literal: exact, but its absence is a repair */
    SLUICE__F_MANY = 1        /* close: the block's calls have ended already */
};

/* ---- Literals that are out of place: see doubt.c ------------------------------------------- */

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

typedef struct sluice__format_literals {
    const literals *set;   /* NULL: none */
    const literals *plain; /* of them, those without a special token; or NULL */
    bool raw;              /* values are raw text, not JSON */
    bool tagged;           /* a parameter's tag is named after its key */
    bool angles;           /* they are in angle brackets */
    bool fenced;           /* a value may stand in a code fence */
    bool in_fences;        /* calls do */
} sluice__format_literals;

/* What a raw value may quote of its own format. A description gives the literals around its
 * parameters by kind; the value operation balances them (quoted.c). PO and PC are the opener and
 * the closer of a parameter, CO and CC those of a call, SO and SC those of a section of calls. */

/* Kinds of the literals: roles of the set `marks`. A literal may have several. */
enum {
    SLUICE__PC = 1,
    SLUICE__CC = 2,
    SLUICE__SC = 4,
    SLUICE__PO = 8,
    SLUICE__CO = 16,
    SLUICE__SO = 32,
    SLUICE__MORE_OPENS = 64 /* comes before a CO too */
};

/* How the key of a PO, the name of a CO or the name in a closer is written. */
typedef struct sluice__head {
    const literals *ends;  /* what ends the header; NULL: the literal has none */
    const char *attribute; /* the attribute that holds it; NULL: all of the header */
} sluice__head;

typedef struct sluice__quoting {
    const literals *marks;
    sluice__head key, name;
    sluice__head outer;  /* the same of a CC */
    sluice__head closer; /* of a PC that repeats the key; else its `ends` is NULL */
} sluice__quoting;

/* What is known of the value's tool. Both may be NULL: not known. */
typedef struct sluice__given {
    const literals *keys;  /* the parameters that it declares */
    const literals *names; /* the given tools */
} sluice__given;

/* ---- Specifications: operands that do not fit into an instruction -------------------------- */

typedef struct sluice__any { /* alternatives */
    const literals *firsts;  /* literals that may begin one; roles: which */
    uint16_t *ways;          /* addresses */
    uint16_t count, other;   /* other: the alternative for any other start */
} sluice__any;

enum { SLUICE__A_NAME, SLUICE__A_KEY, SLUICE__A_ID }; /* what an attribute is */
enum { SLUICE__A_TYPE = SLUICE__A_ID + 1, SLUICE__A_VALUE, SLUICE__A_IGNORED };
typedef struct sluice__attribute { /* an attribute of a tag that is read */
    const char *name;
    const char *key; /* of a parameter */
    unsigned what;
    uint16_t pattern; /* of a name without a key, or SLUICE__NONE */
    struct sluice__spelling {
        const char *text;
        unsigned mask;
    } * types; /* the spellings of a type; ends with a NULL text */
} sluice__attribute;

typedef struct sluice__attributes {
    const literals *follow;
    sluice__attribute *list;
    size_t count;
    bool asks, entities; /* a name or a key is required; entities of parameters are decoded */
} sluice__attributes;

typedef struct sluice__content { /* text or reasoning inside a block */
    const literals *ends;
    const char *lead, *trail;
    int type;
    bool open; /* nothing of its block closes it */
} sluice__content;

/* Roles of literals that may end a value. */
enum {
    SLUICE__ASK = 1,   /* there is a question */
    SLUICE__FINAL = 2, /* always counts */
    SLUICE__DOUBT = 4, /* ends nothing: it begins a call whose closers look like these */
    SLUICE__KEEPS = 8  /* times the last bytes of `trail` that are not written before it */
};

/* The question about a literal that may end a value. */
typedef struct sluice__ask {
    enum {
        SLUICE__ASK_NAMED = 1, /* a closer that names what it closes, and what must follow */
        SLUICE__ASK_LINE,      /* must begin a line; `open`: perhaps behind blanks */
        SLUICE__ASK_FENCE      /* must close the fence that is open */
    } kind;
    sluice__head head;     /* of a closer: what it closes; `name`: the call, else the key */
    const literals *later; /* what may follow; `open`: anything may */
    bool open, name;
} sluice__ask;

typedef struct sluice__element { /* a parameter inside a parameter */
    sluice__head key, closer;    /* closer: where it repeats the key; else its `ends` is NULL */
    const char *close;           /* the literal that closes it */
    uint16_t pattern;            /* of the key, or SLUICE__NONE */
} sluice__element;

typedef struct sluice__elements {
    const literals *marks; /* openers, then closers */
    sluice__element *list; /* by opener */
    size_t count;
    const char *item; /* the key of an array's items */
} sluice__elements;

/* Further forms of a raw value: bits of `as`. */
enum {
    SLUICE__FENCED = 1,   /* in a code fence, which is dropped */
    SLUICE__ANGLES = 2,   /* with the entities &lt; and &gt; */
    SLUICE__ENTITIES = 4, /* also with &amp;, &quot; and &apos; */
    SLUICE__ANY_ENTITIES = SLUICE__ANGLES | SLUICE__ENTITIES,
    SLUICE__MAY_BE_JSON = 8 /* a JSON string alone is read as that string */
};

typedef struct sluice__value_spec {
    const literals *ends;
    const literals *strict_ends;    /* only what the description says; or NULL */
    sluice__ask *asks;              /* by literal of `ends` */
    const char *lead, *trail, *key; /* key: fixed, or NULL */
    sluice__elements elements;      /* that may be inside; or all zero */
    sluice__quoting quoting;        /* what the value may quote; or all zero */
    unsigned as;
    bool to_line_end, trim;
    bool present;       /* white space alone is not a value */
    bool sealed;        /* it has an opener of its own, as CDATA: it may hold anything */
    bool single;        /* for the tool's only parameter if the tool does not declare this key */
    uint8_t wakes[256]; /* bytes that do not simply go on the value */
} sluice__value_spec;

typedef struct sluice__loop {           /* parameters */
    const literals *set, *stops, *ends; /* openers, exits; also closers, later ones; only these */
    bool open_ended;
    uint16_t body, out; /* addresses */
} sluice__loop;
/* roles in `stops`: openers; closers of a parameter; what follows the last one */
enum { SLUICE__OPENS = 1, SLUICE__OWN, SLUICE__FOLLOWS };

typedef struct sluice__arguments_spec {
    const literals *enders;  /* what may follow; or NULL */
    const literals *closers; /* those of the call itself; or NULL */
    const char *quote;       /* the format's own, or NULL */
    bool python;             /* its literals */
    bool kwargs;             /* then: its keyword arguments, up to a parenthesis */
    bool brace_follows;      /* a brace after it belongs to an enclosing object */
    uint16_t raw; /* address of the value to read if there is no object, or SLUICE__NONE */
} sluice__arguments_spec;

typedef struct sluice__field { /* a key of an object that is a call, or holds calls */
    const char *key, *value;   /* value: the string that it must be; or NULL */
    bool name, arguments, id, reasoning, calls;
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
    const char *scalar;      /* the parameter for arguments that are not an object, or NULL */
    const char **answers;    /* names whose arguments are text; ends with NULL */
    uint16_t out;            /* address behind an object around calls */
} sluice__object_spec;

typedef struct sluice__calls_spec {
    const literals *follow; /* roles: between, body, exits; or NULL */
    const literals *closers, *starts;
    bool once, must_close, open, in_json;
    bool array; /* in JSON: commas stand between them, and something behind the last one */
    uint16_t call, between_at, bad, out; /* addresses */
} sluice__calls_spec;
enum { SLUICE__BETWEEN = 1, SLUICE__BODY, SLUICE__EXIT };

typedef struct sluice__section_spec { /* a part of the message that is reserved for calls */
    const literals *close;
    const char *after;
    uint16_t array, object, out; /* addresses */
} sluice__section_spec;

typedef struct sluice__extra {   /* a member of `extra` */
    const char *key, *otherwise; /* otherwise: JSON text, or NULL */
} sluice__extra;

/* ---- Formats ------------------------------------------------------------------------------ */

/* Roles of the literals of a format; a literal may have several. Those below BLOCK are the same for
 * all members of `auto` that have the literal. */
enum {
    SLUICE__REASON = 1,         /* opens reasoning */
    SLUICE__REASON_END = 2,     /* closes it (in the set for reasoning) */
    SLUICE__TURN_END = 4,       /* an end-of-turn token: markup */
    SLUICE__NOISE = 8,          /* markup everywhere */
    SLUICE__NOISE_TAG = 16,     /* with NOISE: up to the `>` on its line */
    SLUICE__STRAY = 32,         /* markup right after a block: an extra closer */
    SLUICE__LEADING = 64,       /* markup if only white space and markup precede it */
    SLUICE__BLOCK = 1 << 16,    /* a block may begin here */
    SLUICE__AT_START = 1 << 17, /* a block only if only white space precedes it */
    SLUICE__AT_LINE = 1 << 18,  /* a block only at the start of a line */
    SLUICE__ALONE = 1 << 19,    /* a block only in a run of exactly as many copies */
    SLUICE__TOLD = 1 << 20,     /* a block: `not_a_call` is reported if it is not one */
    SLUICE__INDENT = 1 << 21    /* AT_LINE: also after indentation; AT_START: also after a block */
};

typedef struct sluice__pair { /* opener and closer of reasoning, with white space to drop */
    const char *open, *close;
    const char *lead;  /* dropped after the opener */
    const char *trail; /* dropped before the closer */
    const char *after; /* dropped after the closer, before text */
} sluice__pair;
enum { SLUICE__PAIRS = 64 };

/* Values of the stream options, resolved. */
enum { SLUICE__HOLD, SLUICE__CALL, SLUICE__KEEP };                     /* calls_in_reasoning */
enum { SLUICE__LINE, SLUICE__START, SLUICE__ANYWHERE };                /* reasoning_opens */
enum { SLUICE__FENCE_SCRIPT, SLUICE__FENCE_TEXT, SLUICE__FENCE_CALL }; /* fences */
typedef struct sluice__settings {
    bool whole, types, start_reasoning, strict, repairs, validation, parameters, markup;
    bool start_text; /* the host says that no reasoning is open: its closer is text */
    bool tokens;     /* special tokens count only if they came as tokens */
    bool source;     /* CALL_END carries the source of the call */
    bool unknown_as_text;
    uint8_t calls_in_reasoning, reasoning_opens, fences;
    uint32_t max_calls; /* UINT32_MAX: no limit */
    uint32_t limit_name, limit_header, limit_value, limit_held, limit_depth;
} sluice__settings;

/* Literals and defaults of a format. Immutable, shared by its streams. */
typedef struct sluice__format {
    const char *name;    /* of the syntax */
    literals *text;      /* in text: blocks, reasoning, turn ends, noise, strays */
    literals *watched;   /* those of them that are searched for, and what may be left over */
    literals *reasoning; /* in reasoning: closers, blocks, turn ends, noise, openers */
    literals *closers;   /* only closers of reasoning, for calls held in it */
    literals *sure;      /* of `auto`: not quiet are openers that are no words of prose; or NULL */
    sluice__pair pairs[SLUICE__PAIRS + 1]; /* open: NULL behind the last */
    uint8_t bare[32];                      /* first bytes of blocks without a marker */
    bool bare_at_line; /* such a block may begin any line, not only the message */
    literals *fence;   /* closers of a code fence */
    bool fence_text;   /* closed code fences hide calls, unless an option says otherwise */
    bool start_trim;   /* white space at the start of the message is markup */
    bool cut_tokens;   /* the start of a special token at the end of the text is markup */
    literals *special; /* literals that are special tokens of the model; or NULL */
    sluice__settings defaults;
    uint8_t wakes[3][256]; /* of text, of text with code open on its line, of reasoning */
} sluice__format;

/* Fills `wakes`, when all else is known. */
void sluice__format_complete(sluice__format *f);

const char *sluice__settings_from(const sluice__format *f, const sluice_stream_options *o,
                                  sluice__settings *set);
extern const sluice__settings sluice__default_settings;

typedef struct sluice__program {
    const sluice__format *format;
    const sluice__ins *code;
    size_t count;
    literals **sets;
    sluice__any *anys;
    sluice__attributes *attributes;
    sluice__content *contents;
    sluice__value_spec *values;
    sluice__loop *loops;
    sluice__arguments_spec *arguments;
    sluice__object_spec *objects;
    sluice__calls_spec *calls;
    sluice__section_spec *sections;
    const char **texts;
    /* Addresses of the blocks that may begin with a literal, then SLUICE__NONE; by number of the
     * literal in the format's `text`, then in its `reasoning`; the last one is for bare blocks. */
    uint16_t **starts;
    const char **namespaces;       /* ends with NULL */
    const char **fixed_parameters; /* the same */
    const char **known;            /* names that the script itself knows; or NULL */
    sluice__extra *extra;
    size_t extra_count;
    const literals *encoded, *nothing; /* starts of encoded arguments; spellings of none */
    const literals *fence, *fence_end; /* around a section */
    sluice__format_literals literals;  /* see doubt.c */
    unsigned untyped;                  /* types that a value without a schema may have */
    bool repeated_is_array, singular_keys, repairs_names, reserved_section;
} sluice__program;

/* A format of `auto` that may begin a block at a literal. */
typedef struct sluice__candidate {
    uint16_t program;
    bool weak;            /* only with tools */
    bool bare;            /* a call without a marker, at the start of the message; else the format's
                             own longest literal here opens the block */
    bool json, named;     /* JSON, or a given tool's name, must follow */
    bool quiet;           /* too common to report why it is not a call */
    const literals *word; /* must be here; or NULL */
} sluice__candidate;

/* Many programs at once: by literal of the joined format, the candidates for a block. */
typedef struct sluice__many {
    const sluice__format *format;
    size_t count;                                 /* programs */
    sluice__candidate **text, **reasoning, *bare; /* lists; each ends with program SLUICE__NONE */
} sluice__many;

/* Returns the name of a row, for listings. */
const char *sluice__instruction_name(unsigned row);

#endif
