/* Elements inside a parameter: read as a tree by the tool's schema, and written as JSON. */
#include "stream.h"

typedef struct level { /* an element that is open */
    const sluice__elements *spec;
    size_t schema, items; /* of the element; of its items, SIZE_MAX: none */
    sluice__types item_types;
    uint64_t from;
    uint32_t key, key_len; /* in `text`; behind it, the key of its last child */
    size_t begin, last;    /* in `result`: its JSON; that of its last run of children */
    uint16_t pc, phase;    /* where its value goes on */
    bool as_object, as_array, only_items, over;
    size_t runs;  /* of children with one key */
    bool wrapped; /* the last run is an array */
} level;

struct sluice__tree {
    out levels; /* an array */
    out text, result;
    size_t schema; /* of the current member */
};

static size_t depth_of(const struct sluice__tree *t) {
    return t ? t->levels.b.len / sizeof(level) : 0;
}
static level *level_at(const struct sluice__tree *t, size_t n) {
    return &((level *)(void *)t->levels.b.data)[n];
}
static level *top(const sluice_stream *s) { return level_at(s->tree, depth_of(s->tree) - 1); }

bool sluice__tree_open(const sluice_stream *s) { return depth_of(s->tree); }

const out *sluice__tree_result(const sluice_stream *s) { return &s->tree->result; }

void sluice__tree_drop(sluice_stream *s) {
    if (s->tree)
        s->tree->levels.b.len = s->tree->text.b.len = 0;
}

void sluice__tree_release(sluice_stream *s) {
    struct sluice__tree *t = s->tree;
    if (!t)
        return;
    sluice__buffer_release(&s->heap.alloc, &t->levels.b);
    sluice__buffer_release(&s->heap.alloc, &t->text.b);
    sluice__buffer_release(&s->heap.alloc, &t->result.b);
    sluice__realloc(&s->heap.alloc, t, sizeof *t, 0);
    s->tree = NULL;
}

static view part(const struct sluice__tree *t, uint32_t at, uint32_t n) {
    return view_of(out_text(&t->text) + at, n);
}

bool sluice__tree_encloses(const sluice_stream *s, view key) {
    for (size_t k = 0; k < depth_of(s->tree); k++) {
        const level *l = level_at(s->tree, k);
        if (equal_views(part(s->tree, l->key, l->key_len), key))
            return true;
    }
    return false;
}

/* ---- What the schema says ----------------------------------------------------------------- */

static void child_types(sluice_stream *s, size_t of, view key, bool items, size_t *schema,
                        sluice__types *types) {
    if (s->scripts->types(s->user, s, of, key, items, schema, types) < 0)
        s->broken = true;
}

void sluice__tree_member(sluice_stream *s) {
    level *l = top(s);
    view key = reg_view(s, REG_KEY);
    if (l->only_items) {
        s->call->value.types = l->item_types;
        s->tree->schema = l->items;
        return;
    }
    child_types(s, l->schema, key, false, &s->tree->schema, &s->call->value.types);
}

