/* Compiles a schema's text. */
#include "inside.h"

enum { STATES_MOST = 200000, NAMED_MOST = 1000, STEPS_MOST = 10000000 };

enum form {
    ANYTHING,
    NUMBER,
    LIMIT, /* a number or, in draft 4, a boolean */
    FLAG,
    TYPES,
    LIST,
    NAMES,
    SCHEMA,
    SCHEMAS,
    SCHEMA_MAP,
    DEPENDENTS, /* a map of schemas or lists of names */
    EXPRESSION,
    EXPRESSIONS, /* a map from patterns to schemas */
    REFERENCE,
    UNSUPPORTED
};

/* The kinds of values that each form allows; 0: any. */
static const uint8_t kinds_of[] = {[NUMBER] = SLUICE__NUMBER,
                                   [LIMIT] = SLUICE__NUMBER | SLUICE__BOOLEAN,
                                   [FLAG] = SLUICE__BOOLEAN,
                                   [TYPES] = SLUICE__STRING | SLUICE__ARRAY,
                                   [LIST] = SLUICE__ARRAY,
                                   [NAMES] = SLUICE__ARRAY,
                                   [SCHEMAS] = SLUICE__ARRAY,
                                   [SCHEMA_MAP] = SLUICE__OBJECT,
                                   [DEPENDENTS] = SLUICE__OBJECT,
                                   [EXPRESSION] = SLUICE__STRING,
                                   [EXPRESSIONS] = SLUICE__OBJECT,
                                   [REFERENCE] = SLUICE__STRING,
                                   [UNSUPPORTED] = 0};

#define KEYWORD(word, name, form, kinds) {name, form, kinds},
static const struct {
    const char *name;
    uint8_t form, kinds;
} keywords[] = {SLUICE__KEYWORDS(KEYWORD)};

/* Draft 7's schema of schemas, with ' for each quote and without annotations: tools that take
 * schemas refer to it. */
#define DRAFT_7 "http://json-schema.org/draft-07/schema"
static const char draft_7[] =
    "{'$id':'http://json-schema.org/draft-07/schema#','definitions':{'count':{'type':'integer','mi"
    "nimum':0},'list':{'type':'array','minItems':1,'items':{'$ref':'#'}},'map':{'type':'object','a"
    "dditionalProperties':{'$ref':'#'}},'types':{'enum':['array','boolean','integer','null','numbe"
    "r','object','string']},'names':{'type':'array','items':{'type':'string'},'uniqueItems':true}}"
    ",'type':['object','boolean'],'patternProperties':{'^([$](id|schema|ref|comment)|title|descrip"
    "tion|pattern|format|content(MediaType|Encoding))$':{'type':'string'},'^(readOnly|uniqueItems)"
    "$':{'type':'boolean'},'^(maximum|minimum|exclusiveM(ax|in)imum|multipleOf)$':{'type':'number'"
    "},'^m(ax|in)(Length|Items|Properties)$':{'$ref':'#/definitions/count'},'^(examples|enum)$':{'"
    "type':'array'},'^(contains|propertyNames|if|then|else|not|additional(Items|Properties))$':{'$"
    "ref':'#'},'^(definitions|properties|patternProperties)$':{'$ref':'#/definitions/map'},'^(all|"
    "any|one)Of$':{'$ref':'#/definitions/list'}},'properties':{'multipleOf':{'exclusiveMinimum':0}"
    ",'items':{'anyOf':[{'$ref':'#'},{'$ref':'#/definitions/list'}]},'required':{'$ref':'#/definit"
    "ions/names'},'dependencies':{'type':'object','additionalProperties':{'anyOf':[{'$ref':'#'},{'"
    "$ref':'#/definitions/names'}]}},'type':{'anyOf':[{'$ref':'#/definitions/types'},{'type':'arra"
    "y','items':{'$ref':'#/definitions/types'},'minItems':1,'uniqueItems':true}]}}}";

/* A schema with an $id (or the root), or an anchor in one. */
typedef struct named {
    uint32_t schema, resource; /* `resource`: of an anchor; of a schema with an $id, itself */
    uint32_t at, len;          /* its name, in `names` */
    bool anchor, dynamic;
} named;

typedef struct compiler {
    heap heap;
    sluice__schema *schema;
    out names;
    named *list;
    size_t count, cap, room, steps;
    bool old;      /* before draft 2019-09: nothing beside a $ref counts */
    bool nameless; /* or like that: no name beside a $ref does */
} compiler;

