/* What makes a call doubtful. Damage has no end of kinds: what looks odd is not mended here but
 * told, and its call is not valid. Arguments are seen as JSON text, however they were read. */
#include "stream.h"

enum { LEAST = 4, MOST = 64 }; /* MOST: of a tag that is named after its key, of attributes */

typedef struct suspect { /* a call that ends */
    const sluice__format_literals *literals;
    const literals *keys;         /* those that its tool declares; NULL: not known */
    const sluice__doc *arguments; /* one JSON object */
    const char *what;             /* is in doubt, first; NULL: nothing */
    view key;                     /* where */
    bool raw, sure;               /* its values are raw text; each ended at its closer */
    bool items;                   /* and so may be the items of its arrays */
    bool lost;                    /* later calls of the message are doubtful too */
} suspect;

static view first(view v, size_t n) { return (view){v.p, v.p + n}; }
static view last(view v, size_t n) { return (view){v.end - n, v.end}; }

static const char *find(view v, view part) {
    size_t n = view_len(part);
    for (; view_len(v) >= n && (v.p = memchr(v.p, *part.p, view_len(v) - n + 1)); v.p++)
        if (has_start(v, part))
            return v.p;
    return NULL;
}

/* A name or a key that is not declared: does it contain a literal or a part of one? */
static bool has_debris(const sluice__format_literals *l, view v) {
    for (size_t i = 0; l->set && i < l->set->count; i++) {
        view m = literal_text(&l->set->items[i]);
        bool word = is_word_byte(*m.p), part = view_len(m) > LEAST; /* word: as of path: */
        if (find(v, part && !word ? first(m, LEAST) : m) ||
            (part && !is_word_byte(m.end[-1]) && find(v, last(m, LEAST))))
            return true;
    }
    return false;
}

/* Does v contain the bytes of a key that is declared, and is not given? */
static bool hides_key(const suspect *call, view v) {
    for (size_t i = 0; call->keys && i < call->keys->count; i++) {
        view m = literal_text(&call->keys->items[i]);
        if (view_len(m) >= LEAST - 1 && find(v, m) && !sluice__doc_member(call->arguments, 0, m))
            return true;
    }
    return false;
}

/* Does a raw value contain the end of a parameter's header, without its beginning: ter=key> where a
 * line begins, name="key">? Other attributes are a page's, whose tags may have lines and arrows. */
static bool has_header_end(view v, view key, view opener) {
    bool plain = strchr("=:", opener.end[-1]);
    size_t quotes = 0, len = view_len(key);
    for (view w = v; len && (w.p = find(w, key)); w.p++, quotes = 0) {
        const char *p = w.p, *q = p + len, *most = v.end - q > MOST ? q + MOST : v.end;
        while (!plain && q < most && (is_name_byte(*q) || strchr(" =\"", *q)))
            q++;
        if (q == v.end || *q != '>' || (!plain && (q[-1] != '"' || p[len] != '"')))
            continue;
        while (p > v.p && (!strchr("<>\n", p[-1]) || (p[-1] == '\n' && is_blank(*p)) ||
                           has_end((view){v.p, p}, view_of("=>", 2))))
            quotes += *--p == '"';
        bool tag = p > v.p && p[-1] == '<' && *p != '/' && (p - 1 > v.p || !has_start(v, opener)),
             attribute = has_end((view){p, w.p}, view_of("=\"", 2));
        view name = {w.p, w.p};
        while (name.p > p && !is_space(name.p[-1]))
            name.p--;
        if (!tag && (plain       ? (w.p > p || p == v.p) && has_end(opener, (view){p, w.p})
                     : attribute ? name.p == p || has_start(name, view_of("name=", 5))
                                 : quotes % 2 == 0))
            return true;
    }
    return false;
}

/* Does each tag `<key>` have a `</key>` behind it, and each of these one before it? */
static bool tags_match(view v, view key) {
    size_t open = 0;
    for (const char *from = v.p; view_len(key) && (v.p = find(v, key)); v.p++) {
        const char *end = v.p + view_len(key);
        bool closes = v.p > from + 1 && v.p[-1] == '/' && v.p[-2] == '<';
        bool tag = (closes || (v.p > from && v.p[-1] == '<')) && end < v.end && *end == '>';
        if (tag && closes && !open)
            return false;
        open += !tag ? 0 : closes ? (size_t)-1 : 1;
    }
    return !open;
}

