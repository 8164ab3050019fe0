/* Formats, what values may quote, programs, and stream options: tables of Lua as structs of the
 * core, of which each field is described once. */
#include "program.h"

#include <stddef.h>

#define PROGRAM_TYPE "sluice.program"
#define MANY_TYPE "sluice.many"
#define FORMAT_TYPE "sluice.format"

/* What is being made. Its memory is kept with it, as is the table that it is made of, to which
 * strings and sets belong. */
typedef struct box {
    sluice_keeper keeper;
    const sluice__program *program; /* or NULL */
} box;

/* [-0, +0, m] Allocates `size` bytes, all zero. */
static void *take(box *o, size_t size) {
    sluice_allocator a = sluice_kept_by(&o->keeper);
    return sluice__zeroed(&a, size);
}

/* ---- Fields -------------------------------------------------------------------------------- */

typedef struct field {
    const char *key; /* NULL: all of the table */
    enum {
        TEXT,    /* const char *, which the table keeps alive; none: NULL */
        TRUTH,   /* bool */
        DENIAL,  /* bool: true if the value is false */
        BYTE,    /* uint8_t */
        MASK,    /* an unsigned int */
        SIZE,    /* size_t; none: 0 */
        ADDRESS, /* uint16_t; none: SLUICE__NONE */
        NUMBER,  /* the same, but counted from 1 in Lua */
        WORD,    /* an enum: the number of this word in the list `of`; none: 0 */
        SET,     /* a set, by its number among the program's; none: NULL */
        MARKERS, /* the set itself */
        OBJECT,  /* another userdata */
        ROW,     /* a struct within this one, with the fields `of` */
        ROWS     /* a list of such structs; the last one is made of nothing */
    } how;
    size_t at;
    const void *of;
    size_t count_at; /* where the number of rows, or the length of a text, goes; 0: nowhere */
} field;

/* A struct is a list of fields: the first one has its size, and how many of it a list may have (0:
 * any number); the last one lies nowhere. cmake/amalgamate.lua knows the macros with members. */
#define FIELDS(ROW, TYPE, MOST, ...)                                                               \
    static const field ROW[] = {                                                                   \
        {NULL, TEXT, sizeof(TYPE), NULL, MOST}, __VA_ARGS__, {NULL, TEXT, SIZE_MAX, NULL, 0}}
#define WORDS(NAME, ...) static const char *const NAME[] = {__VA_ARGS__, NULL}
#define ENTRY(KEY, TYPE, MEMBER, HOW, OF)                                                          \
    { KEY, HOW, offsetof(TYPE, MEMBER), OF, 0 }
