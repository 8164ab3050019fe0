/*
 * Elements inside an element, of the same form as the parameters: a tree that is read whole and
 * reported as JSON. Children of an array (by the schema) are its items, whatever their names;
 * others are members, and children with the same name are the items of an array.
 */
#include "machine.h"

typedef struct level { /* an open element */
    const sluice__elements *spec;
    size_t schema, items; /* numbers of schemas; SIZE_MAX: none */
    sluice__types item_types;
    uint64_t from;
    uint32_t key, key_len; /* in `text` */
    size_t first;          /* of its children */
    uint16_t pc, phase;    /* where its value goes on */
    bool only_items, as_object, as_array, over;
} level;

typedef struct child {
    uint32_t key, key_len, json, json_len; /* in `text` */
    uint32_t next;                         /* 1 plus the next one with the same key; 0: none */
    bool is_item;                          /* of an array whose items are separate */
    bool follows;                          /* another one with its key precedes it */
} child;

struct sluice__tree {
    level *levels;
    size_t depth, level_cap;
    child *children;
    size_t count, child_cap;
    sluice__buffer text, result;
    uint32_t *slots; /* children by key, while an object is written */
    size_t slot_cap;
    size_t schema; /* of the current member */
};

static level *top(const sluice__run *m) { return &m->tree->levels[m->tree->depth - 1]; }

bool sluice__tree_open(const sluice__run *m) { return m->tree && m->tree->depth; }

const sluice__buffer *sluice__tree_result(const sluice__run *m) { return &m->tree->result; }

void sluice__tree_drop(sluice__run *m) {
    if (m->tree)
        m->tree->depth = m->tree->count = m->tree->text.len = 0;
}

void sluice__tree_release(sluice__run *m, const sluice_allocator *a) {
    struct sluice__tree *t = m->tree;
    if (!t)
        return;
    sluice__realloc(a, t->levels, t->level_cap * sizeof *t->levels, 0);
    sluice__realloc(a, t->children, t->child_cap * sizeof *t->children, 0);
    sluice__realloc(a, t->slots, t->slot_cap * sizeof *t->slots, 0);
    sluice__buffer_release(a, &t->text);
    sluice__buffer_release(a, &t->result);
    sluice__realloc(a, t, sizeof *t, 0);
    m->tree = NULL;
}

static bool made(sluice__run *m, const sluice_stream *s) {
    if (m->tree)
        return true;
    m->tree = sluice__realloc(&s->alloc, NULL, 0, sizeof *m->tree);
    if (m->tree)
        memset(m->tree, 0, sizeof *m->tree);
    return m->tree != NULL;
}

bool sluice__tree_encloses(const sluice__run *m, const char *p, size_t n) {
    for (size_t k = 0; m->tree && k < m->tree->depth; k++) {
        const level *l = &m->tree->levels[k];
        if (l->key_len == n && (!n || memcmp(m->tree->text.data + l->key, p, n) == 0))
            return true;
    }
    return false;
}

/* ---- What the schema says ----------------------------------------------------------------- */

sluice__went sluice__tree_member(sluice__run *m, sluice_stream *s) {
    level *l = top(m);
    int r;
    if (l->only_items) {
        m->types = l->item_types;
        m->tree->schema = l->items;
        return SLUICE__NEXT;
    }
    ASK(r, m->scripts->child(m->user, s, m->tool, l->schema, m->key.data ? m->key.data : "",
                             m->key.len, false, &m->tree->schema, &m->types));
    const char *item = l->spec->item;
    if (m->tree->schema == SIZE_MAX && strlen(item) == m->key.len &&
        memcmp(item, m->key.data, m->key.len) == 0)
        ASK(r, m->scripts->child(m->user, s, m->tool, l->schema, "", 0, true, &m->tree->schema,
                                 &m->types));
    return SLUICE__NEXT;
}

bool sluice__tree_may_begin(const sluice__run *m, const sluice_stream *s) {
    size_t depth = m->tree ? m->tree->depth : 0;
    return !(m->types.declared && m->types.mask == SLUICE__STRING) &&
           (!depth || depth < s->set.limit_depth);
}

/* ---- Reading ------------------------------------------------------------------------------ */