/* The next literal of the format in v, at or behind *at; NULL: none. */
static const sluice__literal *next_literal(const literals *set, view v, const char **at) {
    size_t item;
    for (view w = {*at, v.end}; set && sluice__literals_find(set, w, true, at, &item) == YES;) {
        const sluice__literal *m = &set->items[item];
        if (!(m->role & SLUICE__D_LINE) || *at == v.p || (*at)[-1] == '\n')
            return m;
        w.p = *at + m->len;
    }
    return NULL;
}

/* Does v end in a whole tag, which is not the literal m with some of it missing? */
static bool is_other_tag(view v, view m) {
    const char *p = v.end - 1;
    while (p > v.p && !strchr("<>\n", *--p)) {
    }
    size_t n = (size_t)(v.end - p) - 1 - (p[1] == '/');
    return *p == '<' && !has_start((view){p, v.end}, first(m, LEAST)) &&
           !(has_end(m, last(v, n)) && m.end[-1 - (ptrdiff_t)n] != '_');
}

/* Does a trimmed raw value begin or end with part of a literal, or of a tag that is named after its
 * key? `begun`, `ended`: with a literal. */
static bool has_cut_edge(const sluice__format_literals *l, view v, view key, bool begun, bool ended,
                         bool sure) {
    enum { LONG = 6 }; /* more than a word of a text */
    size_t n = view_len(v), count = l->set ? l->set->count : 0;
    size_t named = l->tagged && view_len(key) < MOST - LEAST ? view_len(key) : 0;
    char tag[MOST] = "</";
    memcpy(tag + 2, key.p, named);
    tag[named + 2] = '>';
    if (l->angles && n > 1) {
        const char *p = v.p + (*v.p == '"'), *q = v.end - 1 - (v.end[-1] == '/');
        bool lines = memchr(p, '\n', n - 1); /* as of a quotation, or sequences */
        if ((*p == '>' && p + 1 < v.end && (p[1] | 32) >= 'a' && !lines) ||
            (*q == '<' && q > v.p && q[-1] != '<' && !(sure && is_space(q[-1]))))
            return true;
    }
    for (size_t i = 0; n >= LEAST && i < count + (named > 0); i++) {
        view m = i < count ? literal_text(&l->set->items[i]) : view_of(tag, named + 3),
             w = {m.p, m.end - 1};
        bool inner = i < count && l->set->items[i].role & SLUICE__D_INNER;
        ended |= i == count && has_end(v, m);
        /* what ends in : or = goes on with a name; "key: " and a fence are also text */
        bool bracket = !is_name_byte(*w.end) && !strchr(":=`", *w.end);
        if ((inner && view_len(m) > 2 && *m.p != '`' && !is_name_byte(*m.p) &&
             !is_name_byte(m.p[1]) && !is_name_byte(m.p[2]) && has_end(v, first(m, 3))) ||
            (bracket && !ended && view_len(m) > LEAST &&
             has_end(v, last(m, i < count ? LEAST : named + 1)) && !is_other_tag(v, m)))
            return true;
        for (; !ended && (w.p = find(w, last(v, LEAST))); w.p++) {
            size_t k = (size_t)(w.p - m.p) + LEAST;
            if ((k >= LONG || !is_name_byte(m.p[k - 1]) || *m.p == '<') && has_end(v, first(m, k)))
                return true;
        }
        w = (view){m.p + 1, m.end};
        for (; bracket && !begun && (w.p = find(w, first(v, LEAST))); w.p++)
            if (has_start(v, w))
                return true;
    }
    return false;
}

static const char markup_left[] = "markup is left in the value of: ",
                  part_left[] = "part of a tag is left in the value of: ";

/* Do the literals of the parameters leave something over in a raw value? Does it begin or end with
 * a literal of the call whose partner is not in it, or with a part of one? NULL: no. */