#define FIELD(T, MEMBER, HOW) ENTRY(#MEMBER, sluice__##T, MEMBER, HOW, NULL)
#define LIST(T, MEMBER, OF) ENTRY(#MEMBER, sluice__##T, MEMBER, ROWS, OF)
#define COUNTED(T, MEMBER, OF, COUNT)                                                              \
    { #MEMBER, ROWS, offsetof(sluice__##T, MEMBER), OF, offsetof(sluice__##T, COUNT) }

/* [-0, +0, m] Reads the table on the top of the stack into the struct at `to`. */
static void read_row(lua_State *L, box *o, const field *fields, void *to);

/* Returns a number; one too large, like math.huge, becomes the largest. */
static size_t number_of(lua_State *L, size_t otherwise) {
    if (!lua_isnumber(L, -1))
        return otherwise;
    lua_Number n = lua_tonumber(L, -1);
    return n >= 9007199254740992.0 || n >= (lua_Number)SIZE_MAX ? SIZE_MAX : (size_t)n;
}

/* Returns the number of the text on top in a list of words that ends with NULL; 0 if it is none. */
static unsigned word_of(lua_State *L, const char *const *words) {
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    for (unsigned i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return 0;
}

static void read_field(lua_State *L, box *o, const field *f, char *to) {
    const void *pointer = NULL;
    void *at = to + f->at;
    size_t count = 0;
    switch (f->how) {
    case TRUTH:
        *(bool *)at = lua_toboolean(L, -1);
        return;
    case DENIAL:
        *(bool *)at = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        return;
    case BYTE:
        *(uint8_t *)at = (uint8_t)number_of(L, 0);
        return;
    case MASK:
        *(unsigned *)at = (unsigned)number_of(L, 0);
        return;
    case SIZE:
        *(size_t *)at = number_of(L, 0);
        return;
    case ADDRESS:
    case NUMBER:
        count = number_of(L, SLUICE__NONE);
        *(uint16_t *)at = (uint16_t)(count - (f->how == NUMBER && count != SLUICE__NONE));
        return;
    case WORD:
        *(unsigned *)at = word_of(L, f->of);
        return;
    case ROW:
        read_row(L, o, f->of, at);
        return;
    case TEXT:
        if (lua_type(L, -1) == LUA_TSTRING)
            pointer = lua_tolstring(L, -1, &count);
        break;
    case SET:
        pointer = lua_isnumber(L, -1) ? o->program->sets[number_of(L, 0)] : NULL;
        break;
    case MARKERS:
        pointer = lua_isnil(L, -1) ? NULL : sluice_check_set(L, -1);
        break;
    case OBJECT:
        pointer = lua_touserdata(L, -1);
        break;
    case ROWS: {
        const field *of = f->of;
        count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
        if (of->count_at && count > of->count_at)
            luaL_error(L, "the description is too long: it has more than %d %s", (int)of->count_at,
                       f->key);
        char *rows = take(o, (count + 1) * of->at);
        pointer = rows;
        for (size_t i = 0; i <= count; i++) {
            if (i < count)
                lua_rawgeti(L, -1, (int)i + 1);
            else
                lua_pushnil(L);
            read_row(L, o, of, rows + i * of->at);
            lua_pop(L, 1);
        }
    }
    }
    memcpy(at, &pointer, sizeof pointer);
    if (f->count_at)
        memcpy(to + f->count_at, &count, sizeof count);
}

static void read_row(lua_State *L, box *o, const field *fields, void *to) {
    for (const field *f = fields + 1; f->at != SIZE_MAX; f++) {
        if (!f->key)
            lua_pushvalue(L, -1);
        else if (lua_istable(L, -1))
            lua_getfield(L, -1, f->key);
        else
            lua_pushnil(L);
        read_field(L, o, f, to);
        lua_pop(L, 1);
    }
}

/* ---- Stream options, formats ---------------------------------------------------------------- */

typedef sluice_stream_options sluice__options;
FIELDS(options_row, sluice_stream_options, 0, FIELD(options, calls, TEXT),
       FIELD(options, start, TEXT), FIELD(options, prompt, TEXT),
       FIELD(options, calls_in_reasoning, TEXT), FIELD(options, reasoning_opens, TEXT),
       FIELD(options, fences, TEXT), FIELD(options, unknown_tools, TEXT),
       FIELD(options, types, TEXT), FIELD(options, special, TEXT), FIELD(options, mark, TEXT),
       FIELD(options, source, TRUTH), FIELD(options, strict, TRUTH),
       FIELD(options, parameters, TRUTH), FIELD(options, markup, TRUTH),
       ENTRY("repairs", sluice__options, no_repairs, DENIAL, NULL),
       ENTRY("validate", sluice__options, no_validation, DENIAL, NULL),
       FIELD(options, max_calls, SIZE), FIELD(options, limit_name, SIZE),
       FIELD(options, limit_header, SIZE), FIELD(options, limit_value, SIZE),
       FIELD(options, limit_held, SIZE), FIELD(options, limit_depth, SIZE));

void sluice_read_options(lua_State *L, int t, sluice_stream_options *o) {
    memset(o, 0, sizeof *o);
    if (!lua_istable(L, t))
        return;
    lua_pushvalue(L, t);
    read_row(L, NULL, options_row, o);
    lua_getfield(L, -1, "max_calls");
    if (lua_isnumber(L, -1) && !o->max_calls) /* 0 is no limit here */
        o->max_calls = SIZE_MAX;
    lua_pop(L, 2);
}

void sluice_push_options(lua_State *L, const sluice_stream_options *o) {
    lua_newtable(L);
    for (const field *f = options_row + 1; o && f->at != SIZE_MAX; f++) {
        const void *at = (const char *)o + f->at;
        if (f->how == TEXT)
            lua_pushstring(L, *(const char *const *)at);
        else if (f->how == SIZE)
            lua_pushnumber(L, (lua_Number) * (const size_t *)at);
        else
            lua_pushboolean(L, f->how == TRUTH);
        static const size_t none; /* a default */
        if (memcmp(at, &none, f->how == TEXT || f->how == SIZE ? sizeof none : sizeof(int)) == 0)
            lua_pop(L, 1);
        else
            lua_setfield(L, -2, f->key);
    }
}

void *sluice_new_object(lua_State *L, size_t size, const char *type) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    void *object = memset(lua_newuserdata(L, size), 0, size); // table, object
    luaL_getmetatable(L, type);
    lua_setmetatable(L, -2);
    lua_newtable(L);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_setuservalue(L, 2);
    lua_pushvalue(L, 1);
    return object;
}

FIELDS(format_row, sluice__format, 0, FIELD(format, name, TEXT), FIELD(format, text, MARKERS),
       FIELD(format, watched, MARKERS), FIELD(format, reasoning, MARKERS),
       FIELD(format, closers, MARKERS), FIELD(format, bare_at_line, TRUTH),
       FIELD(format, fence, MARKERS), FIELD(format, fence_text, TRUTH),
       FIELD(format, start_trim, TRUTH), FIELD(format, cut_tokens, TRUTH),
       FIELD(format, special, MARKERS), FIELD(format, sure, MARKERS));
FIELDS(pair_row, sluice__pair, 0, FIELD(pair, open, TEXT), FIELD(pair, close, TEXT),
       FIELD(pair, lead, TEXT), FIELD(pair, trail, TEXT), FIELD(pair, after, TEXT));

/* format{ name, text = set, watched = set, reasoning = set, closers = set, sure = set,
 * pairs = {{open, close, lead, trail, after}, ...}, bare = bytes, bare_at_line, start_trim,
 * defaults = options } -> format. Keeps the table as its environment. */
static int core_format(lua_State *L) {
    sluice__format *f = sluice_new_object(L, sizeof *f, FORMAT_TYPE);
    read_row(L, NULL, format_row, f);
    lua_getfield(L, -1, "pairs");
    int count = (int)lua_rawlen(L, -1);
    if (count > SLUICE__PAIRS)
        luaL_error(L, "there are more than %d pairs of reasoning", SLUICE__PAIRS);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        read_row(L, NULL, pair_row, &f->pairs[i]);
        lua_pop(L, 1);
    }
    lua_getfield(L, 1, "bare");
    for (const char *bare = lua_tostring(L, -1); bare && *bare; bare++)
        f->bare[(unsigned char)*bare / 8] |= (uint8_t)(1 << (unsigned char)*bare % 8);
    f->defaults = sluice__default_settings;
    sluice__settings resolved;
    sluice_stream_options o;
    lua_getfield(L, 1, "defaults");
    sluice_read_options(L, lua_gettop(L), &o);
    const char *wrong = sluice__settings_from(f, &o, &resolved);
    if (wrong) { /* about the script: without a place in the library */
        lua_pushstring(L, wrong);
        return lua_error(L);
    }
    f->defaults = resolved;
    sluice__format_complete(f);
    lua_settop(L, 2);
    return 1;
}