bool sluice__tree_may_begin(const sluice_stream *s) {
    size_t depth = depth_of(s->tree);
    return !(s->call->value.types.declared && s->call->value.types.mask == SLUICE__STRING) &&
           (!depth || depth < s->set.limit_depth);
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void insert(out *o, size_t at, view piece) {
    size_t len = o->b.len, n = view_len(piece);
    put(o, piece.p, n);
    if (o->b.len == len)
        return;
    memmove(o->b.data + at + n, o->b.data + at, len - at);
    memcpy(o->b.data + at, piece.p, n);
}

/* Writes what precedes a child. Members of one key in a row are the items of an array, and so are
 * all of an element that can only be one. `wrap`: it is the first item of an array. */
static void begin_child(sluice_stream *s, view key, bool wrap) {
    struct sluice__tree *t = s->tree;
    out *json = &t->result;
    level *l = top(s);
    uint32_t behind = l->key + l->key_len;
    view before = part(t, behind, (uint32_t)t->text.b.len - behind);
    bool again = l->runs && (l->only_items || equal_views(before, key));
    if (again && !l->wrapped)
        insert(json, l->last, view_of("[", 1));
    put(json, "]", !again && l->wrapped);
    put_text(json, l->runs ? "," : "{");
    l->wrapped = again || wrap;
    if (!again) {
        sluice__put_string(json, key);
        put_text(json, ":");
        l->last = json->b.len;
        put(json, "[", wrap);
        l->runs++;
    }
    t->text.b.len = behind;
    put(&t->text, key.p, view_len(key));
}

/* Ends the element: its own value goes on. It is an array if its only members are items. */
static went end_level(sluice_stream *s) {
    struct sluice__tree *t = s->tree;
    out *json = &t->result;
    level l = *top(s);
    uint32_t behind = l.key + l.key_len;
    view key = part(t, behind, (uint32_t)t->text.b.len - behind);
    bool list = l.runs == 1 ? l.as_array && (l.only_items || view_is(key, l.spec->item))
                            : !l.runs && l.as_array && l.only_items;
    put_text(json, l.runs ? "" : list ? "[" : "{");
    if (list && l.runs) {
        memmove(json->b.data + l.begin, json->b.data + l.last, json->b.len - l.last);
        json->b.len -= l.last - l.begin;
        if (!l.wrapped)
            insert(json, l.begin, view_of("[", 1));
    }
    put(json, "]", list || l.wrapped);
    put(json, "}", !list);
    sluice__set_reg(s, REG_KEY, part(t, l.key, l.key_len), 0, 0);
    t->text.b.len = l.key;
    t->levels.b.len -= sizeof l;
    if (depth_of(t))
        top(s)->over |= l.over;
    s->pc = l.pc;
    s->phase = l.phase;
    return JUMPED;
}

/* ---- Reading ------------------------------------------------------------------------------ */

went sluice__tree_begin(sluice_stream *s, const sluice__elements *e) {
    if (!s->tree) {
        s->tree = sluice__zeroed(&s->heap.alloc, sizeof *s->tree);
        if (!s->tree) {
            s->heap.failed = true;
            return BROKEN;
        }
        s->tree->levels = s->tree->text = s->tree->result = new_out(s);
    }
    struct sluice__tree *t = s->tree;
    const level *outer = depth_of(t) ? top(s) : NULL;
    const sluice__types *types = &s->call->value.types;
    view key = reg_view(s, REG_KEY);
    if (outer) {
        begin_child(s, key, false);
    } else {
        sluice__types own;
        sluice__tree_drop(s);
        t->result.b.len = 0;
        child_types(s, 0, out_view(&s->call->param), false, &t->schema, &own);
    }
    level l = {.spec = e,
               .schema = t->schema,
               .items = SIZE_MAX,
               .from = outer ? outer->from : s->pos,
               .over = outer && outer->over,
               .key = (uint32_t)t->text.b.len,
               .key_len = (uint32_t)view_len(key),
               .begin = t->result.b.len,
               .pc = s->pc,
               .phase = s->phase,
               .as_object = !types->declared || types->mask & SLUICE__OBJECT,
               .as_array = !types->declared || types->mask & SLUICE__ARRAY};
    l.only_items = !l.as_object;
    if (l.only_items)
        child_types(s, l.schema, view_of("", 0), true, &l.items, &l.item_types);
    put(&t->text, key.p, view_len(key));
    put(&t->levels, (const char *)&l, sizeof l);
    return s->heap.failed ? BROKEN : jump_to(s, e->next);
}

went sluice__op_elements(sluice_stream *s, const sluice__ins *i) {
    const sluice__elements *e = &s->program->elements[i->a];
    size_t item;
    uint64_t at;
    int c;
    if (i->kind == SLUICE__BAD) {
        if (sluice__take(s, e->marks, true, &item) == CUT)
            return WAIT;
        sluice__spoil(s, "stray_markup", "this is not a parameter");
        return jump_to(s, e->next);
    }
    level *l = top(s);
    for (;;) {
        if (s->phase) { /* text between the parts */
            went w = sluice__skip_to(s, e->marks);
            if (w != GO)
                return w;
            s->phase = 0;
            sluice__spoil(s, "stray_markup", "text between the parts of a call was left out");
        }
        if (!l->over && s->pos - l->from > s->set.limit_value) {
            l->over = true;
            sluice__spoil(s, "limit_exceeded",
                          "the elements inside a parameter are longer than limit_value");
        }
        match m = sluice__look(s, e->marks, true, &item, &at);
        if (m == CUT || !next_byte(s, &c, &at))
            return WAIT;
        if (m == YES && item < e->openers) {
            mark *k = sluice__push(s, MARK_LOOP, i->c);
            k->way = s->pc;
            k->item = true;
            s->call->regs[REG_KEY].b.len = 0;
            return jump_to(s, e->body);
        }
        if (m == YES || c < 0)
            return end_level(s);
        s->phase = 1;
    }
}

void sluice__tree_add_leaf(sluice_stream *s, view text, bool cut) {
    const sluice__types *types = &s->call->value.types;
    const char *p = past_space(text);
    bool is_item = types->array && !(p < text.end && *p == '[');
    out *json = &s->call->scratch;
    if (!sluice__typed(s, text, is_item ? types->array : types->mask, cut)) {
        json->b.len = 0;
        sluice__put_string(json, text);
    }
    if (cut || s->call->value.over_long)
        sluice__lower(s, SLUICE_INCOMPLETE);
    if (!cut && !s->set.strict &&
        sluice__has_debris(&s->program->literals, text, reg_view(s, REG_KEY)))
        sluice__spoil(s, "bad_arguments", "part of a tag is left in an element");
    top(s)->over |= s->call->value.over_long;
    if (top(s)->over)
        return;
    begin_child(s, reg_view(s, REG_KEY), is_item);
    put(&s->tree->result, out_text(json), json->b.len);
}