static const char *remains(const sluice__format_literals *l, const suspect *call, view v, view key,
                           bool sure) {
    enum { DEEPEST = 64 };
    unsigned stack[DEEPEST];
    size_t depth = 0, item;
    const char *at = v.p;
    for (const sluice__literal *m; (m = next_literal(l->set, v, &at)); at += m->len) {
        unsigned pair = m->role / SLUICE__D_PAIR;
        bool closes = m->role & SLUICE__D_CLOSER, top = depth && stack[depth - 1] == pair,
             single = m->role & SLUICE__D_SINGLE, inner = m->role & SLUICE__D_INNER;
        if (inner && !closes && (at == v.p || at[-1] == '\n') && call && call->keys &&
            literals_at(call->keys, (view){at + m->len, v.end}, true, &item) == YES &&
            !sluice__doc_member(call->arguments, 0, literal_text(&call->keys->items[item])))
            return markup_left; /* a line begins another parameter, which is not given */
        if (inner && top && (closes || m->role & SLUICE__D_QUOTE)) {
            depth--;
        } else if (inner && !single) {
            if (closes || depth == DEEPEST)
                return markup_left;
            stack[depth++] = pair;
        }
    }
    if (depth || (l->tagged && !tags_match(v, key)))
        return markup_left;
    bool begun = false, ended = false;
    const view whole = v;
    v = trimmed(v);
    for (size_t i = 0; l->set && i < l->set->count; i++) {
        const sluice__literal *m = &l->set->items[i], *p;
        bool begins_it = has_start(v, literal_text(m)), ends_it = has_end(v, literal_text(m));
        bool partner = !(begins_it || ends_it) ||
                       !(m->role & SLUICE__D_INNER) != !(m->role & SLUICE__D_SINGLE);
        for (at = whole.p; !partner && (p = next_literal(l->set, whole, &at)); at += p->len)
            partner = !(p->role & SLUICE__D_INNER) && (p->role ^ m->role) & SLUICE__D_CLOSER &&
                      p->role / SLUICE__D_PAIR == m->role / SLUICE__D_PAIR;
        if (!partner)
            return markup_left;
        begun |= begins_it;
        ended |= ends_it;
    }
    return has_cut_edge(l, v, key, begun, ended, sure) ? part_left : NULL;
}

/* Does a raw value contain what is left of a tag of the parameters? */
static bool has_broken_tag(const literals *set, view v, view key, const literals *keys) {
    bool tags = v.p < v.end && memchr(v.p, '>', view_len(v));
    size_t item, count = keys ? keys->count : 0;
    for (size_t i = 0; set && v.p < v.end && i < set->count; i++) {
        unsigned role = set->items[i].role;
        view m = literal_text(&set->items[i]);
        bool inner = role & SLUICE__D_INNER && view_len(m) > LEAST,
             closes = inner && has_start(m, view_of("</", 2)),
             header =
                 inner && tags && !(role & SLUICE__D_CLOSER) && *m.p == '<' && m.end[-1] != '>';
        for (view w = v; closes && (w.p = find(w, first(m, LEAST + 1))); w.p++) {
            const char *p = w.p + 2; /* has it more in it than a name? */
            while (p < v.end && (is_name_byte(*p) || strchr(":-.", *p)))
                p++;
            if ((p == v.end || *p != '>') && literals_at(set, w, true, &item) != YES)
                return true;
        }
        for (size_t k = 0; header && k <= count; k++) /* its own key may be undeclared */
            if (has_header_end(trimmed(v), k < count ? literal_text(&keys->items[k]) : key, m))
                return true;
    }
    return false;
}

bool sluice__has_debris(const sluice__format_literals *l, view v, view key) {
    return remains(l, NULL, v, key, true);
}

const char *const sluice__argument_keys[] = {"arguments", "parameters", "args", "input",
                                             "kwargs",    "params",     NULL};
const char *const sluice__name_keys[] = {"name", "tool", "tool_name", "function", NULL};

static void say(suspect *call, const char *what, view key) { /* what: or NULL */
    if (call->what || !what)
        return;
    call->what = what;
    call->key = key;
}

/* What is in doubt about the value of the member k. */
static void look_at_value(suspect *call, size_t value, view k) {
    const sluice__format_literals *l = call->literals;
    const sluice__doc *doc = call->arguments;
    const sluice__value *v = &doc->values[value];
    size_t inside = value; /* the end of what is nested in it */
    for (size_t i = value; i < v->next; i++) {
        view w = sluice__doc_text(doc, i);
        if (doc->values[i].kind & (SLUICE__ARRAY | SLUICE__OBJECT) && i > value && i >= inside)
            inside = doc->values[i].next;
        if (doc->values[i].kind != SLUICE__STRING)
            continue;
        if (call->raw && i >= inside && !call->what &&
            (i == value || (call->items && v->kind == SLUICE__ARRAY))) {
            const char *why = remains(l, call, w, k, call->sure);
            say(call, why || !has_broken_tag(l->set, w, k, call->keys) ? why : part_left, k);
            call->lost = call->what;
        }
        bool path = !call->raw && i == value &&
                    (has_end(k, view_of("path", 4)) || has_end(k, view_of("Path", 4)));
        for (; path && w.p < w.end; w.p++)
            if (*w.p >= '\b' && *w.p <= '\r') /* C:\new has become it */
                say(call, "a backslash of a path may be lost in the value of: ", k);
    }
}

