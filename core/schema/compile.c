/* Compiles a schema's text. */
#include "inside.h"

enum { STATES_MOST = 200000, NAMED_MOST = 1000, STEPS_MOST = 10000000 };

enum form {
    NUMBER,
    LIMIT, /* a number or, in draft 4, a boolean */
    BOOLEAN,
    ANYTHING,
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

#define KEYWORD(word, name, form, kinds) {name, sizeof name - 1, form, kinds},
static const struct keyword {
    const char *name;
    uint8_t len, form, kinds;
} keywords[] = {SLUICE__KEYWORDS(KEYWORD)};

const node sluice__not_a_schema = {.kinds = ANY_KIND, .unchecked = ANY_KIND};

/* Draft 7's schema of schemas, with ' for each quote and without annotations: tools that take
 * schemas refer to it. */
#define DRAFT_7 "http://json-schema.org/draft-07/schema"
static const char draft_7[] =
    "{'$id':'http://json-schema.org/draft-07/schema#','definitions':{'schemaArray':{'type':'array'"
    ",'minItems':1,'items':{'$ref':'#'}},'nonNegativeInteger':{'type':'integer','minimum':0},'nonN"
    "egativeIntegerDefault0':{'allOf':[{'$ref':'#/definitions/nonNegativeInteger'},{}]},'simpleTyp"
    "es':{'enum':['array','boolean','integer','null','number','object','string']},'stringArray':{'"
    "type':'array','items':{'type':'string'},'uniqueItems':true}},'type':['object','boolean'],'pro"
    "perties':{'$id':{'type':'string'},'$schema':{'type':'string'},'$ref':{'type':'string'},'$comm"
    "ent':{'type':'string'},'title':{'type':'string'},'description':{'type':'string'},'readOnly':{"
    "'type':'boolean'},'examples':{'type':'array','items':true},'multipleOf':{'type':'number','exc"
    "lusiveMinimum':0},'maximum':{'type':'number'},'exclusiveMaximum':{'type':'number'},'minimum':"
    "{'type':'number'},'exclusiveMinimum':{'type':'number'},'maxLength':{'$ref':'#/definitions/non"
    "NegativeInteger'},'minLength':{'$ref':'#/definitions/nonNegativeIntegerDefault0'},'pattern':{"
    "'type':'string'},'additionalItems':{'$ref':'#'},'items':{'anyOf':[{'$ref':'#'},{'$ref':'#/def"
    "initions/schemaArray'}]},'maxItems':{'$ref':'#/definitions/nonNegativeInteger'},'minItems':{'"
    "$ref':'#/definitions/nonNegativeIntegerDefault0'},'uniqueItems':{'type':'boolean'},'contains'"
    ":{'$ref':'#'},'maxProperties':{'$ref':'#/definitions/nonNegativeInteger'},'minProperties':{'$"
    "ref':'#/definitions/nonNegativeIntegerDefault0'},'required':{'$ref':'#/definitions/stringArra"
    "y'},'additionalProperties':{'$ref':'#'},'definitions':{'type':'object','additionalProperties'"
    ":{'$ref':'#'}},'properties':{'type':'object','additionalProperties':{'$ref':'#'}},'patternPro"
    "perties':{'type':'object','additionalProperties':{'$ref':'#'},'propertyNames':{}},'dependenci"
    "es':{'type':'object','additionalProperties':{'anyOf':[{'$ref':'#'},{'$ref':'#/definitions/str"
    "ingArray'}]}},'propertyNames':{'$ref':'#'},'enum':{'type':'array','items':true},'type':{'anyO"
    "f':[{'$ref':'#/definitions/simpleTypes'},{'type':'array','items':{'$ref':'#/definitions/simpl"
    "eTypes'},'minItems':1,'uniqueItems':true}]},'format':{'type':'string'},'contentMediaType':{'t"
    "ype':'string'},'contentEncoding':{'type':'string'},'if':{'$ref':'#'},'then':{'$ref':'#'},'els"
    "e':{'$ref':'#'},'allOf':{'$ref':'#/definitions/schemaArray'},'anyOf':{'$ref':'#/definitions/s"
    "chemaArray'},'oneOf':{'$ref':'#/definitions/schemaArray'},'not':{'$ref':'#'}}}";

/* A schema with an $id (or the root), or an anchor in one. */
typedef struct named {
    uint32_t schema, resource; /* `resource`: of an anchor; of a schema with an $id, itself */
    uint32_t at, len;          /* its name, in `names` */
    bool anchor, dynamic;
} named;

typedef struct compiler {
    const sluice_allocator *alloc;
    sluice__schema *schema;
    sluice__buffer names;
    named *list;
    size_t count, cap, room, steps;
    bool old; /* before draft 2019-09: nothing beside a $ref counts */
    bool no_memory;
} compiler;

static void *grow(compiler *c, void *items, size_t *cap, size_t need, size_t size) {
    if (!sluice__array_grow(c->alloc, &items, cap, need, size))
        c->no_memory = true;
    return items;
}

/* Records that a part of a schema cannot be checked. */
static void tell(compiler *c, size_t schema, size_t part, uint8_t kinds, const char *message) {
    sluice__schema *s = c->schema;
    s->notes = grow(c, s->notes, &s->note_cap, s->note_count + 1, sizeof *s->notes);
    if (c->no_memory)
        return;
    s->notes[s->note_count++] = (note){(uint32_t)schema, (uint32_t)part, kinds, message};
    if (s->doc.values[schema].kind == SLUICE__V_OBJECT)
        s->nodes[s->links[schema] - 1].unchecked |= kinds;
}

/* Queues a schema to be compiled, once. */
static void want(compiler *c, size_t value, uint32_t resource) {
    sluice__schema *s = c->schema;
    uint8_t kind = s->doc.values[value].kind;
    if (kind != SLUICE__V_OBJECT) {
        if (kind != SLUICE__V_TRUE && kind != SLUICE__V_FALSE)
            tell(c, value, value, ANY_KIND, "is not a schema");
        return;
    }
    if (s->links[value])
        return;
    s->nodes = grow(c, s->nodes, &s->cap, s->count + 1, sizeof *s->nodes);
    if (c->no_memory)
        return;
    s->nodes[s->count] = (node){.at = (uint32_t)value, .resource = resource, .kinds = ANY_KIND};
    s->links[value] = (uint32_t)++s->count;
}

/* Compiles a pattern; one that cannot be read keeps the number 0. */
static bool want_pattern(compiler *c, size_t value) {
    sluice__schema *s = c->schema;
    sluice__pattern *pattern;
    if (s->links[value])
        return true;
    s->patterns = grow(c, s->patterns, &s->pattern_cap, s->pattern_count + 1, sizeof pattern);
    if (c->no_memory)
        return true;
    if (!sluice__pattern_new(c->alloc, sluice__doc_text(&s->doc, value), s->doc.values[value].len,
                             &c->room, &pattern))
        c->no_memory = true;
    if (!pattern)
        return false;
    s->patterns[s->pattern_count] = pattern;
    s->links[value] = (uint32_t)++s->pattern_count;
    return true;
}

/* ---- Names of schemas ------------------------------------------------------------------------ */

/* Appends the URI `ref` (without a fragment), relative to `base`. Dot segments stay, but for a
 * first one. */
static void add_uri(compiler *c, const named *base, const char *ref, size_t len) {
    size_t keep = 0, scheme = 0;
    for (; len > 1 && ref[0] == '.' && ref[1] == '/'; ref += 2)
        len -= 2;
    while (scheme < len && ref[scheme] != ':' && ref[scheme] != '/')
        scheme++;
    if (!sluice__buffer_reserve(c->alloc, &c->names, base->len + len + 1)) {
        c->no_memory = true;
        return;
    }
    const char *uri = c->names.data + base->at;
    if (scheme == len || ref[scheme] != ':') { /* not absolute */
        const char *colon = base->len ? memchr(uri, ':', base->len) : NULL;
        keep = colon ? sluice__minus(colon, uri) + 1 : 0;
        if (len < 2 || ref[0] != '/' || ref[1] != '/') {
            if (base->len - keep > 1 && uri[keep] == '/' && uri[keep + 1] == '/')
                for (keep += 2; keep < base->len && uri[keep] != '/';)
                    keep++;
            for (size_t i = keep; i < base->len && ref[0] != '/'; i++)
                keep = uri[i] == '/' ? i + 1 : keep;
        }
    }
    memcpy(c->names.data + c->names.len, uri, keep);
    memcpy(c->names.data + c->names.len + keep, ref, len);
    c->names.len += keep + len;
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
static const named *find(compiler *c, bool anchor, size_t resource, const char *name, size_t len,
                         size_t *more) {
    const named *found = NULL;
    *more = 0;
    for (size_t i = 0; i < c->count; i++) {
        const named *n = &c->list[i];
        c->steps++;
        if (n->anchor != anchor || n->len != len ||
            (len && memcmp(c->names.data + n->at, name, len) != 0))
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
        tell(c, at, at, ANY_KIND, "has an identifier too many");
    if (c->no_memory || c->count == NAMED_MOST)
        return NULL;
    named *n = &c->list[c->count++];
    *n = (named){(uint32_t)at, resource, (uint32_t)c->names.len, 0, anchor, false};
    return n;
}

/* Records the names of a schema. */
static void take_names(compiler *c, node *of) {
    static const char *const keys[] = {"$id", "$anchor", "$dynamicAnchor"};
    const sluice__doc *doc = &c->schema->doc;
    for (size_t i = 0; i < 3 && !c->no_memory; i++) {
        size_t value = sluice__doc_member(doc, of->at, keys[i], strlen(keys[i]));
        if (!value || doc->values[value].kind != SLUICE__V_STRING)
            continue;
        const char *text = sluice__doc_text(doc, value);
        size_t len = doc->values[value].len;
        const char *hash = len ? memchr(text, '#', len) : NULL;
        bool anchor = i || hash == text; /* an $id that is an anchor: draft 7 */
        if (anchor && !i)
            text++, len--;
        named *n = of->at || anchor ? add_named(c, of->at, of->resource, anchor) : c->list;
        if (!n)
            return;
        size_t from = c->names.len;
        if (anchor)
            c->no_memory |= !sluice__buffer_add(c->alloc, &c->names, text, len);
        else
            add_uri(c, base_of(c, of->resource), text, hash ? sluice__minus(hash, text) : len);
        n->at = (uint32_t)from;
        n->len = (uint32_t)(c->names.len - from);
        n->dynamic = i == 2;
        if (!anchor)
            of->resource = n->resource = (uint32_t)of->at;
    }
}

/* ---- References ------------------------------------------------------------------------------ */

static int hex_value(char c) {
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* Decodes %XX in place; returns the new length. */
static size_t decode_percent(char *p, size_t n) {
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        bool coded =
            p[i] == '%' && n - i > 2 && hex_value(p[i + 1]) >= 0 && hex_value(p[i + 2]) >= 0;
        p[to++] = coded ? (char)(hex_value(p[i + 1]) << 4 | hex_value(p[i + 2])) : p[i];
        i += coded ? 2 : 0;
    }
    return to;
}

/* Returns the item or member that a token of a JSON Pointer names (it is decoded in place);
 * SIZE_MAX if there is none. */
static size_t step_down(compiler *c, size_t at, char *token, size_t n) {
    const sluice__doc *doc = &c->schema->doc;
    size_t len = 0, index = 0;
    for (size_t i = 0; i < n; i++) {
        bool coded = token[i] == '~' && n - i > 1 && (token[i + 1] == '0' || token[i + 1] == '1');
        token[len++] = !coded ? token[i] : token[i + 1] == '1' ? '/' : '~';
        i += coded;
    }
    if (doc->values[at].kind == SLUICE__V_OBJECT) {
        size_t found = sluice__doc_member(doc, at, token, len);
        return found ? found : SIZE_MAX;
    }
    if (doc->values[at].kind != SLUICE__V_ARRAY || !len || len > 9)
        return SIZE_MAX;
    for (size_t i = 0; i < len; i++) {
        if (token[i] < '0' || token[i] > '9')
            return SIZE_MAX;
        index = index * 10 + sluice__minus(token[i], '0');
    }
    c->steps += index;
    if (index >= doc->values[at].len || c->steps > STEPS_MOST)
        return SIZE_MAX;
    for (at++; index; index--)
        at = doc->values[at].next;
    return at;
}

/* Finds the schema that a reference names, and queues it; else records that it is not checked. */
static void resolve(compiler *c, size_t number, size_t ref, bool dynamic) {
    sluice__schema *s = c->schema;
    const char *text = sluice__doc_text(&s->doc, ref), *why = "leads nowhere in this schema";
    size_t len = s->doc.values[ref].len, before = c->names.len, target = s->nodes[number].resource;
    const char *hash = len ? memchr(text, '#', len) : NULL;
    size_t uri_len = hash ? sluice__minus(hash, text) : len, more = 0, from;
    if (uri_len) {
        add_uri(c, base_of(c, s->nodes[number].resource), text, uri_len);
        if (c->no_memory)
            return;
        const named *n = find(c, false, 0, c->names.data + before, c->names.len - before, &more);
        target = n ? n->schema : SIZE_MAX;
    }
    from = c->names.len; /* the fragment is decoded there */
    if (hash && !sluice__buffer_add(c->alloc, &c->names, hash + 1, len - uri_len - 1)) {
        c->no_memory = true;
        return;
    }
    char *p = c->names.data + from;
    size_t n = hash ? decode_percent(p, c->names.len - from) : 0;
    uint32_t resource = (uint32_t)target;
    if (n && p[0] != '/' && target != SIZE_MAX) {
        const named *anchor = find(c, true, target, p, n, &more);
        target = anchor ? anchor->schema : SIZE_MAX;
        if (anchor && dynamic && anchor->dynamic && more) {
            target = SIZE_MAX;
            why = "has several targets, which is not supported";
        }
    } else {
        for (size_t i = 0, start; i < n && target != SIZE_MAX;) {
            for (start = ++i; i < n && p[i] != '/';)
                i++;
            target = step_down(c, target, p + start, i - start);
        }
    }
    c->names.len = before;
    if (target == SIZE_MAX || c->steps > STEPS_MOST) {
        why = c->steps > STEPS_MOST ? "was not resolved: that would take too long" : why;
        tell(c, s->nodes[number].at, ref, ANY_KIND, why);
        return;
    }
    s->links[ref] = (uint32_t)target + 1;
    want(c, target, resource);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static bool are_names(const sluice__doc *doc, size_t list) {
    bool good = doc->values[list].kind == SLUICE__V_ARRAY;
    for (size_t i = list + 1; good && i < doc->values[list].next; i = doc->values[i].next)
        good = doc->values[i].kind == SLUICE__V_STRING;
    return good;
}

/* Queues the schemas and compiles the patterns in a map; false if it is not one. */
static bool want_map(compiler *c, size_t at, size_t map, enum form form, uint8_t kinds,
                     uint32_t resource) {
    const sluice__doc *doc = &c->schema->doc;
    if (doc->values[map].kind != SLUICE__V_OBJECT)
        return false;
    for (size_t k = map + 1; k < doc->values[map].next; k = doc->values[k + 1].next) {
        if (form == EXPRESSIONS && !want_pattern(c, k))
            tell(c, at, k, kinds, "has a pattern that cannot be checked");
        if (form != DEPENDENTS || doc->values[k + 1].kind != SLUICE__V_ARRAY)
            want(c, k + 1, resource);
        else if (!are_names(doc, k + 1))
            tell(c, at, k + 1, kinds, "has an item that is not a string");
    }
    return true;
}

/* Compiles a keyword's value; if it cannot be checked, records that. */
static void compile_word(compiler *c, size_t number, enum word word, size_t value) {
    static const char wrong[] = "has a value of the wrong kind";
    sluice__schema *s = c->schema;
    const sluice__doc *doc = &s->doc;
    const struct keyword *of = &keywords[word];
    uint32_t at = s->nodes[number].at, resource = s->nodes[number].resource;
    uint8_t kind = doc->values[value].kind;
    bool is_boolean = kind == SLUICE__V_TRUE || kind == SLUICE__V_FALSE;
    const char *why = NULL;
    switch ((enum form)of->form) {
    case NUMBER:
        why = kind == SLUICE__V_NUMBER ? NULL : wrong;
        break;
    case LIMIT:
        why = kind == SLUICE__V_NUMBER || is_boolean ? NULL : wrong;
        break;
    case BOOLEAN:
        why = is_boolean ? NULL : wrong;
        value = kind == SLUICE__V_TRUE ? value : 0;
        break;
    case ANYTHING:
        break;
    case TYPES:
        why = kind == SLUICE__V_STRING || kind == SLUICE__V_ARRAY ? NULL : wrong;
        if (!why && !sluice__read_type(doc, value, &s->nodes[number]))
            tell(c, at, value, of->kinds, "has an unknown type");
        break;
    case LIST:
        why = kind == SLUICE__V_ARRAY ? NULL : wrong;
        break;
    case NAMES:
        why = kind == SLUICE__V_ARRAY ? NULL : wrong;
        if (!why && !are_names(doc, value))
            tell(c, at, value, of->kinds, "has an item that is not a string");
        break;
    case SCHEMA:
        want(c, value, resource);
        break;
    case SCHEMAS:
        why = kind == SLUICE__V_ARRAY ? NULL : wrong;
        for (size_t i = value + 1; !why && i < doc->values[value].next; i = doc->values[i].next)
            want(c, i, resource);
        break;
    case SCHEMA_MAP:
    case DEPENDENTS:
    case EXPRESSIONS:
        why = want_map(c, at, value, (enum form)of->form, of->kinds, resource) ? NULL : wrong;
        break;
    case EXPRESSION:
        why = kind != SLUICE__V_STRING  ? wrong
              : !want_pattern(c, value) ? "is a pattern that cannot be checked"
                                        : NULL;
        break;
    case REFERENCE:
        why = kind == SLUICE__V_STRING ? NULL : wrong;
        break;
    case UNSUPPORTED:
        why = "is a keyword that is not supported";
    }
    if (why && !c->no_memory)
        tell(c, at, value, of->kinds, why);
    else if (!c->no_memory)
        s->nodes[number].words[word] = (uint32_t)value;
}

/* Draft 4: true makes the bound beside it exclusive. */
static void take_limit(const sluice__doc *doc, uint32_t *exclusive, uint32_t *bound) {
    if (!*exclusive || doc->values[*exclusive].kind == SLUICE__V_NUMBER)
        return;
    bool is_true = doc->values[*exclusive].kind == SLUICE__V_TRUE;
    *exclusive = is_true ? *bound : 0;
    *bound = is_true ? 0 : *bound;
}

static void compile(compiler *c, size_t number) {
    sluice__schema *s = c->schema;
    const sluice__doc *doc = &s->doc;
    node of = s->nodes[number];
    size_t items = sluice__doc_member(doc, of.at, "items", 5);
    bool tuple = items && doc->values[items].kind == SLUICE__V_ARRAY; /* before draft 2020-12 */
    size_t ref = c->old ? sluice__doc_member(doc, of.at, "$ref", 4) : 0;
    bool alone = ref && doc->values[ref].kind == SLUICE__V_STRING;
    if (!alone)
        take_names(c, &of);
    s->nodes[number] = of;
    for (size_t k = of.at + 1; k < doc->values[of.at].next; k = doc->values[k + 1].next)
        for (size_t i = 0; i < WORD_COUNT; i++) {
            if (!sluice__doc_is(doc, k, keywords[i].name, keywords[i].len))
                continue;
            if (i == W_ADDITIONAL_ITEMS && !tuple)
                break;
            if (alone && i != W_REF && i != W_NULLABLE && keywords[i].kinds) {
                tell(c, of.at, k + 1, 0, "is ignored beside $ref, as draft 7 says");
                break;
            }
            compile_word(c, number,
                         i == W_ADDITIONAL_ITEMS   ? W_ITEMS
                         : tuple && k + 1 == items ? W_PREFIX_ITEMS
                                                   : (enum word)i,
                         k + 1);
            break;
        }
    if (c->no_memory)
        return;
    uint32_t *w = s->nodes[number].words;
    take_limit(doc, &w[W_EXCLUSIVE_MAXIMUM], &w[W_MAXIMUM]);
    take_limit(doc, &w[W_EXCLUSIVE_MINIMUM], &w[W_MINIMUM]);
}

/* True if the schema is of a draft before 2019-09: it says so, or has these drafts' definitions. */
static bool is_old(const sluice__doc *doc) {
    size_t draft = sluice__doc_member(doc, 0, "$schema", 7);
    if (!draft || doc->values[draft].kind != SLUICE__V_STRING)
        return sluice__doc_member(doc, 0, "definitions", 11) &&
               !sluice__doc_member(doc, 0, "$defs", 5);
    static const char of_old[] = "http://json-schema.org/draft-0";
    size_t n = sizeof of_old - 1;
    return doc->values[draft].len > n && memcmp(sluice__doc_text(doc, draft), of_old, n) == 0;
}

/* Compiles all schemas: references only when the names of all that are known by then are. */
static void compile_all(compiler *c) {
    sluice__schema *s = c->schema;
    size_t compiled = 0, resolved = 0;
    size_t meta = sluice__doc_member(&s->doc, 0, DRAFT_7, sizeof DRAFT_7 - 1);
    c->old = is_old(&s->doc);
    add_named(c, 0, 0, false);
    want(c, 0, 0);
    if (meta)
        want(c, meta, 0);
    while (resolved < s->count && !c->no_memory) {
        if (compiled < s->count) {
            compile(c, compiled++);
            continue;
        }
        for (int dynamic = 0; dynamic < 2; dynamic++) {
            size_t ref = s->nodes[resolved].words[dynamic ? W_DYNAMIC_REF : W_REF];
            if (ref && !c->no_memory)
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
    if (!sluice__buffer_text(a, out, ",'" DRAFT_7 "':") || !sluice__buffer_text(a, out, draft_7) ||
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
    compiler c = {.alloc = a, .schema = s, .room = STATES_MOST};
    sluice__doc_result how = sluice__doc_read(a, &s->doc, s->text.data, s->text.len);
    c.no_memory = how == SLUICE__DOC_NOMEM;
    if (how == SLUICE__DOC_OK) {
        s->links = sluice__zeroed(a, s->doc.count * sizeof *s->links);
        c.no_memory = !s->links;
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
    sluice__buffer_release(a, &c.names);
    if (how == SLUICE__DOC_OK && !c.no_memory) {
        sluice__know_types(s);
        *out = s;
    } else {
        sluice__schema_free(a, s);
    }
    return !c.no_memory;
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
    *message = i < s->note_count ? s->notes[i].message : NULL;
    return !*message || sluice__doc_pointer(a, &s->doc, s->notes[i].part, pointer);
}
