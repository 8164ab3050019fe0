#include "program.h"

#define PROGRAM_TYPE "sluice.program"
#define MANY_TYPE "sluice.many"

/* Memory of a program: blocks that are freed with it. Strings and sets belong to Lua: the table
 * that the program was made of is kept with it. */
typedef struct block {
    struct block *next;
    size_t size;
} block;

typedef struct owner {
    sluice_room *room;
    block *blocks;
} owner;

typedef struct program_box {
    owner memory;
    sluice__program program;
} program_box;

typedef struct many_box {
    owner memory;
    sluice__many many;
} many_box;

/* Allocates `size` bytes, all zero; NULL if out of memory. */
static void *may_take(owner *o, size_t size) {
    size_t bytes = sizeof(block) + size;
    block *b = sluice__realloc(&o->room->alloc, NULL, 0, bytes);
    if (!b)
        return NULL;
    memset(b, 0, bytes);
    b->next = o->blocks;
    b->size = bytes;
    o->blocks = b;
    return b + 1;
}

/* [-0, +0, m] Allocates `count` elements, all zero. */
static void *take(lua_State *L, owner *o, size_t count, size_t size) {
    void *p = may_take(o, (count ? count : 1) * size);
    if (!p)
        luaL_error(L, "not enough memory");
    return p;
}

static int owner_gc(lua_State *L) {
    owner *o = lua_touserdata(L, 1);
    if (o->room)
        o->room->L = L;
    while (o->blocks) {
        block *b = o->blocks;
        o->blocks = b->next;
        sluice__realloc(&o->room->alloc, b, b->size, 0);
    }
    return 0;
}

/* ---- Fields of the table on the top of the stack ------------------------------------------- */

static size_t number(lua_State *L, const char *key, size_t otherwise) {
    lua_getfield(L, -1, key);
    size_t n = lua_isnumber(L, -1) ? (size_t)lua_tointeger(L, -1) : otherwise;
    lua_pop(L, 1);
    return n;
}

static uint16_t address(lua_State *L, const char *key) {
    return (uint16_t)number(L, key, SLUICE__NONE);
}

static bool yes(lua_State *L, const char *key) {
    lua_getfield(L, -1, key);
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

/* Returns a string, which the table keeps alive; NULL if there is none. */
static const char *string(lua_State *L, const char *key, size_t *len) {
    lua_getfield(L, -1, key);
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, len) : NULL;
    lua_pop(L, 1);
    return s;
}

/* Returns the set that a field numbers, or NULL. */
static const sluice__markers *set(lua_State *L, const sluice__program *p, const char *key) {
    size_t n = number(L, key, SLUICE__NONE);
    return n == SLUICE__NONE ? NULL : p->sets[n];
}

/* Pushes the list in a field; returns its length. */
static size_t open_list(lua_State *L, const char *key) {
    lua_getfield(L, -1, key);
    return lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
}

static void item(lua_State *L, size_t i) { lua_rawgeti(L, -1, (int)i + 1); }