/* ---- Programs ------------------------------------------------------------------------------- */

#define PLAIN(name, type, how, of) FIELDS(name, type, 0, {NULL, how, 0, of, 0})
PLAIN(texts_row, const char *, TEXT, NULL);
PLAIN(sets_row, literals *, MARKERS, NULL);
PLAIN(addresses_row, uint16_t, ADDRESS, NULL);
PLAIN(lists_of_addresses_row, uint16_t *, ROWS, addresses_row);

FIELDS(code_row, sluice__ins, SLUICE__NO_PATTERN - 2, ENTRY("op", sluice__ins, row, BYTE, NULL),
       FIELD(ins, flags, BYTE), FIELD(ins, a, ADDRESS), FIELD(ins, b, ADDRESS),
       FIELD(ins, c, ADDRESS));
FIELDS(anys_row, sluice__any, 0, FIELD(any, firsts, SET), FIELD(any, other, ADDRESS),
       FIELD(any, count, ADDRESS), LIST(any, ways, addresses_row));
typedef struct sluice__spelling sluice__spelling;
FIELDS(spellings_row, sluice__spelling, 0, FIELD(spelling, text, TEXT),
       FIELD(spelling, mask, MASK));
WORDS(roles_words, [SLUICE__A_NAME] = "name", [SLUICE__A_KEY] = "key", [SLUICE__A_ID] = "id",
      [SLUICE__A_TYPE] = "type", [SLUICE__A_VALUE] = "value", [SLUICE__A_IGNORED] = "match");
