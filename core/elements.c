/* Elements inside a parameter: read as a tree by the tool's schema, and written as JSON. */
#include "stream.h"

typedef struct level { /* an element that is open */
    const sluice__elements *spec;
    size_t schema, items; /* of the element; of its items, SIZE_MAX: none */
    sluice__types item_types;
    uint64_t from;
    uint32_t key, key_len; /* in `text` */
    size_t first;          /* its first child */
    uint16_t pc, phase;    /* where its value goes on */
    uint8_t marks;
    bool as_object, as_array, only_items, over;
} level;

typedef struct child {
    uint32_t key, key_len, json, json_len; /* in `text` */
    bool is_item;                          /* of an array whose items are separate */
    bool written;
} child;

struct sluice__tree {
    out levels, children; /* arrays */
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
static size_t count_of(const struct sluice__tree *t) { return t->children.b.len / sizeof(child); }
static child *child_at(const struct sluice__tree *t, size_t n) {
    return &((child *)(void *)t->children.b.data)[n];
}

bool sluice__tree_open(const sluice_stream *s) { return depth_of(s->tree); }

const out *sluice__tree_result(const sluice_stream *s) { return &s->tree->result; }

void sluice__tree_drop(sluice_stream *s) {
    if (s->tree)
        s->tree->levels.b.len = s->tree->children.b.len = s->tree->text.b.len = 0;
}

void sluice__tree_release(sluice_stream *s) {
    struct sluice__tree *t = s->tree;
    if (!t)
        return;
    sluice__buffer_release(&s->alloc, &t->levels.b);
    sluice__buffer_release(&s->alloc, &t->children.b);
    sluice__buffer_release(&s->alloc, &t->text.b);
    sluice__buffer_release(&s->alloc, &t->result.b);
    sluice__realloc(&s->alloc, t, sizeof *t, 0);
    s->tree = NULL;
}

static view part(const struct sluice__tree *t, uint32_t at, uint32_t n) {
    return view_of(out_text(&t->text) + at, n);
}
static view key_of(const struct sluice__tree *t, const child *c) {
    return part(t, c->key, c->key_len);
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

/* ---- Reading ------------------------------------------------------------------------------ */

went sluice__tree_begin(sluice_stream *s, const sluice__elements *e) {
    if (!s->tree) {
        s->tree = sluice__zeroed(&s->alloc, sizeof *s->tree);
        if (!s->tree) {
            s->no_memory = true;
            return BROKEN;
        }
        s->tree->levels = s->tree->children = s->tree->text = s->tree->result = new_out(s);
    }
    struct sluice__tree *t = s->tree;
    const level *outer = depth_of(t) ? top(s) : NULL;
    if (!outer) {
        sluice__tree_drop(s);
        sluice__types types;
        child_types(s, 0, out_view(&s->call->param), false, &t->schema, &types);
    }
    const sluice__types *types = &s->call->value.types;
    view key = reg_view(s, REG_KEY);
    level l = {.spec = e,
               .schema = t->schema,
               .items = SIZE_MAX,
               .from = outer ? outer->from : s->pos,
               .over = outer && outer->over,
               .key = (uint32_t)t->text.b.len,
               .key_len = (uint32_t)view_len(key),
               .first = count_of(t),
               .pc = s->pc,
               .phase = s->phase,
               .marks = s->marks,
               .as_object = !types->declared || types->mask & SLUICE__OBJECT,
               .as_array = !types->declared || types->mask & SLUICE__ARRAY};
    l.only_items = !l.as_object;
    if (l.only_items)
        child_types(s, l.schema, view_of("", 0), true, &l.items, &l.item_types);
    put(&t->text, key.p, view_len(key));
    put(&t->levels, (const char *)&l, sizeof l);
    return s->no_memory ? BROKEN : jump_to(s, e->next);
}

/* The children from `first` on, as JSON: of an object, those of one key are its items. */
static void write_children(struct sluice__tree *t, size_t first, bool array) {
    size_t count = count_of(t);
    bool any = false;
    put(&t->result, array ? "[" : "{", 1);
    for (size_t k = first; k < count; k++) {
        child *c = child_at(t, k);
        bool wrapped = c->is_item;
        if (c->written)
            continue;
        view key = key_of(t, c);
        for (size_t n = k + 1; n < count && !array; n++)
            wrapped |= equal_views(key_of(t, child_at(t, n)), key);
        put(&t->result, ",", any);
        any = true;
        if (!array)
            sluice__put_string(&t->result, key);
        put(&t->result, ":", !array);
        put(&t->result, "[", wrapped);
        for (size_t n = k; n < (array ? k + 1 : count); n++) {
            child *next = child_at(t, n);
            if (!equal_views(key_of(t, next), key))
                continue;
            put(&t->result, ",", n > k);
            put(&t->result, out_text(&t->text) + next->json, next->json_len);
            next->written = true;
        }
        put(&t->result, "]", wrapped);
    }
    put(&t->result, array ? "]" : "}", 1);
}

/* Ends the element: its children become JSON, and its own value goes on. */
static went end_level(sluice_stream *s) {
    struct sluice__tree *t = s->tree;
    level l = *top(s);
    bool all_items = count_of(t) > l.first;
    for (size_t k = l.first; k < count_of(t) && all_items; k++)
        all_items = view_is(key_of(t, child_at(t, k)), l.spec->item);
    t->result.b.len = 0;
    write_children(t, l.first, l.as_array && (all_items || !l.as_object));
    sluice__set_reg(s, REG_KEY, part(t, l.key, l.key_len), 0, 0);
    t->children.b.len = l.first * sizeof(child);
    t->text.b.len = l.key;
    t->levels.b.len -= sizeof l;
    if (depth_of(t))
        top(s)->over |= l.over;
    s->pc = l.pc;
    s->phase = l.phase;
    return JUMPED;
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
        if (m == YES && item == e->own_closer) { /* its name, too: it may be that of another */
            view v = see_from(s, at + e->marks->items[item].len);
            const char *stop;
            if (sluice__search(s, e->behind, v, &stop, &item) != YES && !s->finished &&
                view_len(v) <= s->set.limit_name)
                return wait_for(s, NULL);
        }
        if (m == YES || c < 0)
            return end_level(s);
        s->phase = 1;
    }
}

static void add_child(sluice_stream *s, view json, bool is_item) {
    struct sluice__tree *t = s->tree;
    view key = reg_view(s, REG_KEY);
    if (top(s)->over)
        return;
    child c = {
        .key = (uint32_t)t->text.b.len, .key_len = (uint32_t)view_len(key), .is_item = is_item};
    put(&t->text, key.p, view_len(key));
    c.json = (uint32_t)t->text.b.len;
    c.json_len = (uint32_t)view_len(json);
    put(&t->text, json.p, view_len(json));
    put(&t->children, (const char *)&c, sizeof c);
}

void sluice__tree_add_built(sluice_stream *s) { add_child(s, out_view(&s->tree->result), false); }

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
    add_child(s, out_view(json), is_item);
}
