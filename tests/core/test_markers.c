/* Sets of literals compared with a plain reference: any set, any text. */
#include "check.h"

#include "marker.h"

#include <stdlib.h>

static sluice_allocator memory;

static unsigned dice(unsigned *seed, unsigned n) {
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % n;
}

/* Returns what the set must find at p, by trying every literal. */
static match plain_at(const sluice__literal *items, size_t count, const char *p, size_t n, bool end,
                      size_t *item) {
    size_t best = count;
    bool open = !n && !end;
    for (size_t i = 0; i < count && n; i++) {
        if (items[i].len <= n && memcmp(items[i].text, p, items[i].len) == 0 &&
            (best == count || items[i].len > items[best].len))
            best = i;
        if (items[i].len > n && !end && memcmp(items[i].text, p, n) == 0)
            open = true;
    }
    if (open)
        return CUT;
    *item = best;
    return best == count ? NO : YES;
}

static match plain_find(const sluice__literal *items, size_t count, const char *p, size_t n,
                        bool end, size_t *at, size_t *item) {
    for (*at = 0; *at < n; ++*at) {
        match m = plain_at(items, count, p + *at, n - *at, end, item);
        if (m == CUT || (m == YES && !items[*item].quiet))
            return m;
    }
    return NO;
}

/* Makes a text with many beginnings of literals. */
static size_t make_text(char *text, size_t most, const sluice__literal *items, size_t count,
                        const char *alphabet, unsigned *seed) {
    size_t n = 0, want = dice(seed, (unsigned)most);
    unsigned calm = dice(seed, 4) * 40;
    while (n < want) {
        for (unsigned k = dice(seed, calm + 2); k-- && n < want;)
            text[n++] = alphabet[dice(seed, (unsigned)strlen(alphabet))];
        if (!count || n >= want)
            continue;
        const sluice__literal *m = &items[dice(seed, (unsigned)count)];
        size_t k = 1 + dice(seed, (unsigned)m->len);
        memcpy(text + n, m->text, k < want - n ? k : want - n);
        n += k < want - n ? k : want - n;
    }
    return n;
}

static void check_text(literals *set, const sluice__literal *items, size_t count, const char *p,
                       size_t n, bool end) {
    const char *at;
    size_t item = 0, want_at, want_item = 0;
    match want = plain_find(items, count, p, n, end, &want_at, &want_item);
    view v = view_of(p, n);
    match m = sluice__literals_find(set, v, end, &at, &item);
    CHECK(m == want && at == p + want_at && (m != YES || item == want_item));
    m = literals_at(set, v, end, &item);
    want = plain_at(items, count, p, n, end, &want_item);
    CHECK(m == want && (m != YES || item == want_item));
    CHECK(literals_begin(set, v) == (plain_at(items, count, p, n, false, &item) == CUT));
}

static void any_set_in_any_text(void) {
    static const char *const alphabets[] = {"<tool>|", "ab", "<[{|\xE2\x9C\x82\xF0\x9F\x9B\xA0 \n",
                                            "abcdefghijklmnopqrstuvwxyz<>/=\" "};
    unsigned seed = 1;
    for (int round = 0; round < 30000; round++) {
        enum { MOST = 400 };
        char pool[14 * MOST], text[300];
        sluice__literal items[MOST];
        const char *alphabet = alphabets[dice(&seed, 4)];
        size_t count = dice(&seed, round % 5 ? 8 : round % 100 ? 41 : MOST), used = 0;
        unsigned longest = round % 7 ? 6 : 14;
        bool quiet = round % 4 == 1; /* some of them; the text is complete then */
        for (size_t i = 0; i < count; i++) {
            size_t len = 1 + dice(&seed, longest), copied = 0;
            if (i && dice(&seed, 3) == 0) { /* begins like another one */
                const sluice__literal *m = &items[dice(&seed, (unsigned)i)];
                copied = m->len < len ? m->len : len;
                memcpy(pool + used, m->text, copied);
            }
            for (size_t k = copied; k < len; k++)
                pool[used + k] = alphabet[dice(&seed, (unsigned)strlen(alphabet))];
            items[i] = (sluice__literal){pool + used, len, (unsigned)i, quiet && dice(&seed, 2)};
            used += len;
        }
        literals *set = sluice__literals_new(&memory, items, count);
        CHECK(set && set->count == count);
        for (size_t i = 0; i < count; i++)
            CHECK(set->items[i].role == i && set->items[i].len == items[i].len &&
                  memcmp(set->items[i].text, items[i].text, items[i].len) == 0);
        size_t n = make_text(text, sizeof text - 1, items, count, alphabet, &seed);
        size_t cut = n ? dice(&seed, (unsigned)n) : 0;
        char *exact = malloc(n - cut + 1); /* no byte after the text */
        exact = realloc(exact, n - cut ? n - cut : 1);
        memcpy(exact, text + cut, n - cut);
        check_text(set, items, count, exact, n - cut, round & 1);
        free(exact);
        sluice__realloc(&memory, set, set->size, 0);
    }
}

/* Checks the largest possible set, with every first byte. */
static void large_set(void) {
    enum { COUNT = LITERALS_MAX };
    char(*pool)[5] = malloc(sizeof *pool * COUNT);
    sluice__literal *items = malloc(sizeof *items * COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        pool[i][0] = (char)(i % 256);
        pool[i][1] = (char)(i / 256 % 251);
        pool[i][2] = (char)(i % 7);
        memcpy(pool[i] + 3, "!?", 2);
        items[i] = (sluice__literal){pool[i], 3 + i % 3, 0, false};
    }
    literals *set = sluice__literals_new(&memory, items, COUNT);
    CHECK(set);
    for (size_t i = 0; i < COUNT; i++) {
        size_t item = COUNT;
        match m = literals_at(set, view_of(pool[i], items[i].len), true, &item);
        CHECK(m == YES && items[item].len == items[i].len &&
              memcmp(items[item].text, items[i].text, items[i].len) == 0);
    }
    sluice__realloc(&memory, set, set->size, 0);
    free(items);
    free(pool);
}

int main(void) {
    memory = sluice__libc_allocator();
    any_set_in_any_text();
    large_set();
    return report("markers");
}