static void *grow(compiler *c, void *items, size_t *cap, size_t need, size_t size) {
    if (!sluice__array_grow(&c->heap.alloc, &items, cap, need, size))
        c->heap.failed = true;
    return items;
}

/* Records that a part of a schema cannot be checked. */
static void tell(compiler *c, size_t schema, size_t part, uint8_t kinds, const char *message) {
    sluice__schema *s = c->schema;
    s->notes = grow(c, s->notes, &s->note_cap, s->note_count + 1, sizeof *s->notes);
    if (c->heap.failed)
        return;
    s->notes[s->note_count++] = (note){(uint32_t)schema, (uint32_t)part, kinds, message};
    if (s->doc.values[schema].kind == SLUICE__OBJECT)
        s->nodes[s->links[schema] - 1].unchecked |= kinds;
}

/* Queues a schema to be compiled, once. */
static void want(compiler *c, size_t value, uint32_t resource) {
    sluice__schema *s = c->schema;
    uint8_t kind = s->doc.values[value].kind;
    if (kind != SLUICE__OBJECT) {
        if (kind != SLUICE__BOOLEAN)
            tell(c, value, value, SLUICE__ANY_TYPE, "is not a schema");
        return;
    }
    if (s->links[value])
        return;
    s->nodes = grow(c, s->nodes, &s->cap, s->count + 1, sizeof *s->nodes);
    if (c->heap.failed)
        return;
    s->nodes[s->count] =
        (node){.at = (uint32_t)value, .resource = resource, .types = SLUICE__ANY_TYPE};
    s->links[value] = (uint32_t)++s->count;
}

/* Compiles a pattern; one that cannot be read keeps the number 0. */
static bool want_pattern(compiler *c, size_t value) {
    sluice__schema *s = c->schema;
    sluice__pattern *pattern;
    if (s->links[value])
        return true;
    s->patterns = grow(c, s->patterns, &s->pattern_cap, s->pattern_count + 1, sizeof pattern);
    if (c->heap.failed)
        return true;
    if (!sluice__pattern_new(&c->heap.alloc, sluice__doc_text(&s->doc, value), &c->room, &pattern))
        c->heap.failed = true;
    if (!pattern)
        return false;
    s->patterns[s->pattern_count] = pattern;
    s->links[value] = (uint32_t)++s->pattern_count;
    return true;
}

/* ---- Names of schemas ------------------------------------------------------------------------ */

/* Appends the URI `ref` (without a fragment), relative to `base`. Dot segments stay, but for a
 * first one. */
static void add_uri(compiler *c, const named *base, view ref) {
    const char *uri, *keep, *end, *p;
    if (has_start(ref, view_text("./")))
        ref.p += 2;
    for (p = ref.p; p < ref.end && *p != ':' && *p != '/';)
        p++;
    if (!sluice__buffer_reserve(&c->heap.alloc, &c->names.b, base->len + view_len(ref) + 1)) {
        c->heap.failed = true;
        return;
    }
    uri = keep = c->names.b.data + base->at;
    end = uri + base->len;
    if (p == ref.end || *p != ':') { /* not absolute */
        const char *colon = base->len ? memchr(uri, ':', base->len) : NULL;
        keep = colon ? colon + 1 : uri;
        if (has_start((view){keep, end}, view_text("//")))
            for (keep += 2; keep < end && *keep != '/';)
                keep++;
        for (p = keep; p < end && (ref.p == ref.end || *ref.p != '/'); p++)
            keep = *p == '/' ? p + 1 : keep;
    }
    put(&c->names, uri, sluice__minus(keep, uri));
    put_view(&c->names, ref);
}

/* Returns the resource's URI. */
static const named *base_of(const compiler *c, uint32_t resource) {
    size_t i = 0;
    while (c->list[i].anchor || c->list[i].schema != resource)
        i++;
    return &c->list[i];
}

/* Returns what has this name, or NULL: the anchor in a resource, or the URI if `anchor` is false.
 * `*more`: the number of others that are dynamic and have it too, anywhere. */
static const named *find(compiler *c, bool anchor, size_t resource, view name, size_t *more) {
    const named *found = NULL;
    *more = 0;
    for (size_t i = 0; i < c->count; i++) {
        const named *n = &c->list[i];
        c->steps++;
        if (n->anchor != anchor || !equal_views(view_of(c->names.b.data + n->at, n->len), name))
            continue;
        if (!found && (!anchor || n->resource == resource))
            found = n;
        else
            *more += n->dynamic;
    }
    return found;
}

