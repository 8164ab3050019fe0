/* Lists and blocks of lines. */
#include "stream.h"

static void part(sluice_stream *s, const char *p, size_t n, uint64_t upto) {
    size_t from = s->made.b.len;
    sluice__put_escaped(&s->made, p, n);
    sluice__arguments_made(s, from, upto);
}
void sluice__write_raw(sluice_stream *s, const char *text) {
    sluice__write_key(s);
    size_t from = s->made.b.len;
    put_text(&s->made, text);
    sluice__arguments_made(s, from, s->told);
}

void sluice__write_part(sluice_stream *s, view text, bool last) {
    if (!s->call->value.string)
        sluice__write_raw(s, "\"");
    s->call->value.string = !last;
    part(s, text.p, view_len(text), s->pos);
    if (last)
        sluice__write_raw(s, "\"");
}

/* The lines of a list, as an array: `prefix` before each item, if any. */
static went items(sluice_stream *s, const sluice__ins *i) {
    enum { DECIDE, ITEM, VALUE };
    const sluice__value_spec *v = &s->program->values[i->a];
    const literals *prefix = i->b == SLUICE__NONE ? NULL : s->program->sets[i->b];
    size_t item;
    uint64_t at;
    int c;
    went w;
    if (s->phase == DECIDE) {
        if ((w = sluice__announce(s)) != GO)
            return w;
        s->has_key = false;
        view key = reg_view(s, REG_KEY);
        s->call->param.b.len = 0;
        put(&s->call->param, key.p, view_len(key));
        key = view_of(out_text(&s->call->param), s->call->param.b.len);
        sluice__types types;
        s->scripts->types(s->user, s, s->tool, key.p, view_len(key), &types);
        if (s->call->repeated.open && !sluice__is_repeated(s))
            sluice__flush_repeated(s);
        s->item = false;
        s->call->value.mute = sluice__is_used(s, key) && !s->call->repeated.open;
        s->call->value.types = types;
        if (s->call->value.mute) {
            sluice__duplicate(s, key, false);
        } else {
            sluice__hash_add(s, &s->call->used, key.p, view_len(key));
            if (!types.array)
                types.array = SLUICE__STRING;
            if (!s->call->repeated.open) {
                sluice__open_repeated(s, &types);
                sluice__begin_parameter(s, key);
            }
        }
        for (int k = 0; k < s->marks; k++)
            s->call->mark[k].kind = MARK_NONE;
        s->phase = ITEM;
    }
    for (;;) {
        if (s->phase == ITEM) {
            if (!next_byte(s, &c, &at))
                return WAIT;
            match m = prefix ? sluice__take(s, prefix, true, &item)
                             : sluice__look(s, v->ends, true, &item, &at);
            if (m == CUT)
                return WAIT;
            if (prefix ? m == NO : m == YES || c < 0)
                break;
            if (!prefix)
                s->pos = at;
            s->item = true;
            s->phase = VALUE;
        }
        view line = see(s);
        const char *end = view_len(line) ? memchr(line.p, '\n', view_len(line)) : NULL;
        if (!end && !s->finished)
            return wait_for(s, NULL);
        view text = trimmed((view){line.p, end ? end : line.end});
        uint64_t upto = s->pos + (uint64_t)((end ? end : line.end) - line.p);
        if (!s->call->value.mute) {
            sluice__open_array(s);
            if (!s->first_item)
                sluice__write_raw(s, ",");
            s->first_item = false;
            sluice__write_typed(s, text, s->call->repeated.types.array, false, upto);
        }
        s->pos = upto + (end != NULL);
        s->phase = ITEM;
        if (!end) {
            sluice__lower(s, SLUICE_INCOMPLETE);
            break;
        }
    }
    if (s->call->value.mute)
        return GO;
    if (!s->item && prefix && !s->call->repeated.holds &&
        !s->call->repeated.array) { /* `key:` without a list */
        s->call->repeated.open = false;
        sluice__write_typed(s, view_of("", 0),
                            s->call->value.types.declared ? s->call->value.types.mask
                                                          : SLUICE__STRING,
                            false, s->told);
        return GO;
    }
    sluice__open_array(s);
    return GO;
}

