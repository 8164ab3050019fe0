/* Precomputes properties of a node's keywords, which checks need repeatedly. */
#include "inside.h"

static name name_of(const sluice__doc *doc, size_t value) {
    name n = {.text = sluice__doc_text(doc, value),
              .len = doc->values[value].len,
              .schema = (uint32_t)value + 1};
    char head[sizeof n.head] = {0}, mask[sizeof n.mask] = {0};
    size_t len = n.len < sizeof head ? n.len : sizeof head;
    memcpy(head, n.text, len);
    if (len < sizeof head)
        head[len++] = '"';
    memset(mask, 0xFF, len);
    memcpy(&n.head, head, sizeof head);
    memcpy(&n.mask, mask, sizeof mask);
    return n;
}

/* Lists the names in an object, or the strings in an array, if possible; see names.all. */
static bool list_names(const sluice_allocator *a, sluice__schema *s, size_t of, names *list) {
    const sluice__doc *doc = &s->doc;
    const sluice__value *values = doc->values;
    bool is_map = values[of].kind == SLUICE__V_OBJECT;
    size_t first = s->name_count, last = first;
    if (!of || values[of].len > NAMES_MOST)
        return true;
    if (!sluice__array_grow(a, (void **)&s->names, &s->name_cap, first + values[of].len,
                            sizeof *s->names))
        return false;
    for (size_t k = of + 1; k < values[of].next; k = values[is_map ? k + 1 : k].next) {
        if (values[k].kind != SLUICE__V_STRING)
            continue;
        name n = name_of(doc, k);
        if ((is_map && sluice__doc_member(doc, of, n.text, n.len) != k + 1) ||
            memchr(n.text, '"', n.len) || memchr(n.text, '\\', n.len))
            return true;
        n.number = (uint32_t)(last - first);
        s->names[last++] = n;
    }
    *list = (names){(uint32_t)first, (uint32_t)(last - first), values[of].len, true};
    s->name_count = last;
    return true;
}

/* True if all required members are listed properties. Records them. */
static bool list_required(const sluice__schema *s, node *n) {
    const sluice__doc *doc = &s->doc;
    size_t list = n->words[W_REQUIRED];
    uint32_t next = 0;
    for (size_t i = list + 1; list && i < doc->values[list].next; i = doc->values[i].next) {
        if (doc->values[i].kind != SLUICE__V_STRING)
            continue;
        if (!sluice__property(s, n, sluice__doc_text(doc, i), doc->values[i].len, &next))
            return false;
        n->required |= UINT64_C(1) << (next - 1);
    }
    return true;
}

static int64_t rounded(double value, bool up) {
    const int64_t most = 1000000000000000000; /* ten times it fits 64 bits */
    if (value >= (double)most || value <= (double)-most)
        return value > 0 ? most : -most;
    int64_t n = (int64_t)value;
    return up ? n + ((double)n < value) : n - ((double)n > value);
}

static bounds count_bounds(const sluice__doc *doc, size_t least, size_t most) {
    return (bounds){least ? rounded(sluice__doc_number(doc, least).value, true) : 0,
                    most ? rounded(sluice__doc_number(doc, most).value, false) : INT64_MAX};
}

static void count_digits(node *n) {
    int64_t from = 0, to = 1; /* whole parts with i digits are within these */
    for (int i = 0; i < 18; i++) {
        if (from >= n->numbers.least && to <= n->numbers.most)
            n->digits[0] |= UINT32_C(1) << i;
        if (-to >= n->numbers.least && -from <= n->numbers.most)
            n->digits[1] |= UINT32_C(1) << i;
        from = to;
        to *= 10;
    }
}

/* Computes the whole numbers within a node's bounds; false if a bound has too many digits. */
static bool number_bounds(const sluice__doc *doc, node *n) {
    static const struct {
        uint8_t word;
        bool is_least, itself;
    } words[] = {{W_MINIMUM, true, true},
                 {W_EXCLUSIVE_MINIMUM, true, false},
                 {W_MAXIMUM, false, true},
                 {W_EXCLUSIVE_MAXIMUM, false, false}};
    enum { DIGITS = 15 }; /* that a double represents exactly */
    n->numbers = (bounds){INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        if (!n->words[words[i].word])
            continue;
        sluice__number limit = sluice__doc_number(doc, n->words[words[i].word]);
        if (limit.count > DIGITS || limit.scale > DIGITS || limit.scale < -DIGITS)
            return false;
        int64_t to = rounded(limit.value, words[i].is_least);
        bool itself = words[i].itself || !sluice__number_is_whole(&limit);
        if (words[i].is_least && to + !itself > n->numbers.least)
            n->numbers.least = to + !itself;
        else if (!words[i].is_least && to - !itself < n->numbers.most)
            n->numbers.most = to - !itself;
    }
    count_digits(n);
    return true;
}