FIELDS(attribute_row, sluice__attribute, 0, FIELD(attribute, name, TEXT),
       FIELD(attribute, key, TEXT), ENTRY("what", sluice__attribute, what, WORD, roles_words),
       FIELD(attribute, pattern, ADDRESS), LIST(attribute, types, spellings_row));
FIELDS(attributes_row, sluice__attributes, 0, FIELD(attributes, follow, SET),
       COUNTED(attributes, list, attribute_row, count), FIELD(attributes, asks, TRUTH),
       FIELD(attributes, entities, TRUTH));
WORDS(contents_of_words, [SLUICE_TEXT] = "text", [SLUICE_REASONING] = "think");
FIELDS(contents_row, sluice__content, 0, FIELD(content, ends, SET), FIELD(content, lead, TEXT),
       FIELD(content, trail, TEXT), FIELD(content, open, TRUTH),
       ENTRY("type", sluice__content, type, WORD, contents_of_words));
FIELDS(head_row, sluice__head, 0, FIELD(head, ends, MARKERS), FIELD(head, attribute, TEXT));
FIELDS(quoting_row, sluice__quoting, 0, FIELD(quoting, marks, MARKERS),
       ENTRY("key", sluice__quoting, key, ROW, head_row),
       ENTRY("name", sluice__quoting, name, ROW, head_row),
       ENTRY("closer", sluice__quoting, closer, ROW, head_row),
       ENTRY("outer", sluice__quoting, outer, ROW, head_row));
WORDS(
    questions_words,
    "", [SLUICE__ASK_NAMED] = "named", [SLUICE__ASK_LINE] = "line", [SLUICE__ASK_FENCE] = "fence");
FIELDS(asks_row, sluice__ask, 0, ENTRY("kind", sluice__ask, kind, WORD, questions_words),
       ENTRY("head", sluice__ask, head, ROW, head_row), FIELD(ask, later, SET),
       FIELD(ask, open, TRUTH), FIELD(ask, name, TRUTH));
FIELDS(element_row, sluice__element, 0, ENTRY("key", sluice__element, key, ROW, head_row),
       ENTRY("closer", sluice__element, closer, ROW, head_row), FIELD(element, close, TEXT),
       FIELD(element, pattern, ADDRESS));
FIELDS(elements_row, sluice__elements, 0, FIELD(elements, marks, MARKERS),
       COUNTED(elements, list, element_row, count), FIELD(elements, item, TEXT));
FIELDS(values_row, sluice__value_spec, 0, FIELD(value_spec, ends, SET),
       FIELD(value_spec, strict_ends, SET), FIELD(value_spec, lead, TEXT),
       FIELD(value_spec, trail, TEXT), FIELD(value_spec, key, TEXT),
       ENTRY("elements", sluice__value_spec, elements, ROW, elements_row),
       FIELD(value_spec, to_line_end, TRUTH), FIELD(value_spec, trim, TRUTH),
       ENTRY("quoting", sluice__value_spec, quoting, ROW, quoting_row), FIELD(value_spec, as, MASK),
       FIELD(value_spec, present, TRUTH), FIELD(value_spec, single, TRUTH),
       FIELD(value_spec, sealed, TRUTH), LIST(value_spec, asks, asks_row));