/* An indented block without its indentation, or whole lines with a prefix. */
static went lines(sluice_stream *s, const sluice__ins *i) {
    enum { DECIDE, LINE };
    bool prefixed = i->kind == SLUICE__PREFIXED;
    const literals *margin = i->a == SLUICE__NONE ? NULL : s->program->sets[i->a];
    view key = prefixed && i->b != SLUICE__NONE
                   ? view_of(s->program->texts[i->b], strlen(s->program->texts[i->b]))
                   : reg_view(s, REG_KEY);
    size_t item;
    went w;
    if (s->phase == DECIDE) {
        if ((w = sluice__announce(s)) != GO)
            return w;
        s->has_key = false;
        s->call->value.mute = sluice__is_used(s, key);
        if (s->call->value.mute) {
            s->call->param.b.len = 0;
            put(&s->call->param, key.p, view_len(key));
            sluice__duplicate(s, key, false);
        } else {
            sluice__flush_repeated(s);
            sluice__hash_add(s, &s->call->used, key.p, view_len(key));
            sluice__begin_parameter(s, key);
            sluice__write_raw(s, "\"");
            s->call->value.string = true;
        }
        for (int k = 0; k < s->marks; k++)
            s->call->mark[k].kind = MARK_NONE;
        s->empty_lines = s->line_margin = 0;
        s->item = false;
        s->phase = LINE;
    }
    for (;;) {
        view v = see(s), t;
        const char *p = v.p;
        bool inside = false;
        if (margin) {
            match m = find_literal(s, margin, v, &item);
            if (m == CUT)
                return sluice__wait_literal(s, margin, v);
            inside = m == YES;
            p += inside ? margin->items[item].len : 0;
        } else {
            while (p < v.end && is_blank(*p) &&
                   !(s->line_margin && (size_t)(p - v.p) >= s->line_margin))
                p++;
            if (p == v.end && !s->finished)
                return wait_for(s, NULL);
            inside = p > v.p;
        }
        if (p == v.end && !s->finished)
            return wait_for(s, NULL);
        bool empty = p < v.end && (*p == '\n' || *p == '\r');
        if (!inside && !empty)
            break;
        const char *end = view_len(v) ? memchr(p, '\n', (size_t)(v.end - p)) : NULL;
        if (!end && !s->finished && view_len(v) <= s->set.limit_value)
            return wait_for(s, NULL);
        if (!margin && inside && !empty) {
            if (!s->line_margin)
                s->line_margin = (size_t)(p - v.p);
            else if ((size_t)(p - v.p) < s->line_margin)
                sluice__lower(s, SLUICE_INCOMPLETE); /* the start of earlier lines is in doubt */
        }
        t = (view){p, end ? end : v.end};
        if (t.end > t.p && t.end[-1] == '\r')
            t.end--;
        uint64_t upto = s->pos + (uint64_t)((end ? end : v.end) - v.p);
        if (!s->call->value.mute && (inside || t.p < t.end)) {
            for (; s->empty_lines; s->empty_lines--)
                part(s, "\n", 1, s->told);
            part(s, t.p, view_len(t), upto);
            s->item = true;
        }
        s->empty_lines++;
        s->pos = upto + (end != NULL);
        if (!end) {
            if (!prefixed)
                sluice__lower(s, SLUICE_INCOMPLETE);
            break;
        }
    }
    if (s->call->value.mute)
        return GO;
    if (s->item && !(i->flags & SLUICE__F_CHOMP))
        part(s, "\n", 1, s->told);
    s->call->value.string = false;
    sluice__write_raw(s, "\"");
    return GO;
}

went sluice__op_lines(sluice_stream *s, const sluice__ins *i) {
    return i->kind == SLUICE__ITEMS ? items(s, i) : lines(s, i);
}