void sluice__doubt_call(sluice_stream *s, const sluice__doc *doc, const literals *declared) {
    const sluice__format_literals *l = &s->program->literals;
    sluice__format_literals in_values = *l;
    if (s->set.tokens && !s->call->has_tokens) /* a token that is quoted there is text */
        in_values.set = l->plain;
    suspect call = {.literals = &in_values, .keys = declared, .arguments = doc};
    call.sure = s->call->status == SLUICE_COMPLETE;
    call.raw = l->raw && !s->call->sealed && !(s->call->json_at && !s->call->reader.own_quote);
    call.items = s->program->repeated_is_array;
    const view name = out_view(&s->call->called);
    size_t keys = 0, arguments = 0, names = 0;
    bool object = false, other_call = false, shell = false;
    bool declares = declared && *declared->items[0].text;
    if (!s->call->tool && has_debris(l, name))
        say(&call, "markup is left in the name: ", name);
    if (s->call->header.has_id && has_debris(l, out_view(&s->call->id)))
        say(&call, "markup is left in the id: ", out_view(&s->call->id));
    for (size_t key = 1, next; key < doc->count; key = next, keys++) {
        const sluice__value *v = &doc->values[key + 1];
        view k = sluice__doc_text(doc, key), text = sluice__doc_text(doc, key + 1);
        bool known = is_literal(declared, k), name_key = !known && is_one_of(sluice__name_keys, k);
        next = v->next;
        arguments += !known && is_one_of(sluice__argument_keys, k);
        names += name_key;
        object |= v->kind == SLUICE__OBJECT || (view_len(text) > 1 && *text.p == '{');
        if (s->call->torn == TORN && !call.raw && v->kind == SLUICE__STRING && view_len(text) &&
            (strchr(":,}]", *text.p) || strchr(":,}]", text.end[-1])))
            say(&call, "a bracket is missing, and perhaps inside of: ", k);
        if (!known && (has_debris(l, k) || (l->raw && declares && has_any(k, "(){}[]\"'`,=|")) ||
                       (hides_key(&call, k) && has_any(k, "(){}[]\"'`,=|<>:*/\\"))))
            say(&call, "markup is left in a key: ", k);
        else if (!known && declares && s->call->torn)
            say(&call, "the call is damaged, and its tool does not declare: ", k);
        unsigned inside = 0;
        bool odd = v->kind == SLUICE__OBJECT && !(known && call.sure); /* a brace may be missing */
        sluice__types types;
        if (odd && call.sure && s->scripts->types(s, 0, k, false, NULL, &types) == 0)
            odd = !types.declared || types.mask == SLUICE__ANY_TYPE;
        for (size_t i = key + 2; odd && i < next; i = doc->values[i + 1].next) {
            view w = sluice__doc_text(doc, i);
            shell |= is_literal(declared, w) && (!sluice__doc_member(doc, 0, w) ||
                                                 (s->call->torn == TORN && equal_views(w, k)));
            inside |= is_one_of(sluice__name_keys, w) + 2u * is_one_of(sluice__argument_keys, w);
        }
        other_call |= inside == 3 || (name_key && l->raw && equal_views(text, name));
        look_at_value(&call, key + 1, k);
    }
    if (s->call->torn == EXTRA_BRACE && (s->call->beside || (!keys && !s->call->object_given)))
        say(&call, "a brace is too many; arguments may be lost: ", name);
    else if ((arguments == 1 && object && keys == arguments + names && (declared || names)) ||
             (declares && (other_call || (arguments && object && (names || !call.sure)))))
        say(&call, "another call may be among the arguments: ", name);
    else if (shell)
        say(&call, "parameters are inside another one: ", name);
    lose_calls(s, call.lost);
    s->call->doubtful = call.what;
    if (!call.what)
        return;
    sluice__lower(s, SLUICE_INCOMPLETE);
    sluice__report_key(s, "bad_arguments", call.what, call.key, "");
}