sluice__went sluice__tree_begin(sluice__run *m, sluice_stream *s, const sluice__elements *e) {
    TRY(made(m, s));
    struct sluice__tree *t = m->tree;
    int r;
    if (!t->depth) {
        t->text.len = t->count = 0;
        sluice__types types;
        ASK(r, m->scripts->child(m->user, s, m->tool, 0, m->param.data, m->param.len, false,
                                 &t->schema, &types));
    }
    TRY(sluice__array_grow(&s->alloc, (void **)&t->levels, &t->level_cap, t->depth + 1,
                           sizeof *t->levels));
    const level *outer = t->depth ? top(m) : NULL;
    level l = {.spec = e,
               .schema = t->schema,
               .items = SIZE_MAX,
               .from = outer ? outer->from : s->pos,
               .over = outer && outer->over,
               .key = (uint32_t)t->text.len,
               .key_len = (uint32_t)m->key.len,
               .first = t->count,
               .pc = m->pc,
               .phase = m->phase,
               .as_object = !m->types.declared || m->types.mask & SLUICE__OBJECT,
               .as_array = !m->types.declared || m->types.mask & SLUICE__ARRAY};
    l.only_items = !l.as_object;
    if (l.only_items)
        ASK(r,
            m->scripts->child(m->user, s, m->tool, l.schema, "", 0, true, &l.items, &l.item_types));
    TRY(sluice__buffer_add(&s->alloc, &t->text, m->key.data, m->key.len) &&
        sluice__buffer_add(&s->alloc, &t->text, "", 1));
    t->levels[t->depth++] = l;
    m->pc = e->next;
    m->phase = 0;
    return SLUICE__JUMPED;
}

static bool too_long(sluice__run *m, sluice_stream *s) {
    level *l = top(m);
    if (l->over || sluice__minus(s->pos, l->from) <= s->set.limit_value)
        return true;
    l->over = true;
    return sluice__m_complain(s, "limit_exceeded",
                              "the elements inside a parameter are longer than limit_value",
                              SLUICE_INCOMPLETE);
}

static sluice__went end_level(sluice__run *m, sluice_stream *s);

SLUICE__HANDLER(elements) {
    const sluice__elements *e = &m->program->elements[i->a];
    long item, byte;
    RESUME(m)
    TRY(too_long(m, s));
    for (;;) {
        LOOK(m, item, sluice__m_peek(m, s, e->marks, true));
        if (item >= 0 && (size_t)item < e->openers) {
            sluice__mark *k = sluice__m_push(m, s, SLUICE__M_LOOP, i->c);
            TRY(k);
            k->way = m->pc;
            m->key.len = 0;
            m->pc = e->body;
            m->phase = 0;
            return SLUICE__JUMPED;
        }
        m->answer = item >= 0 && (size_t)item == e->own_closer;
        if (item >= 0 && !m->answer)
            break;
        if (!m->answer) {
            LOOK(m, byte, sluice__m_byte(m, s, true));
            if (byte < 0)
                break;
            AWAIT(m, sluice__op_junk(s, e->marks));
            TRY(sluice__m_complain(s, "stray_markup",
                                   "text between the parts of a call was left out",
                                   SLUICE_INCOMPLETE)); /* possibly an argument */
            continue;
        }
        m->at[0] = s->pos; /* possibly an extra closer */
        LOOK(m, item, sluice__m_take(m, s, e->closer, true));
        AWAIT(m, sluice__op_upto(s, e->behind, s->set.limit_name, true, false));
        {
            uint64_t from = s->result.start, to = s->result.end;
            while (from < to && sluice__is_space(*sluice__at(s, from)))
                from++;
            while (to > from && sluice__is_space(*sluice__at(s, to - 1)))
                to--;
            if (!s->result.ok || sluice__tree_encloses(m, to > from ? sluice__at(s, from) : "",
                                                       sluice__minus(to, from))) {
                sluice__seek(s, m->at[0]);
                break;
            }
        }
        LOOK(m, item, sluice__m_take(m, s, e->behind, true));
        TRY(sluice__m_complain(s, "stray_markup", "an extra closing tag was left out",
                               SLUICE_INCOMPLETE)); /* possibly quoted in the value before it */
    }
    RESUME_END
    return end_level(m, s);
}