/* Returns a list of strings, ended by NULL. */
static const char **strings(lua_State *L, owner *o, const char *key) {
    size_t count = open_list(L, key);
    const char **list = take(L, o, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        list[i] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return list;
}

static uint16_t *addresses(lua_State *L, owner *o, size_t *count) {
    size_t n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    uint16_t *list = take(L, o, n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        item(L, i);
        list[i] = (uint16_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    list[n] = SLUICE__NONE;
    if (count)
        *count = n;
    return list;
}

/* True if the field is this word. */
static bool is(lua_State *L, const char *key, const char *word) {
    const char *s = string(L, key, NULL);
    return s && strcmp(s, word) == 0;
}

/* ---- The tables of a program --------------------------------------------------------------- */

static void read_any(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__any *any = row;
    size_t count;
    any->firsts = set(L, p, "firsts");
    any->other = address(L, "other");
    lua_getfield(L, -1, "way_of");
    any->way_of = addresses(L, o, NULL);
    lua_pop(L, 1);
    lua_getfield(L, -1, "ways");
    any->ways = addresses(L, o, &count);
    any->count = (uint16_t)count;
    lua_pop(L, 1);
}

static void read_attribute(lua_State *L, owner *o, sluice__attribute *a) {
    a->name = string(L, "name", NULL);
    a->what = is(L, "what", "name")    ? SLUICE__A_NAME
              : is(L, "what", "key")   ? SLUICE__A_KEY
              : is(L, "what", "value") ? SLUICE__A_VALUE
              : is(L, "what", "type")  ? SLUICE__A_TYPE
                                       : SLUICE__A_IGNORED;
    a->key = string(L, "key", NULL);
    a->pattern = address(L, "pattern");
    size_t count = open_list(L, "types");
    a->types = take(L, o, count + 1, sizeof *a->types);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        a->types[i].text = lua_tostring(L, -2);
        a->types[i].mask = (unsigned)lua_tointeger(L, -1);
        lua_pop(L, 3);
    }
    lua_pop(L, 1);
}

static void read_attributes(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__attributes *a = row;
    a->follow = set(L, p, "follow");
    a->asks = yes(L, "asks");
    a->entities = yes(L, "entities");
    a->count = open_list(L, "list");
    a->list = take(L, o, a->count, sizeof *a->list);
    for (size_t i = 0; i < a->count; i++) {
        item(L, i);
        read_attribute(L, o, &a->list[i]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_content(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__content *c = row;
    (void)o;
    c->ends = set(L, p, "ends");
    c->lead = string(L, "lead", NULL);
    c->trail = string(L, "trail", NULL);
    c->type = yes(L, "reasoning") ? SLUICE_REASONING : SLUICE_TEXT;
}

static void read_ask(lua_State *L, owner *o, const sluice__program *p, sluice__ask *ask) {
    ask->kind = is(L, "kind", "key")     ? SLUICE__ASK_KEY
                : is(L, "kind", "fixed") ? SLUICE__ASK_FIXED
                : is(L, "kind", "named") ? SLUICE__ASK_NAMED
                : is(L, "kind", "fence") ? SLUICE__ASK_FENCE
                                         : SLUICE__ASK_LINE;
    ask->indent = yes(L, "indent");
    ask->within = yes(L, "within");
    ask->probe = address(L, "probe");
    ask->later = set(L, p, "later");
    ask->open = yes(L, "open");
    ask->fixed = strings(L, o, "fixed");
}

static void read_value(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__value_spec *v = row;
    v->ends = set(L, p, "ends");
    v->confirm = set(L, p, "confirm");
    v->strict_ends = set(L, p, "strict_ends");
    v->may_be_whole = set(L, p, "may_be_whole");
    v->lead = string(L, "lead", NULL);
    v->trail = string(L, "trail", NULL);
    v->key = string(L, "key", NULL);
    v->elements = address(L, "elements");
    v->to_line_end = yes(L, "to_line_end");
    v->trim = yes(L, "trim");
    lua_getfield(L, -1, "quoting");
    v->quoting = lua_isuserdata(L, -1) ? lua_touserdata(L, -1) : NULL; /* made by core.quoting */
    lua_pop(L, 1);
    v->as = (unsigned)number(L, "as", 0);
    v->present = yes(L, "present");
    v->single = yes(L, "single");
    size_t count = open_list(L, "asks");
    v->asks = take(L, o, count, sizeof *v->asks);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        if (lua_istable(L, -1))
            read_ask(L, o, p, &v->asks[i]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    sluice__value_complete(v);
}

static void read_loop(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__loop *loop = row;
    loop->set = set(L, p, "set");
    loop->stops = set(L, p, "stops");
    loop->listed = number(L, "listed", 0);
    loop->named = number(L, "named", SIZE_MAX);
    loop->name_ends = loop->named == SIZE_MAX ? NULL : set(L, p, "name_ends");
    loop->open_ended = yes(L, "open_ended");
    loop->body = address(L, "body");
    loop->out = address(L, "out");
    loop->opener = take(L, o, loop->stops->count, sizeof(bool));
    loop->own = take(L, o, loop->stops->count, sizeof(bool));
    size_t openers = number(L, "openers", 0);
    lua_getfield(L, -1, "own");
    for (size_t i = 0; i < loop->stops->count; i++) {
        loop->opener[i] = i < openers;
        lua_rawgeti(L, -1, (int)i + 1);
        loop->own[i] = lua_toboolean(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_elements(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__elements *e = row;
    (void)o;
    e->marks = set(L, p, "marks");
    e->openers = number(L, "openers", 0);
    e->closer = set(L, p, "closer");
    e->behind = set(L, p, "behind");
    e->own_closer = number(L, "own_closer", SIZE_MAX);
    e->item = string(L, "item", NULL);
    e->item = e->item ? e->item : "";
    e->body = address(L, "body");
    e->next = address(L, "next");
}

static void read_how(lua_State *L, const sluice__program *p, sluice__arguments_spec *a) {
    a->enders = set(L, p, "enders");
    a->closers = set(L, p, "closers");
    a->resync = set(L, p, "resync");
    a->quote = string(L, "quote", &a->quote_len);
    if (a->quote && !a->quote_len) /* it would close every string where it begins */
        luaL_error(L, "a quote may not be empty");
    a->flags = (uint32_t)number(L, "flags", 0);
    a->kwargs = yes(L, "kwargs");
    a->raw = address(L, "raw");
}

static void read_arguments(lua_State *L, owner *o, sluice__program *p, void *row) {
    (void)o;
    read_how(L, p, row);
}

static void read_field(lua_State *L, sluice__field *f) {
    f->key = string(L, "key", NULL);
    f->name = yes(L, "name");
    f->arguments = yes(L, "arguments");
    f->id = yes(L, "id");
    f->reasoning = yes(L, "reasoning");
    f->ignored = yes(L, "ignored");
    f->extra = (uint8_t)number(L, "extra", 0);
    f->required = is(L, "required", "string")    ? SLUICE__A_STRING
                  : is(L, "required", "object")  ? SLUICE__AN_OBJECT
                  : is(L, "required", "number")  ? SLUICE__A_NUMBER
                  : is(L, "required", "number?") ? SLUICE__MAYBE_NUMBER
                                                 : SLUICE__ANY_KIND;
}

static void read_object(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__object_spec *spec = row;
    read_how(L, p, &spec->how);
    spec->arguments_optional = yes(L, "arguments_optional");
    spec->flat = yes(L, "flat");
    spec->anywhere = yes(L, "anywhere");
    spec->brace_follows = yes(L, "brace_follows");
    spec->scalar = string(L, "scalar", NULL);
    spec->answers = strings(L, o, "answers");
    spec->name_as_key = yes(L, "name_as_key");
    spec->arguments_required = yes(L, "arguments_required");
    spec->some_required = yes(L, "some_required");
    spec->count = open_list(L, "fields");
    if (spec->count > SLUICE__FIELDS)
        luaL_error(L, "an object has more than %d fields", SLUICE__FIELDS);
    spec->fields = take(L, o, spec->count, sizeof *spec->fields);
    for (size_t i = 0; i < spec->count; i++) {
        item(L, i);
        read_field(L, &spec->fields[i]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_calls(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__calls_spec *c = row;
    c->follow = set(L, p, "follow");
    c->closers = set(L, p, "closers");
    c->starts = set(L, p, "starts");
    c->once = yes(L, "once");
    c->must_close = yes(L, "must_close");
    c->unclosed = yes(L, "unclosed");
    c->open = yes(L, "open");
    c->in_json = yes(L, "in_json");
    c->call = address(L, "call");
    c->bad = address(L, "bad");
    c->between_at = address(L, "between_at");
    c->out = address(L, "out");
    size_t count = open_list(L, "kinds");
    c->kind = take(L, o, count, 1);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        const char *kind = lua_tostring(L, -1);
        c->kind[i] = kind[0] == 'b' && kind[1] == 'e' ? SLUICE__K_BETWEEN
                     : kind[0] == 'b'                 ? SLUICE__K_BODY
                                                      : SLUICE__K_EXIT;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_member(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__member *member = row;
    (void)p;
    member->keys = strings(L, o, "keys");
    member->reasoning = strings(L, o, "reasoning");
    member->anywhere = yes(L, "anywhere");
    member->out = address(L, "out");
    size_t count = open_list(L, "fixed");
    member->fixed = take(L, o, count + 1, sizeof *member->fixed);
    member->values = take(L, o, count + 1, sizeof *member->values);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        member->fixed[i] = string(L, "key", NULL);
        member->values[i] = string(L, "value", NULL);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_section(lua_State *L, owner *o, sluice__program *p, void *row) {
    sluice__section_spec *c = row;
    (void)o;
    c->close = set(L, p, "close");
    c->after = string(L, "after", NULL);
    c->array = address(L, "array");
    c->object = address(L, "object");
    c->out = address(L, "out");
}

/* Reads a table's rows, each of `size` bytes, into a list; *to receives it. */
static void read_table(lua_State *L, owner *o, sluice__program *p, const char *key, size_t size,
                       void **to, void (*read)(lua_State *, owner *, sluice__program *, void *)) {
    size_t count = open_list(L, key);
    char *rows = *to = take(L, o, count, size);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        read(L, o, p, rows + i * size);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_code(lua_State *L, owner *o, sluice__program *p) {
    static const struct {
        uint8_t op, kind;
    } rows[] = {
#define X(name, op, kind) {SLUICE__OP_##op, kind},
        SLUICE__ROWS(X)
#undef X
    };
    p->count = open_list(L, "code");
    if (p->count >= SLUICE__NO_PATTERN - 1)
        luaL_error(L, "the description is too long");
    sluice__ins *code = take(L, o, p->count, sizeof *code);
    p->code = code;
    for (size_t i = 0; i < p->count; i++) {
        item(L, i);
        size_t row = number(L, "op", 0);
        if (row >= SLUICE__I_COUNT)
            luaL_error(L, "there is no such instruction");
        code[i] = (sluice__ins){.op = rows[row].op,
                                .kind = rows[row].kind,
                                .row = (uint8_t)row,
                                .flags = (uint8_t)number(L, "flags", 0),
                                .a = address(L, "a"),
                                .b = address(L, "b"),
                                .c = address(L, "c")};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_lists(lua_State *L, owner *o, sluice__program *p) {
    p->namespaces = strings(L, o, "namespaces");
    p->fixed_parameters = strings(L, o, "fixed_parameters");
    bool known = open_list(L, "known") > 0;
    lua_pop(L, 1);
    p->known = known ? strings(L, o, "known") : NULL;
    size_t count = open_list(L, "starts");
    p->starts = take(L, o, count, sizeof *p->starts);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        p->starts[i] = addresses(L, o, NULL);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    p->extra_count = open_list(L, "extra");
    if (p->extra_count > SLUICE__EXTRAS)
        luaL_error(L, "an object has too many extra members");
    p->extra = take(L, o, p->extra_count, sizeof *p->extra);
    for (size_t i = 0; i < p->extra_count; i++) {
        item(L, i);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        p->extra[i] = (sluice__extra){lua_tostring(L, -2), lua_tostring(L, -1)};
        lua_pop(L, 3);
    }
    lua_pop(L, 1);
}

static void read_sets(lua_State *L, owner *o, sluice__program *p) {
    size_t count = open_list(L, "sets");
    p->sets = take(L, o, count, sizeof *p->sets);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        p->sets[i] = sluice_check_set(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    static const char *const named[] = {"encoded", "nothing", "fence", "fence_end"};
    const sluice__markers **to[] = {&p->encoded, &p->nothing, &p->fence, &p->fence_end};
    for (size_t i = 0; i < 4; i++) {
        lua_getfield(L, -1, named[i]);
        *to[i] = sluice_check_set(L, -1);
        lua_pop(L, 1);
    }
}

/* Reads what core/doubt.h needs to know. */
static void read_literals(lua_State *L, sluice__literals *l) {
    lua_getfield(L, -1, "set");
    l->set = lua_isnil(L, -1) ? NULL : sluice_check_set(L, -1);
    lua_pop(L, 1);
    l->raw = yes(L, "raw");
    l->tagged = yes(L, "tagged");
    l->angles = yes(L, "angles");
    l->fenced = yes(L, "fenced");
}

static void read_block_literals(lua_State *L, owner *o, sluice__program *p) {
    size_t count = open_list(L, "block_literals");
    p->block_literals = take(L, o, count, sizeof *p->block_literals);
    p->block_count = count;
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        read_literals(L, &p->block_literals[i].literals);
        p->block_literals[i].from = (uint16_t)number(L, "from", 0);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void sluice_keep_table(lua_State *L, const char *type) {
    luaL_getmetatable(L, type);
    lua_setmetatable(L, -2);
    lua_getfield(L, LUA_REGISTRYINDEX, "sluice.kept"); // kept[userdata] = table
    lua_pushvalue(L, -2);
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

/* [-0, +1, e] Pushes a new userdata that owns memory and keeps the table at 1 alive. */
static void *new_box(lua_State *L, size_t size, const char *type) {
    owner *o = lua_newuserdata(L, size);
    memset(o, 0, size);
    o->room = sluice_room_of(L);
    sluice_keep_table(L, type);
    return o;
}

/* program(table) -> program: see lua/sluice/parse/plan.lua for the table. */
static int core_program(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    program_box *box = new_box(L, sizeof *box, PROGRAM_TYPE);
    owner *o = &box->memory;
    sluice__program *p = &box->program;
    lua_pushvalue(L, 1);
    lua_getfield(L, -1, "format");
    p->format = lua_touserdata(L, -1);
    lua_pop(L, 1);
    read_sets(L, o, p);
    read_code(L, o, p);
    read_table(L, o, p, "anys", sizeof(sluice__any), (void **)&p->anys, read_any);
    read_table(L, o, p, "attributes", sizeof(sluice__attributes), (void **)&p->attributes,
               read_attributes);
    read_table(L, o, p, "contents", sizeof(sluice__content), (void **)&p->contents, read_content);
    read_table(L, o, p, "values", sizeof(sluice__value_spec), (void **)&p->values, read_value);
    read_table(L, o, p, "calls", sizeof(sluice__calls_spec), (void **)&p->calls, read_calls);
    read_table(L, o, p, "loops", sizeof(sluice__loop), (void **)&p->loops, read_loop);
    read_table(L, o, p, "elements", sizeof(sluice__elements), (void **)&p->elements, read_elements);
    read_table(L, o, p, "arguments", sizeof(sluice__arguments_spec), (void **)&p->arguments,
               read_arguments);
    read_table(L, o, p, "objects", sizeof(sluice__object_spec), (void **)&p->objects, read_object);
    read_table(L, o, p, "sections", sizeof(sluice__section_spec), (void **)&p->sections,
               read_section);
    read_table(L, o, p, "members", sizeof(sluice__member), (void **)&p->members, read_member);
    p->texts = strings(L, o, "texts");
    read_lists(L, o, p);
    lua_getfield(L, -1, "literals");
    read_literals(L, &p->literals);
    lua_pop(L, 1);
    read_block_literals(L, o, p);
    p->untyped = (unsigned)number(L, "untyped", 0);
    p->repeated_is_array = yes(L, "repeated_is_array");
    p->singular_keys = yes(L, "singular_keys");
    p->repairs_names = yes(L, "repairs_names");
    p->reserved_section = yes(L, "reserved_section");
    lua_settop(L, 2);
    return 1;
}

const sluice__program *sluice_program_at(lua_State *L, int index) {
    program_box *box = lua_touserdata(L, index);
    return box ? &box->program : NULL;
}

/* ---- Many formats -------------------------------------------------------------------------- */

/* Reads the list of candidates on the top of the stack. */
static sluice__candidate *candidates(lua_State *L, owner *o) {
    size_t count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    sluice__candidate *list = take(L, o, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        item(L, i);
        list[i].program = (uint16_t)(number(L, "number", 1) - 1);
        size_t literal = number(L, "item", 0);
        list[i].literal = literal ? (uint16_t)(literal - 1) : (uint16_t)SLUICE__NONE;
        list[i].at_start = yes(L, "at_start");
        list[i].at_line = yes(L, "at_line");
        list[i].weak = yes(L, "weak");
        list[i].named = yes(L, "named");
        list[i].indented = yes(L, "indented");
        list[i].quiet = yes(L, "quiet");
        list[i].own = yes(L, "own");
        list[i].json = yes(L, "json");
        lua_getfield(L, -1, "literal");
        list[i].word = lua_isuserdata(L, -1) ? sluice_check_set(L, -1) : NULL;
        lua_pop(L, 2);
    }
    list[count].program = SLUICE__NONE;
    return list;
}

/* many{ format, count, text = {candidates, ...}, reasoning = {...}, bare = candidates } -> many */
static int core_many(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    many_box *box = new_box(L, sizeof *box, MANY_TYPE);
    lua_pushvalue(L, 1);
    lua_getfield(L, -1, "format");
    box->many.format = lua_touserdata(L, -1);
    lua_pop(L, 1);
    box->many.count = number(L, "count", 0);
    sluice__candidate ***lists[] = {&box->many.text, &box->many.reasoning};
    for (int k = 0; k < 2; k++) {
        size_t count = open_list(L, k ? "reasoning" : "text");
        *lists[k] = take(L, &box->memory, count, sizeof **lists[k]);
        for (size_t i = 0; i < count; i++) {
            item(L, i);
            (*lists[k])[i] = candidates(L, &box->memory);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_getfield(L, -1, "bare");
    box->many.bare = candidates(L, &box->memory);
    lua_settop(L, 2);
    return 1;
}

const sluice__many *sluice_many_at(lua_State *L, int index) {
    many_box *box = lua_touserdata(L, index);
    return box ? &box->many : NULL;
}

/* ---- The module ---------------------------------------------------------------------------- */

/* listing(program) -> list of { name, flags, a, b, c }: its instructions, for display */
static int core_listing(lua_State *L) {
    program_box *box = luaL_checkudata(L, 1, PROGRAM_TYPE);
    lua_newtable(L);
    for (size_t i = 0; i < box->program.count; i++) {
        const sluice__ins *ins = &box->program.code[i];
        unsigned values[] = {ins->flags, ins->a, ins->b, ins->c};
        lua_newtable(L);
        lua_pushstring(L, sluice__instruction_name(ins->row));
        lua_rawseti(L, -2, 1);
        for (int k = 0; k < 4; k++) {
            lua_pushinteger(L, (lua_Integer)values[k]);
            lua_rawseti(L, -2, k + 2);
        }
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

void sluice_program_open(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"program", core_program}, {"many", core_many}, {"listing", core_listing}, {NULL, NULL}};
    static const char *const types[] = {PROGRAM_TYPE, MANY_TYPE};
    for (int i = 0; i < 2; i++) {
        luaL_newmetatable(L, types[i]);
        lua_pushcfunction(L, owner_gc);
        lua_setfield(L, -2, "__gc");
        lua_pushliteral(L, "locked");
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
    }
    for (const luaL_Reg *f = functions; f->name; f++) {
        lua_pushcfunction(L, f->func);
        lua_setfield(L, -2, f->name);
    }
    lua_newtable(L);
    for (unsigned op = 0; op < SLUICE__I_COUNT; op++) {
        lua_pushinteger(L, (lua_Integer)op);
        lua_setfield(L, -2, sluice__instruction_name(op));
    }
    lua_setfield(L, -2, "instructions");
    lua_pushinteger(L, SLUICE__BARE_NAME);
    lua_setfield(L, -2, "BARE_NAME");
}