#define BIT(word) (UINT64_C(1) << (word))
#define KIND(kind) (1u << SLUICE__V_##kind)

bool sluice__sum_up(const sluice_allocator *a, sluice__schema *s, node *n) {
    static const uint64_t of_text = BIT(W_ENUM) | BIT(W_CONST) | BIT(W_MIN_LENGTH) |
                                    BIT(W_MAX_LENGTH) | BIT(W_PATTERN) | BIT(W_UNIQUE_ITEMS),
                          of_members = BIT(W_PATTERN_PROPERTIES) | BIT(W_PROPERTY_NAMES) |
                                       BIT(W_DEPENDENT_REQUIRED) | BIT(W_DEPENDENT_SCHEMAS),
                          others = BIT(W_ALL_OF) | BIT(W_ANY_OF) | BIT(W_ONE_OF) | BIT(W_NOT) |
                                   BIT(W_IF);
    const sluice__doc *doc = &s->doc;
    const uint32_t *w = n->words;
    uint64_t has = 0;
    for (size_t i = 0; i < WORD_COUNT; i++)
        has |= (uint64_t)(w[i] != 0) << i;
    n->simple = !(has & ~BIT(W_TYPE));
    n->of_text = has & of_text;
    n->plain = !(has & of_members);
    n->combined = has & others;
    n->characters = count_bounds(doc, w[W_MIN_LENGTH], w[W_MAX_LENGTH]);
    n->items = count_bounds(doc, w[W_MIN_ITEMS], w[W_MAX_ITEMS]);
    n->members = count_bounds(doc, w[W_MIN_PROPERTIES], w[W_MAX_PROPERTIES]);
    if (!list_names(a, s, w[W_PROPERTIES], &n->properties) ||
        !list_names(a, s, w[W_ENUM], &n->choices))
        return false;
    n->stands_for = has == BIT(W_REF)      ? W_REF
                    : has == BIT(W_ANY_OF) ? W_ANY_OF
                    : has == BIT(W_ONE_OF) ? W_ONE_OF
                                           : WORD_COUNT;
    unsigned alone = 0, kinds = n->kinds | (w[W_NULLABLE] ? KIND(NULL) : 0);
    if (has & (others | BIT(W_REF) | BIT(W_CONST)))
        alone = 0xFF;
    if (w[W_ENUM])
        alone |= n->choices.all ? 0xFF & ~KIND(STRING) : 0xFF;
    if (w[W_MULTIPLE_OF] || !number_bounds(doc, n))
        alone |= KIND(NUMBER);
    if (w[W_ENUM] && has & (BIT(W_PATTERN) | BIT(W_MIN_LENGTH) | BIT(W_MAX_LENGTH)))
        alone |= KIND(STRING);
    if (w[W_UNIQUE_ITEMS] || w[W_CONTAINS])
        alone |= KIND(ARRAY);
    if (!n->plain || (w[W_PROPERTIES] && !n->properties.all) || !list_required(s, n))
        alone |= KIND(OBJECT);
    n->in_place = (uint8_t)(kinds & ~alone);
    if (!(has & ~(BIT(W_TYPE) | BIT(W_NULLABLE)))) {
        n->by_kind = (uint8_t)kinds;
        n->by_kind_whole = n->whole;
    }
    return true;
}

/* Replaces alternatives that each restrict only kinds by the union of these kinds. */
static void join_kinds(const sluice__schema *s, node *n) {
    const sluice__value *values = s->doc.values;
    size_t list = n->words[n->stands_for];
    unsigned kinds = 0;
    bool whole = true, one = n->stands_for == W_ONE_OF;
    if (values[list].len > ALTERNATIVES_MOST)
        return;
    for (size_t i = list + 1; i < values[list].next; i = values[i].next) {
        const node *of = sluice__node_of(s, i);
        if (!of || !of->by_kind || of->stands_for != WORD_COUNT || (one && kinds & of->by_kind))
            return;
        kinds |= of->by_kind;
        whole = whole && (of->by_kind_whole || !(of->by_kind & KIND(NUMBER)));
    }
    n->by_kind = (uint8_t)kinds;
    n->by_kind_whole = whole && kinds & KIND(NUMBER);
}

void sluice__sum_up_all(sluice__schema *s) {
    for (size_t i = 0; i < s->count; i++)
        if (s->nodes[i].stands_for == W_ANY_OF || s->nodes[i].stands_for == W_ONE_OF)
            join_kinds(s, &s->nodes[i]);
    for (size_t i = 0; i < s->name_count; i++)
        s->names[i].node = sluice__node_of(s, s->names[i].schema);
}