SLUICE__HANDLER(elements_bad) {
    const sluice__elements *e = &m->program->elements[i->a];
    if (sluice__m_take(m, s, e->marks, true) == SLUICE__LOOK_WAITS)
        return SLUICE__WAITED;
    TRY(sluice__m_complain(s, "stray_markup", "this is not a parameter", SLUICE_INCOMPLETE));
    m->pc = e->next;
    m->phase = 0;
    return SLUICE__JUMPED;
}

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct into {
    const sluice_allocator *a;
    sluice__buffer *out;
} into;

static bool to_buffer(void *user, const char *p, size_t n, bool source) {
    const into *to = user;
    (void)source;
    return sluice__buffer_add(to->a, to->out, p, n);
}

static bool add_string(const sluice_stream *s, sluice__buffer *out, const char *p, size_t n) {
    into to = {&s->alloc, out};
    sluice__sink sink = {&to, to_buffer, NULL, 0, false, NULL, NULL};
    sluice__escaper e = {&sink, {0}, 0, false, 0};
    return sluice__buffer_add(&s->alloc, out, "\"", 1) && sluice__escape(&e, p, n, true) &&
           sluice__buffer_add(&s->alloc, out, "\"", 1);
}

static bool add_child(sluice__run *m, const sluice_stream *s, const char *json, size_t n,
                      bool is_item) {
    struct sluice__tree *t = m->tree;
    if (top(m)->over)
        return true;
    if (!sluice__array_grow(&s->alloc, (void **)&t->children, &t->child_cap, t->count + 1,
                            sizeof *t->children))
        return false;
    child c = {.key = (uint32_t)t->text.len, .key_len = (uint32_t)m->key.len, .is_item = is_item};
    if (!sluice__buffer_add(&s->alloc, &t->text, m->key.data, m->key.len))
        return false;
    c.json = (uint32_t)t->text.len;
    c.json_len = (uint32_t)n;
    if (!sluice__buffer_add(&s->alloc, &t->text, json, n))
        return false;
    t->children[t->count++] = c;
    return true;
}

sluice__went sluice__tree_add_built(sluice__run *m, sluice_stream *s) {
    return add_child(m, s, m->tree->result.data, m->tree->result.len, false) ? SLUICE__NEXT
                                                                             : SLUICE__SHORT;
}

sluice__went sluice__tree_add_leaf(sluice__run *m, sluice_stream *s) {
    const char *p = s->result.text ? s->result.text : "";
    size_t n = s->result.text_len, at = 0;
    bool cut = !s->result.ok, is_long = s->result.kind == 2, mended;
    unsigned type;
    while (at < n && sluice__is_space(p[at]))
        at++;
    bool is_item = m->types.array && !(at < n && p[at] == '[');
    unsigned others = is_item && at < n && !cut ? sluice__types_beside_array(&m->types) : 0;
    sluice__buffer *json = &m->tree->result;
    json->len = 0;
    type = 0;
    if (others)
        TRY(sluice__typed_value(s, p, n, others, SLUICE__LENIENT, false, json, &type, &mended));
    is_item = is_item && !type;
    if (!type)
        TRY(sluice__typed_value(s, p, n, is_item ? m->types.array : m->types.mask, SLUICE__LENIENT,
                                cut, json, &type, &mended));
    if (!type)
        TRY(add_string(s, json, p, n));
    else if (mended)
        TRY(sluice__m_complain(s, "repaired", "a value was rewritten as JSON", SLUICE_RECOVERED));
    if (cut || is_long)
        sluice__lower(s, SLUICE_INCOMPLETE);
    top(m)->over |= is_long;
    return add_child(m, s, json->data, json->len, is_item) ? SLUICE__NEXT : SLUICE__SHORT;
}

static bool same_key(const struct sluice__tree *t, const child *a, const child *b) {
    return a->key_len == b->key_len &&
           memcmp(t->text.data + a->key, t->text.data + b->key, a->key_len) == 0;
}

