/*
 * Any set of literals in any text: what is found is what a loop over all positions finds,
 * however the text comes; of what is not decided no more is held than a literal.
 *
 * Input: how many literals, a seed for the cuts, the literals (a length, then its bytes), the text.
 */
#include "../../core/marker.h"
#include "story.h"

enum { MOST = 40 };

/* The longest literal at p, or `count`. */
static size_t longest_at(const sluice__literal *items, size_t count, const char *p, size_t n) {
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (items[i].len <= n && memcmp(items[i].text, p, items[i].len) == 0 &&
            (best == count || items[i].len > items[best].len))
            best = i;
    return best;
}

/* Every literal of the text, each search beginning behind the last one. */
static void search(const literals *set, const sluice__literal *items, size_t count,
                   const char *text, size_t n, unsigned seed) {
    size_t from = 0, longest = 0, seen = seed ? 0 : n; /* bytes that have come */
    for (size_t i = 0; i < count; i++)
        longest = items[i].len > longest ? items[i].len : longest;
    for (;;) {
        size_t want = from, at, item, wanted = count;
        while (want < n && (wanted = longest_at(items, count, text + want, n - want)) == count)
            want++;
        for (;;) {
            bool end = seen == n;
            char *now = malloc(seen - from + 1); /* no byte behind what has come */
            memcpy(now, text + from, seen - from);
            char *exact = realloc(now, seen > from ? seen - from : 1);
            const char *found;
            match m = sluice__literals_find(set, view_of(exact, seen - from), end, &found, &item);
            at = from + (size_t)(found - exact);
            free(exact);
            if (m == YES) {
                if (at != want || items[item].len != items[wanted].len ||
                    memcmp(items[item].text, items[wanted].text, items[item].len) != 0)
                    fail("another literal was found", "a set");
                break;
            }
            if (at > want || (end && want < n))
                fail("a literal was passed over", "a set");
            if (seen - at >= longest)
                fail("more is held than a literal", "a set");
            if (end)
                return;
            seen += 1 + next_number(&seed) % 7;
            seen = seen > n ? n : seen;
        }
        from = want + items[wanted].len;
        if (seen < from)
            fail("a literal was found before it had come", "a set");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4)
        return 0;
    sluice__literal items[MOST];
    size_t wanted = 1 + data[0] % MOST, count = 0, i = 2;
    for (; count < wanted && i < size; count++) {
        size_t len = 1 + data[i] % 20;
        if (len > size - i - 1)
            break;
        items[count] = (sluice__literal){(const char *)data + i + 1, len, 0, false};
        i += 1 + len;
    }
    if (!count)
        return 0;
    const char *text = (const char *)data + i;
    size_t n = size - i;
    sluice_allocator heap = sluice__libc_allocator();
    literals *set = sluice__literals_new(&heap, items, count);
    if (!set)
        abort();
    search(set, items, count, text, n, 0);
    search(set, items, count, text, n, data[1] + 1u);
    sluice__realloc(&heap, set, set->size, 0);
    return 0;
}