static named *add_named(compiler *c, size_t at, uint32_t resource, bool anchor) {
    c->list = grow(c, c->list, &c->cap, c->count + 1, sizeof *c->list);
    if (c->count == NAMED_MOST)
        tell(c, at, at, SLUICE__ANY_TYPE, "is beyond the most identifiers that are read");
    if (c->heap.failed || c->count == NAMED_MOST)
        return NULL;
    named *n = &c->list[c->count++];
    *n = (named){(uint32_t)at, resource, (uint32_t)c->names.b.len, 0, anchor, false};
    return n;
}

/* Returns the value of a member, if it is of this kind; or 0. */
static size_t member(const compiler *c, size_t of, const char *key, uint8_t kind) {
    const sluice__doc *doc = &c->schema->doc;
    size_t found = sluice__doc_member(doc, of, view_text(key));
    return doc->values[found].kind & kind ? found : 0;
}

/* Records the names of a schema. */
static void take_names(compiler *c, node *of) {
    static const char *const keys[] = {"$id", "$anchor", "$dynamicAnchor"};
    for (size_t i = 0; i < 3 && !c->heap.failed; i++) {
        size_t value = member(c, of->at, keys[i], SLUICE__STRING);
        if (!value)
            continue;
        view text = sluice__doc_text(&c->schema->doc, value);
        const char *hash = view_len(text) ? memchr(text.p, '#', view_len(text)) : NULL;
        bool anchor = i || hash == text.p; /* an $id that is an anchor: draft 7 */
        text.p += anchor && !i;
        named *n = of->at || anchor ? add_named(c, of->at, of->resource, anchor) : c->list;
        if (!n)
            return;
        size_t from = c->names.b.len;
        if (anchor)
            put_view(&c->names, text);
        else
            add_uri(c, base_of(c, of->resource), (view){text.p, hash ? hash : text.end});
        n->at = (uint32_t)from;
        n->len = (uint32_t)(c->names.b.len - from);
        n->dynamic = i == 2;
        if (!anchor)
            of->resource = n->resource = (uint32_t)of->at;
    }
}

/* ---- References ------------------------------------------------------------------------------ */

/* Decodes %XX in place. */
static void decode_percent(view *v) {
    char *to = (char *)v->p;
    for (const char *p = v->p; p < v->end; p++) {
        bool coded = *p == '%' && v->end - p > 2 && hex_of(p[1]) >= 0 && hex_of(p[2]) >= 0;
        *to++ = coded ? (char)(hex_of(p[1]) << 4 | hex_of(p[2])) : *p;
        p += coded ? 2 : 0;
    }
    v->end = to;
}

/* Returns the item or member that a token of a JSON Pointer names (it is decoded in place);
 * SIZE_MAX if there is none. */
static size_t step_down(compiler *c, size_t at, view token) {
    const sluice__doc *doc = &c->schema->doc;
    char *to = (char *)token.p;
    size_t index = 0, len = doc->values[at].len;
    c->steps += len;
    for (const char *p = token.p; p < token.end; p++) {
        bool coded = *p == '~' && p + 1 < token.end && (p[1] == '0' || p[1] == '1');
        p += coded;
        *to++ = !coded ? *p : *p == '1' ? '/' : '~';
    }
    token.end = to;
    if (doc->values[at].kind != SLUICE__ARRAY) {
        size_t found = sluice__doc_member(doc, at, token);
        return found ? found : SIZE_MAX;
    }
    for (const char *p = token.p; p < token.end; p++)
        index = is_digit(*p) && index < len ? index * 10 + (size_t)(*p - '0') : SIZE_MAX;
    if (index >= len || token.p == token.end)
        return SIZE_MAX;
    for (at++; index; index--)
        at = doc->values[at].next;
    return at;
}

