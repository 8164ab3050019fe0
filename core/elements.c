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
    level *levels;
    size_t depth, level_cap;
    child *children;
    size_t count, child_cap;
    out text, result;
    size_t schema; /* of the current member */
};

static level *top(const sluice_stream *s) { return &s->tree->levels[s->tree->depth - 1]; }

bool sluice__tree_open(const sluice_stream *s) { return s->tree && s->tree->depth; }

const out *sluice__tree_result(const sluice_stream *s) { return &s->tree->result; }

void sluice__tree_drop(sluice_stream *s) {
    if (s->tree)
        s->tree->depth = s->tree->count = s->tree->text.b.len = 0;
}

void sluice__tree_release(sluice_stream *s) {
    struct sluice__tree *t = s->tree;
    const sluice_allocator *a = &s->alloc;
    if (!t)
        return;
    if (t->levels)
        sluice__realloc(a, t->levels, t->level_cap * sizeof *t->levels, 0);
    if (t->children)
        sluice__realloc(a, t->children, t->child_cap * sizeof *t->children, 0);
    sluice__buffer_release(a, &t->text.b);
    sluice__buffer_release(a, &t->result.b);
    sluice__realloc(a, t, sizeof *t, 0);
    s->tree = NULL;
}

static view part(const struct sluice__tree *t, uint32_t at, uint32_t n) {
    return view_of(out_text(&t->text) + at, n);
}

bool sluice__tree_encloses(const sluice_stream *s, view key) {
    for (size_t k = 0; s->tree && k < s->tree->depth; k++)
        if (equal_views(part(s->tree, s->tree->levels[k].key, s->tree->levels[k].key_len), key))
            return true;
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
    if (s->tree->schema == SIZE_MAX && view_is(key, l->spec->item))
        child_types(s, l->schema, view_of("", 0), true, &s->tree->schema, &s->call->value.types);
}

bool sluice__tree_may_begin(const sluice_stream *s) {
    size_t depth = s->tree ? s->tree->depth : 0;
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
        s->tree->text = s->tree->result = new_out(s);
    }
    struct sluice__tree *t = s->tree;
    if (!t->depth) {
        t->text.b.len = t->count = 0;
        sluice__types types;
        child_types(s, 0, out_view(&s->call->param), false, &t->schema, &types);
    }
    if (!sluice__array_grow(&s->alloc, (void **)&t->levels, &t->level_cap, t->depth + 1,
                            sizeof *t->levels)) {
        s->no_memory = true;
        return BROKEN;
    }
    const level *outer = t->depth ? top(s) : NULL;
    const sluice__types *types = &s->call->value.types;
    view key = reg_view(s, REG_KEY);
    level l = {.spec = e,
               .schema = t->schema,
               .items = SIZE_MAX,
               .from = outer ? outer->from : s->pos,
               .over = outer && outer->over,
               .key = (uint32_t)t->text.b.len,
               .key_len = (uint32_t)view_len(key),
               .first = t->count,
               .pc = s->pc,
               .phase = s->phase,
               .marks = s->marks,
               .as_object = !types->declared || types->mask & SLUICE__OBJECT,
               .as_array = !types->declared || types->mask & SLUICE__ARRAY};
    l.only_items = !l.as_object;
    if (l.only_items)
        child_types(s, l.schema, view_of("", 0), true, &l.items, &l.item_types);
    put(&t->text, key.p, view_len(key));
    t->levels[t->depth++] = l;
    return jump_to(s, e->next);
}

static void put_json(struct sluice__tree *t, const child *c, bool wrapped) {
    put(&t->result, "[", wrapped);
    put(&t->result, out_text(&t->text) + c->json, c->json_len);
    put(&t->result, "]", wrapped);
}

static void write_array(struct sluice__tree *t, size_t first) {
    put(&t->result, "[", 1);
    for (size_t k = first; k < t->count; k++) {
        put(&t->result, ",", k > first);
        put_json(t, &t->children[k], t->children[k].is_item);
    }
    put(&t->result, "]", 1);
}