/* Links the children of each key, in order. */
static bool link_children(struct sluice__tree *t, const sluice_stream *s, size_t first) {
    size_t cap = 16, n = t->count - first;
    while (cap < 2 * n)
        cap *= 2;
    if (cap > t->slot_cap) {
        uint32_t *slots =
            sluice__realloc(&s->alloc, t->slots, t->slot_cap * sizeof *slots, cap * sizeof *slots);
        if (!slots)
            return false;
        t->slots = slots;
        t->slot_cap = cap;
    }
    memset(t->slots, 0, cap * sizeof *t->slots);
    for (size_t k = t->count; k-- > first;) { /* backwards, so that each finds the next one */
        child *c = &t->children[k];
        size_t at = (size_t)sluice__hash_whole(t->text.data + c->key, c->key_len) & (cap - 1);
        c->next = 0;
        c->follows = false;
        while (t->slots[at] && !same_key(t, &t->children[t->slots[at] - 1], c))
            at = (at + 1) & (cap - 1);
        if (t->slots[at]) {
            c->next = t->slots[at];
            t->children[c->next - 1].follows = true;
        }
        t->slots[at] = (uint32_t)k + 1;
    }
    return true;
}

static bool add_json(const struct sluice__tree *t, const sluice_stream *s, sluice__buffer *out,
                     const child *c, bool wrapped) {
    return sluice__buffer_text(&s->alloc, out, wrapped ? "[" : "") &&
           sluice__buffer_add(&s->alloc, out, t->text.data + c->json, c->json_len) &&
           sluice__buffer_text(&s->alloc, out, wrapped ? "]" : "");
}

static bool write_array(struct sluice__tree *t, const sluice_stream *s, size_t first) {
    for (size_t k = first; k < t->count; k++) {
        const child *c = &t->children[k];
        if (!sluice__buffer_text(&s->alloc, &t->result, k > first ? "," : "[") ||
            !add_json(t, s, &t->result, c, c->is_item))
            return false;
    }
    return sluice__buffer_text(&s->alloc, &t->result, t->count > first ? "]" : "[]");
}

static bool write_object(struct sluice__tree *t, const sluice_stream *s, size_t first) {
    sluice__buffer *out = &t->result;
    if (!link_children(t, s, first) || !sluice__buffer_text(&s->alloc, out, "{"))
        return false;
    for (size_t k = first; k < t->count; k++) {
        const child *c = &t->children[k];
        if (c->follows)
            continue;
        bool many = c->is_item || c->next;
        if ((out->len > 1 && !sluice__buffer_text(&s->alloc, out, ",")) ||
            !add_string(s, out, t->text.data + c->key, c->key_len) ||
            !sluice__buffer_text(&s->alloc, out, many ? ":[" : ":") ||
            !add_json(t, s, out, c, false))
            return false;
        for (uint32_t next = c->next; next; next = t->children[next - 1].next)
            if (!sluice__buffer_text(&s->alloc, out, ",") ||
                !add_json(t, s, out, &t->children[next - 1], false))
                return false;
        if (many && !sluice__buffer_text(&s->alloc, out, "]"))
            return false;
    }
    return sluice__buffer_text(&s->alloc, out, "}");
}

/* Ends the element: its children become JSON, and its own value goes on. */
static sluice__went end_level(sluice__run *m, sluice_stream *s) {
    struct sluice__tree *t = m->tree;
    level l = *top(m);
    bool all_items = t->count > l.first;
    size_t item_len = strlen(l.spec->item);
    for (size_t k = l.first; k < t->count && all_items; k++) {
        const child *c = &t->children[k];
        all_items =
            c->key_len == item_len && memcmp(t->text.data + c->key, l.spec->item, item_len) == 0;
    }
    t->result.len = 0;
    TRY(l.as_array && (all_items || !l.as_object) ? write_array(t, s, l.first)
                                                  : write_object(t, s, l.first));
    TRY(sluice__m_set(s, &m->key, t->text.data + l.key, l.key_len));
    t->count = l.first;
    t->text.len = l.key;
    t->depth--;
    if (t->depth)
        top(m)->over |= l.over;
    m->pc = l.pc;
    m->phase = l.phase;
    return SLUICE__JUMPED;
}
