/* Elements inside a parameter: text, read as a tree by the tool's schema, and written as JSON. */
#include "stream.h"

typedef struct element { /* one that is open */
    const struct element *outer;
    const sluice__element *kind;
    view key;
    unsigned depth;
} element;

typedef struct tree {
    sluice_stream *s;
    const sluice__elements *spec;
    const char *trail; /* of a value */
    view v;            /* what is left of the text */
    bool cut;          /* the text ended in it */
} tree;

static bool read_content(tree *t, const element *e, size_t schema, const sluice__types *types);

/* The opener of an element at v; NULL: none. */
static const sluice__element *opener_at(const sluice__elements *spec, view v, view *behind) {
    size_t item;
    if (literals_at(spec->marks, v, true, &item) != YES || item >= spec->count)
        return NULL;
    *behind = (view){v.p + spec->marks->items[item].len, v.end};
    return &spec->list[item];
}

/* The innermost of the open elements that v closes; NULL: none. */
static const element *closed_at(const tree *t, const element *e, view v, const char **behind) {
    for (size_t k = 0; k < t->spec->count; k++) {
        const sluice__element *kind = &t->spec->list[k];
        bool named = kind->closer.ends;
        view close = view_text(kind->close), word;
        *behind = v.p + view_len(close);
        if (!has_start(v, close) ||
            (named &&
             sluice__word_at(t->s, &kind->closer, (view){*behind, v.end}, &word, behind) != YES))
            continue;
        for (const element *open = e; open; open = open->outer)
            if (open->kind == kind && (!named || equal_views(word, open->key)))
                return open;
    }
    return NULL;
}

static bool may_nest(const sluice__types *types) {
    return !types->declared || types->mask & (SLUICE__ARRAY | SLUICE__OBJECT);
}

static bool is_nested(const sluice__types *types) {
    return types->declared && !(types->mask & SLUICE__STRING) && may_nest(types);
}

match sluice__elements_at(const sluice_stream *s, const sluice__value_spec *v, view text) {
    const sluice__types *types = &s->call->value.types;
    const char *p;
    size_t item;
    if (!v->elements.marks || !may_nest(types))
        return NO;
    text.p = past_space(text);
    if (text.p == text.end)
        return is_nested(types) ? YES : CUT;
    bool words = types->array && *text.p != '['; /* they may precede the items */
    if (words && sluice__literals_find(v->elements.marks, text, true, &p, &item) == YES &&
        has_start((view){p + v->elements.marks->items[item].len, text.end},
                  view_text(v->elements.item)))
        return YES;
    match m = find_literal(s, v->elements.marks, text, &item);
    if (m == NO && words)
        return CUT;
    return m == YES && item >= v->elements.count ? NO : m;
}

/* Writes a value as text. True: it is the first item of an array. */
static bool write_leaf(tree *t, const element *e, const sluice__types *types) {
    sluice_stream *s = t->s;
    view w = t->v, text = {t->v.p, t->v.end};
    const element *closed = NULL;
    const char *behind = t->v.end;
    size_t item;
    while (!closed && sluice__literals_find(t->spec->marks, w, true, &text.end, &item) == YES) {
        closed = closed_at(t, e, (view){text.end, w.end}, &behind);
        w.p = text.end + 1;
    }
    t->v.p = closed == e ? behind : text.end;
    sluice__lower(s, closed == e ? SLUICE_COMPLETE : SLUICE_RECOVERED); /* or it is missing */
    text = closed == e ? sluice__without_tail(text, t->trail, 0, false) : text;
    const char *p = past_space(text);
    bool is_item = types->array && !(p < text.end && *p == '['), cut = t->cut && !closed;
    out *json = &s->call->scratch;
    view tag = {e->key.p - t->spec->marks->items[e->kind - t->spec->list].len + 1, e->key.end};
    if (!sluice__typed(s, text, is_item ? types->array : types->mask, cut)) {
        json->b.len = 0;
        sluice__put_string(json, text);
    }
    if (!cut &&
        (closed != e || (!s->set.strict && sluice__has_debris(&s->program->literals, text, tag))))
        sluice__spoil(s, "bad_arguments",
                      closed == e ? "part of a tag is left in an element"
                                  : "an element is not closed");
    put(&s->call->taken, out_text(json), json->b.len);
    return is_item;
}

/* Writes elements as an object; or as an array, if it can only be one, or if all of them have the
 * key of its items. Those of one key in a row are the items of an array. */