/* Finds the schema that a reference names, and queues it; else records that it is not checked. */
static void resolve(compiler *c, size_t number, size_t ref, bool dynamic) {
    sluice__schema *s = c->schema;
    const char *why = "leads nowhere in this schema";
    view text = sluice__doc_text(&s->doc, ref);
    size_t before = c->names.b.len, more = 0, target = s->nodes[number].resource;
    const char *hash = view_len(text) ? memchr(text.p, '#', view_len(text)) : NULL;
    view uri = {text.p, hash ? hash : text.end};
    if (view_len(uri)) {
        add_uri(c, base_of(c, (uint32_t)target), uri);
        if (c->heap.failed)
            return;
        const named *n =
            find(c, false, 0, view_of(c->names.b.data + before, c->names.b.len - before), &more);
        target = n ? n->schema : SIZE_MAX;
    }
    uint32_t resource = (uint32_t)target;
    size_t from = c->names.b.len; /* the fragment is decoded there */
    put(&c->names, hash ? hash + 1 : "", hash ? sluice__minus(text.end, hash) - 1 : 0);
    if (c->heap.failed)
        return;
    view fragment = view_of(c->names.b.data + from, c->names.b.len - from);
    decode_percent(&fragment);
    if (view_len(fragment) && *fragment.p != '/' && target != SIZE_MAX) {
        const named *anchor = find(c, true, target, fragment, &more);
        target = anchor ? anchor->schema : SIZE_MAX;
        if (anchor && dynamic && anchor->dynamic && more) {
            target = SIZE_MAX;
            why = "has several targets, which is not supported";
        }
    } else {
        while (fragment.p < fragment.end && target != SIZE_MAX) {
            const char *start = ++fragment.p;
            while (fragment.p < fragment.end && *fragment.p != '/')
                fragment.p++;
            target = step_down(c, target, (view){start, fragment.p});
        }
    }
    c->names.b.len = before;
    if (target == SIZE_MAX || c->steps > STEPS_MOST) {
        why = c->steps > STEPS_MOST ? "was not resolved: that would take too long" : why;
        tell(c, s->nodes[number].at, ref, SLUICE__ANY_TYPE, why);
        return;
    }
    s->links[ref] = (uint32_t)target + 1;
    want(c, target, resource);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* Notes an item of a list that is not a string. */
static void want_names(compiler *c, size_t at, size_t list, uint8_t kinds) {
    const sluice__value *values = c->schema->doc.values;
    for (size_t i = list + 1; i < values[list].next; i = values[i].next)
        if (values[i].kind != SLUICE__STRING) {
            tell(c, at, list, kinds, "has an item that is not a string");
            return;
        }
}

/* Queues the schemas and compiles the patterns in a map. */
static void want_map(compiler *c, size_t at, size_t map, enum form form, uint8_t kinds,
                     uint32_t resource) {
    const sluice__value *values = c->schema->doc.values;
    for (size_t k = map + 1; k < values[map].next; k = values[k + 1].next) {
        if (form == EXPRESSIONS && !want_pattern(c, k))
            tell(c, at, k, kinds, "has a pattern that cannot be checked");
        if (form == DEPENDENTS && values[k + 1].kind == SLUICE__ARRAY)
            want_names(c, at, k + 1, kinds);
        else
            want(c, k + 1, resource);
    }
}

/* Compiles a keyword's value; if it cannot be checked, records that. */
static void compile_word(compiler *c, size_t number, enum word word, size_t value) {
    sluice__schema *s = c->schema;
    const sluice__value *values = s->doc.values;
    enum form form = keywords[word].form;
    uint32_t at = s->nodes[number].at, resource = s->nodes[number].resource;
    uint8_t kinds = keywords[word].kinds;
    const char *why = kinds_of[form] && !(kinds_of[form] & values[value].kind)
                          ? "has a value of the wrong kind"
                          : NULL;
    size_t unknown = 0;
    if (values[value].kind == SLUICE__NULL && form != TYPES && form != ANYTHING)
        return; /* as if it were absent: serializers write such members */
    if (word == W_REQUIRED && values[value].kind == SLUICE__BOOLEAN) { /* draft 3 */
        why = NULL;
        form = FLAG;
        s->members_require = true;
    } else if (why) {
        form = ANYTHING;
    }
    switch (form) {
    case NUMBER:
        if (word == W_MULTIPLE_OF &&
            sluice__number_of(sluice__doc_text(&s->doc, value)).count > SLUICE__DIVISOR_DIGITS)
            why = "has too many digits to be checked";
        break;
    case FLAG:
        value = sluice__doc_is_false(&s->doc, value) ? 0 : value;
        break;
    case TYPES:
        s->nodes[number].types = sluice__types_named(&s->doc, value, &unknown);
        if (unknown && (s->nodes[number].types == SLUICE__ANY_TYPE ||
                        !member(c, at, "items", SLUICE__ANY_TYPE))) /* list[str] */
            tell(c, at, unknown, kinds, "is an unknown type");
        break;
    case NAMES:
        want_names(c, at, value, kinds);
        break;
    case SCHEMA:
        want(c, value, resource);
        break;
    case SCHEMAS:
        for (size_t i = value + 1; i < values[value].next; i = values[i].next)
            want(c, i, resource);
        break;
    case SCHEMA_MAP:
    case DEPENDENTS:
    case EXPRESSIONS:
        want_map(c, at, value, form, kinds, resource);
        break;
    case EXPRESSION:
        why = want_pattern(c, value) ? NULL : "is a pattern that cannot be checked";
        break;
    case UNSUPPORTED:
        why = "is a keyword that is not supported";
        break;
    default:
        break;
    }
    if (why)
        tell(c, at, value, kinds, why);
    else if (!c->heap.failed)
        s->nodes[number].words[word] = (uint32_t)value;
}

/* Draft 4: true makes the bound beside it exclusive. */
static void take_limit(const sluice__doc *doc, uint32_t *exclusive, uint32_t *bound) {
    if (doc->values[*exclusive].kind != SLUICE__BOOLEAN || !*exclusive)
        return;
    bool is_false = sluice__doc_is_false(doc, *exclusive);
    *exclusive = is_false ? 0 : *bound;
    *bound = is_false ? *bound : 0;
}

static void compile(compiler *c, size_t number) {
    sluice__schema *s = c->schema;
    const sluice__doc *doc = &s->doc;
    node of = s->nodes[number];
    size_t tuple = member(c, of.at, "items", SLUICE__ARRAY); /* before draft 2020-12 */
    size_t ref = member(c, of.at, "$ref", SLUICE__STRING);
    bool alone = c->old && ref;
    if (!ref || !c->nameless)
        take_names(c, &of);
    s->nodes[number] = of;
    for (size_t k = of.at + 1; k < doc->values[of.at].next; k = doc->values[k + 1].next) {
        size_t i = 0;
        while (i < WORD_COUNT && !view_is(sluice__doc_text(doc, k), keywords[i].name))
            i++;
        bool content = i == W_CONTENT_MEDIA_TYPE || i == W_CONTENT_ENCODING; /* later: no check */
        if (i == WORD_COUNT || (i == W_ADDITIONAL_ITEMS && !tuple) || (content && !c->old))
            continue;
        if (alone && i != W_REF && i != W_NULLABLE && keywords[i].kinds)
            tell(c, of.at, k + 1, 0, "is ignored beside $ref, as draft 7 says");
        else
            compile_word(c, number,
                         i == W_ADDITIONAL_ITEMS   ? W_ITEMS
                         : tuple && k + 1 == tuple ? W_PREFIX_ITEMS
                                                   : (enum word)i,
                         k + 1);
    }
    uint32_t *w = s->nodes[number].words;
    take_limit(doc, &w[W_EXCLUSIVE_MAXIMUM], &w[W_MAXIMUM]);
    take_limit(doc, &w[W_EXCLUSIVE_MINIMUM], &w[W_MINIMUM]);
}

/* True if the schema says that it is of a draft before 2019-09. */
static bool is_old(const compiler *c) {
    static const char of_old[] = "http://json-schema.org/draft-0";
    view text = sluice__doc_text(&c->schema->doc, member(c, 0, "$schema", SLUICE__STRING));
    return view_len(text) >= sizeof of_old && memcmp(text.p, of_old, sizeof of_old - 1) == 0;
}

/* Compiles all schemas: references only when the names of all that are known by then are. */
static void compile_all(compiler *c) {
    sluice__schema *s = c->schema;
    size_t compiled = 0, resolved = 0, meta = member(c, 0, DRAFT_7, SLUICE__OBJECT);
    c->old = is_old(c);
    c->nameless = c->old || (member(c, 0, "definitions", SLUICE__OBJECT) &&
                             !member(c, 0, "$schema", SLUICE__STRING));
    add_named(c, 0, 0, false);
    want(c, 0, 0);
    if (meta)
        want(c, meta, 0);
    while (resolved < s->count && !c->heap.failed) {
        if (compiled < s->count) {
            compile(c, compiled++);
            continue;
        }
        for (int dynamic = 0; dynamic < 2; dynamic++) {
            size_t ref = s->nodes[resolved].words[dynamic ? W_DYNAMIC_REF : W_REF];
            if (ref && !c->heap.failed)
                resolve(c, resolved, ref, dynamic);
        }
        resolved++;
    }
}

/* ---- The whole schema ------------------------------------------------------------------------ */

/* True if a schema's text has a reference to draft 7's schema. */
static bool refers_to_draft_7(const char *text) {
    for (const char *p = strstr(text, DRAFT_7); p; p = strstr(p + 1, DRAFT_7)) {
        const char *key = p;
        while (key > text && strchr(" \t\r\n:\"", key[-1]))
            key--;
        if (key - text >= 4 && memcmp(key - 4, "$ref", 4) == 0)
            return true;
    }
    return false;
}

/* Copies the schema's text, with draft 7's schema as a last member if it refers to that. */
static bool copy_text(const sluice_allocator *a, const char *json, size_t len,
                      sluice__buffer *out) {
    while (len && strchr(" \t\r\n", json[len - 1]))
        len--;
    if (!sluice__buffer_set(a, out, json, len))
        return false;
    if (!len || json[len - 1] != '}' || !refers_to_draft_7(out->data))
        return true;
    out->len--;
    size_t from = out->len;
    static const char key[] = ",'" DRAFT_7 "':";
    if (!sluice__buffer_add(a, out, key, sizeof key - 1) ||
        !sluice__buffer_add(a, out, draft_7, strlen(draft_7)) ||
        !sluice__buffer_add(a, out, "}", 2))
        return false;
    out->len--; /* the NUL */
    for (; from < out->len; from++)
        out->data[from] = out->data[from] == '\'' ? '"' : out->data[from];
    return true;
}

bool sluice__schema_new(const sluice_allocator *a, const char *json, size_t len,
                        sluice__schema **out) {
    *out = NULL;
    sluice__schema *s = sluice__zeroed(a, sizeof *s);
    if (!s || !copy_text(a, json, len, &s->text)) {
        sluice__schema_free(a, s);
        return false;
    }
    compiler c = {.heap = {*a, false}, .schema = s, .room = STATES_MOST};
    c.names.heap = &c.heap;
    sluice__doc_result how = sluice__doc_read(a, &s->doc, s->text.data, s->text.len);
    c.heap.failed = how == SLUICE__DOC_NOMEM;
    if (how == SLUICE__DOC_OK) {
        s->links = sluice__zeroed(a, s->doc.count * sizeof *s->links);
        c.heap.failed = !s->links;
        if (s->links)
            compile_all(&c);
    }
    if (how == SLUICE__DOC_LARGE) {
        sluice__schema_free(a, s);
        bool good = sluice__schema_new(a, "0", 1, out);
        if (*out)
            (*out)->notes[0].message = "is too large to be checked";
        return good;
    }
    if (c.list)
        sluice__realloc(a, c.list, c.cap * sizeof *c.list, 0);
    sluice__buffer_release(a, &c.names.b);
    if (how == SLUICE__DOC_OK && !c.heap.failed) {
        *out = s;
    } else {
        sluice__schema_free(a, s);
    }
    return !c.heap.failed;
}

void sluice__schema_free(const sluice_allocator *a, sluice__schema *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->pattern_count; i++)
        sluice__pattern_free(a, s->patterns[i]);
    if (s->patterns)
        sluice__realloc(a, s->patterns, s->pattern_cap * sizeof *s->patterns, 0);
    if (s->nodes)
        sluice__realloc(a, s->nodes, s->cap * sizeof *s->nodes, 0);
    if (s->notes)
        sluice__realloc(a, s->notes, s->note_cap * sizeof *s->notes, 0);
    if (s->links)
        sluice__realloc(a, s->links, s->doc.count * sizeof *s->links, 0);
    sluice__buffer_release(a, &s->text);
    sluice__doc_release(a, &s->doc);
    sluice__realloc(a, s, sizeof *s, 0);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

bool sluice__schema_note(const sluice_allocator *a, const sluice__schema *s, size_t i,
                         sluice__buffer *pointer, const char **message) {
    heap heap = {*a, false};
    out o = {*pointer, &heap};
    *message = i < s->note_count ? s->notes[i].message : NULL;
    if (*message)
        sluice__doc_pointer(&s->doc, s->notes[i].part, &o);
    *pointer = o.b;
    return !heap.failed;
}