FIELDS(loops_row, sluice__loop, 0, FIELD(loop, set, SET), FIELD(loop, stops, SET),
       FIELD(loop, ends, SET), FIELD(loop, open_ended, TRUTH), FIELD(loop, body, ADDRESS),
       FIELD(loop, out, ADDRESS));
FIELDS(arguments_row, sluice__arguments_spec, 0, FIELD(arguments_spec, enders, SET),
       FIELD(arguments_spec, closers, SET), FIELD(arguments_spec, quote, TEXT),
       FIELD(arguments_spec, python, TRUTH), FIELD(arguments_spec, kwargs, TRUTH),
       FIELD(arguments_spec, brace_follows, TRUTH), FIELD(arguments_spec, raw, ADDRESS));
WORDS(needs_words, "", [SLUICE__A_STRING] = "string", [SLUICE__AN_OBJECT] = "object",
      [SLUICE__A_NUMBER] = "number", [SLUICE__MAYBE_NUMBER] = "number?");
FIELDS(members_of_row, sluice__field, SLUICE__FIELDS, FIELD(field, key, TEXT),
       FIELD(field, name, TRUTH), FIELD(field, arguments, TRUTH), FIELD(field, id, TRUTH),
       FIELD(field, reasoning, TRUTH), FIELD(field, calls, TRUTH), FIELD(field, value, TEXT),
       FIELD(field, extra, BYTE), ENTRY("required", sluice__field, required, WORD, needs_words));
FIELDS(objects_row, sluice__object_spec, 0,
       {NULL, ROW, offsetof(sluice__object_spec, how), arguments_row, 0},
       COUNTED(object_spec, fields, members_of_row, count), FIELD(object_spec, name_as_key, TRUTH),
       FIELD(object_spec, arguments_required, TRUTH), FIELD(object_spec, some_required, TRUTH),
       FIELD(object_spec, arguments_optional, TRUTH), FIELD(object_spec, flat, TRUTH),
       FIELD(object_spec, anywhere, TRUTH), FIELD(object_spec, scalar, TEXT),
       FIELD(object_spec, out, ADDRESS), LIST(object_spec, answers, texts_row));
FIELDS(calls_row, sluice__calls_spec, 0, FIELD(calls_spec, follow, SET),
       FIELD(calls_spec, closers, SET), FIELD(calls_spec, starts, SET),
       FIELD(calls_spec, once, TRUTH), FIELD(calls_spec, must_close, TRUTH),
       FIELD(calls_spec, open, TRUTH), FIELD(calls_spec, in_json, TRUTH),
       FIELD(calls_spec, array, TRUTH), FIELD(calls_spec, call, ADDRESS),
       FIELD(calls_spec, between_at, ADDRESS), FIELD(calls_spec, bad, ADDRESS),
       FIELD(calls_spec, out, ADDRESS));
FIELDS(sections_row, sluice__section_spec, 0, FIELD(section_spec, close, SET),
       FIELD(section_spec, after, TEXT), FIELD(section_spec, array, ADDRESS),
       FIELD(section_spec, object, ADDRESS), FIELD(section_spec, out, ADDRESS));
FIELDS(extra_row, sluice__extra, SLUICE__EXTRAS, FIELD(extra, key, TEXT),
       FIELD(extra, otherwise, TEXT));
FIELDS(marks_row, sluice__format_literals, 0, FIELD(format_literals, set, MARKERS),
       FIELD(format_literals, plain, MARKERS), FIELD(format_literals, raw, TRUTH),
       FIELD(format_literals, tagged, TRUTH), FIELD(format_literals, angles, TRUTH),
       FIELD(format_literals, fenced, TRUTH), FIELD(format_literals, in_fences, TRUTH));