static void write_children(tree *t, const element *e, size_t schema, const sluice__types *types) {
    sluice_stream *s = t->s;
    out *json = &s->call->taken; /* the text may be in `decoded` */
    bool as_object = !types->declared || types->mask & SLUICE__OBJECT,
         as_array = !types->declared || types->mask & SLUICE__ARRAY, wrapped = false;
    size_t begin = json->b.len, last = begin + 1, runs = 0, items = 0, item;
    sluice__types item_types, own;
    element child = {.outer = e, .depth = e ? e->depth + 1 : 1};
    view before = {0}, behind;
    const element *closed = NULL;
    const char *end;
    if (!as_object)
        s->scripts->types(s, schema, view_of("", 0), true, &items, &item_types);
    put_text(json, "{");
    while ((t->v.p = past_space(t->v)) < t->v.end && !s->heap.failed) {
        if ((closed = closed_at(t, e, t->v, &end)))
            break;
        const sluice__element *kind = child.kind = opener_at(t->spec, t->v, &behind);
        if (!kind || sluice__word_at(s, &kind->key, behind, &child.key, &end) != YES ||
            has_any(child.key, "<") ||
            (kind->pattern != SLUICE__NONE &&
             s->scripts->ask(s, SLUICE__Q_FITS, kind->pattern, child.key, NULL) <= 0)) {
            sluice__spoil(s, "stray_markup", "text between the parts of a call was left out");
            behind.p = kind ? behind.p : t->v.p + 1;
            sluice__literals_find(t->spec->marks, (view){behind.p, t->v.end}, true, &t->v.p, &item);
            continue;
        }
        t->v.p = end;
        if (!as_object && !view_is(child.key, t->spec->item) && sluice__declares(s, child.key) > 0)
            sluice__spoil(s, "bad_arguments", "a parameter is inside another one");
        bool again = runs && (!as_object || equal_views(before, child.key));
        put(json, "]", wrapped && !again);
        put(json, ",", runs > 0);
        if (!again) {
            sluice__put_string(json, child.key);
            put_text(json, ":");
            last = json->b.len;
            wrapped = false;
            runs++;
        }
        size_t inner = items;
        if (as_object)
            s->scripts->types(s, schema, child.key, false, &inner, &own);
        bool first = read_content(t, &child, inner, as_object ? &own : &item_types);
        if ((again || first) && !wrapped) {
            put_text(json, "["); /* goes where the first item begins */
            if (s->heap.failed)
                return;
            memmove(json->b.data + last + 1, json->b.data + last, json->b.len - 1 - last);
            json->b.data[last] = '[';
            wrapped = true;
        }
        before = child.key;
    }
    if (e && closed == e)
        t->v.p = end;
    else if (e)
        sluice__spoil(s, "bad_arguments", "an element is not closed");
    if (s->heap.failed)
        return;
    bool list = as_array &&
                (runs == 1 ? !as_object || view_is(before, t->spec->item) : !runs && !as_object);
    if (list) { /* its brace and its key go */
        size_t from = last + wrapped;
        memmove(json->b.data + begin + 1, json->b.data + from, json->b.len - from);
        json->b.data[begin] = '[';
        json->b.len -= from - begin - 1;
    }
    put_text(json, list ? "]" : wrapped ? "]}" : "}");
}

/* Reads the content of an element, and its closer. True: it is the first item of an array. */
static bool read_content(tree *t, const element *e, size_t schema, const sluice__types *types) {
    sluice_stream *s = t->s;
    view behind;
    const char *p = past_space(t->v), *end;
    view v = {p, t->v.end};
    bool deep = e->depth >= s->call->reader.limit;
    bool none = is_nested(types) && (p == v.end || closed_at(t, e, v, &end));
    bool holds = none || (may_nest(types) && opener_at(t->spec, v, &behind));
    if (holds && deep)
        sluice__report(s, "limit_exceeded", "limit_depth exceeded");
    if (!holds || deep)
        return write_leaf(t, e, types);
    write_children(t, e, schema, types);
    return false;
}

view sluice__elements_read(sluice_stream *s, const sluice__value_spec *v, view text, bool cut) {
    tree t = {.s = s, .spec = &v->elements, .trail = v->trail, .v = text, .cut = cut};
    sluice__types types;
    size_t schema;
    s->call->taken.b.len = 0;
    s->scripts->types(s, 0, out_view(&s->call->param), false, &schema, &types);
    write_children(&t, NULL, schema, &types);
    return out_view(&s->call->taken);
}