static void write_object(struct sluice__tree *t, size_t first) {
    bool any = false;
    put(&t->result, "{", 1);
    for (size_t k = first; k < t->count; k++) {
        child *c = &t->children[k];
        view key = part(t, c->key, c->key_len);
        if (c->written)
            continue;
        bool many = c->is_item;
        for (size_t n = k + 1; n < t->count && !many; n++)
            many = equal_views(part(t, t->children[n].key, t->children[n].key_len), key);
        put(&t->result, ",", any);
        any = true;
        sluice__put_string(&t->result, key);
        put(&t->result, ":[", many ? 2 : 1);
        put_json(t, c, false);
        for (size_t n = k + 1; n < t->count && many; n++) {
            child *next = &t->children[n];
            if (next->written || !equal_views(part(t, next->key, next->key_len), key))
                continue;
            next->written = true;
            put(&t->result, ",", 1);
            put_json(t, next, false);
        }
        put(&t->result, "]", many);
    }
    put(&t->result, "}", 1);
}

/* Ends the element: its children become JSON, and its own value goes on. */
static went end_level(sluice_stream *s) {
    struct sluice__tree *t = s->tree;
    level l = *top(s);
    bool all_items = t->count > l.first;
    for (size_t k = l.first; k < t->count && all_items; k++)
        all_items = view_is(part(t, t->children[k].key, t->children[k].key_len), l.spec->item);
    t->result.b.len = 0;
    if (l.as_array && (all_items || !l.as_object))
        write_array(t, l.first);
    else
        write_object(t, l.first);
    view key = part(t, l.key, l.key_len);
    sluice__set_reg(s, REG_KEY, key, 0, 0);
    t->count = l.first;
    t->text.b.len = l.key;
    t->depth--;
    if (t->depth)
        top(s)->over |= l.over;
    s->pc = l.pc;
    s->phase = l.phase;
    return JUMPED;
}

went sluice__op_elements(sluice_stream *s, const sluice__ins *i) {
    const sluice__elements *e = &s->program->elements[i->a];
    size_t item, end;
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
        if ((m == YES && item != e->own_closer) || c < 0)
            break;
        if (m == NO) {
            s->phase = 1;
            continue;
        }
        view v = see_from(s, at + e->marks->items[item].len);
        const char *stop; /* possibly an extra closer */
        m = sluice__search(s, e->behind, v, &stop, &end);
        if (m != YES && !s->finished && view_len(v) <= s->set.limit_name)
            return wait_for(s, NULL);
        if (m != YES || sluice__tree_encloses(s, trimmed((view){v.p, stop})))
            break;
        s->pos =
            at + e->marks->items[item].len + (uint64_t)(stop - v.p) + e->behind->items[end].len;
        sluice__spoil(s, "stray_markup", "an extra closing tag was left out"); /* possibly quoted */
    }
    return end_level(s);
}

static void add_child(sluice_stream *s, view json, bool is_item) {
    struct sluice__tree *t = s->tree;
    view key = reg_view(s, REG_KEY);
    if (top(s)->over)
        return;
    if (!sluice__array_grow(&s->alloc, (void **)&t->children, &t->child_cap, t->count + 1,
                            sizeof *t->children)) {
        s->no_memory = true;
        return;
    }
    child c = {
        .key = (uint32_t)t->text.b.len, .key_len = (uint32_t)view_len(key), .is_item = is_item};
    put(&t->text, key.p, view_len(key));
    c.json = (uint32_t)t->text.b.len;
    c.json_len = (uint32_t)view_len(json);
    put(&t->text, json.p, view_len(json));
    t->children[t->count++] = c;
}

void sluice__tree_add_built(sluice_stream *s) { add_child(s, out_view(&s->tree->result), false); }

void sluice__tree_add_leaf(sluice_stream *s, view text, bool cut) {
    const sluice__types *types = &s->call->value.types;
    const char *p = past_space(text);
    bool mended = false, is_item = types->array && !(p < text.end && *p == '[');
    unsigned type = 0,
             others = is_item && p < text.end && !cut ? sluice__types_beside_array(types) : 0;
    out *json = &s->tree->result;
    json->b.len = 0;
    if (others)
        type = sluice__typed(text, others, s->set.repairs, false, json, &mended);
    is_item = is_item && !type;
    if (!type)
        type = sluice__typed(text, is_item ? types->array : types->mask, s->set.repairs, cut, json,
                             &mended);
    if (!type)
        sluice__put_string(json, text);
    else if (mended)
        sluice__repair(s, "a value was rewritten as JSON");
    if (cut || s->call->value.over_long)
        sluice__lower(s, SLUICE_INCOMPLETE);
    top(s)->over |= s->call->value.over_long;
    add_child(s, out_view(json), is_item);
}