FIELDS(program_row, sluice__program, 0, FIELD(program, format, OBJECT),
       LIST(program, sets, sets_row), COUNTED(program, code, code_row, count),
       LIST(program, anys, anys_row), LIST(program, attributes, attributes_row),
       LIST(program, contents, contents_row), LIST(program, values, values_row),
       LIST(program, loops, loops_row), LIST(program, arguments, arguments_row),
       LIST(program, objects, objects_row), LIST(program, calls, calls_row),
       LIST(program, sections, sections_row), LIST(program, texts, texts_row),
       LIST(program, starts, lists_of_addresses_row), LIST(program, namespaces, texts_row),
       LIST(program, fixed_parameters, texts_row), LIST(program, known, texts_row),
       COUNTED(program, extra, extra_row, extra_count), FIELD(program, encoded, MARKERS),
       FIELD(program, nothing, MARKERS), FIELD(program, fence, MARKERS),
       FIELD(program, fence_end, MARKERS),
       ENTRY("literals", sluice__program, literals, ROW, marks_row), FIELD(program, untyped, MASK),
       FIELD(program, repeated_is_array, TRUTH), FIELD(program, singular_keys, TRUTH),
       FIELD(program, repairs_names, TRUTH), FIELD(program, reserved_section, TRUTH));

/* program(table) -> program: see lua/sluice/compile/plan.lua for the table. */
static int core_program(lua_State *L) {
    sluice__program *p = sluice_new_object(L, sizeof *p, PROGRAM_TYPE);
    read_row(L, &(box){{L, 3}, p}, program_row, p);
    lua_getfield(L, -1, "values");
    for (size_t i = lua_rawlen(L, -1); i--;)
        sluice__value_complete(&p->values[i]);
    if (!*p->known)
        p->known = NULL;
    lua_settop(L, 2);
    return 1;
}

const sluice__program *sluice_program_at(lua_State *L, int index) {
    return lua_touserdata(L, index);
}

/* ---- Many formats -------------------------------------------------------------------------- */

FIELDS(candidates_row, sluice__candidate, 0,
       ENTRY("number", sluice__candidate, program, NUMBER, NULL), FIELD(candidate, bare, TRUTH),
       FIELD(candidate, weak, TRUTH), FIELD(candidate, named, TRUTH),
       FIELD(candidate, quiet, TRUTH), FIELD(candidate, json, TRUTH),
       ENTRY("literal", sluice__candidate, word, MARKERS, NULL));
PLAIN(lists_of_candidates_row, sluice__candidate *, ROWS, candidates_row);
FIELDS(many_row, sluice__many, 0, FIELD(many, format, OBJECT), FIELD(many, count, SIZE),
       LIST(many, text, lists_of_candidates_row), LIST(many, reasoning, lists_of_candidates_row),
       LIST(many, bare, candidates_row));

/* many{ format, count, text = {candidates, ...}, reasoning = {...}, bare = candidates } -> many */
static int core_many(lua_State *L) {
    sluice__many *many = sluice_new_object(L, sizeof *many, MANY_TYPE);
    read_row(L, &(box){{L, 3}, NULL}, many_row, many);
    lua_settop(L, 2);
    return 1;
}

const sluice__many *sluice_many_at(lua_State *L, int index) { return lua_touserdata(L, index); }

/* ---- The module ---------------------------------------------------------------------------- */

void sluice_program_open(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"program", core_program}, {"many", core_many}, {"format", core_format}, {NULL, NULL}};
    sluice_metatable(L, PROGRAM_TYPE, NULL, NULL);
    sluice_metatable(L, MANY_TYPE, NULL, NULL);
    sluice_metatable(L, FORMAT_TYPE, NULL, NULL);
    sluice_add_functions(L, functions);
    lua_newtable(L);
    for (unsigned op = 0; op < SLUICE__I_COUNT; op++) {
        lua_pushinteger(L, (lua_Integer)op);
        lua_setfield(L, -2, sluice__instruction_name(op));
    }
    lua_setfield(L, -2, "instructions");
    lua_pushinteger(L, SLUICE__BARE_NAME);
    lua_setfield(L, -2, "BARE_NAME");
}
