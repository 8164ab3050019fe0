/* Literals, UTF-8, typed values and closing text, from C alone. */
#include "check.h"

#include "closing.h"
#include "json.h"
#include "marker.h"
#include "typed.h"
#include "utf8.h"

#include <stdlib.h>

static sluice_allocator heap;

static void test_utf8(void) {
    CHECK(sluice__utf8_tail("a", 1) == 0);
    CHECK(sluice__utf8_tail("a\xC3", 2) == 1);
    CHECK(sluice__utf8_tail("\xF0\x9F\x98", 3) == 3);
    CHECK(sluice__utf8_tail("\xF0\x9F\x98\x8A", 4) == 0);
    CHECK(sluice__utf8_tail("\xED\xA0", 2) == 0); /* a surrogate cannot become whole */
    CHECK(sluice__utf8_tail("\xFF", 1) == 0);
    CHECK(sluice__utf8_sequence("\xE0\x80", 2) == -1);
    CHECK(sluice__utf8_sequence("\xF4\x90", 2) == -1);
    CHECK(sluice__utf8_sequence("\xE2\x82", 2) == 0);
    char out[4];
    CHECK(sluice__utf8_encode(0x1F600, out) == 4 && memcmp(out, "\xF0\x9F\x98\x80", 4) == 0);
}

/* Finds the earliest literal, and of those the longest, by trying all. */
static bool naive(const sluice__marker *items, size_t count, const char *text, size_t n, size_t *at,
                  size_t *item) {
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++)
            if (items[k].len <= n - i && memcmp(items[k].text, text + i, items[k].len) == 0 &&
                (!found || items[k].len > items[*item].len)) {
                found = true;
                *item = k;
            }
        if (found) {
            *at = i;
            return true;
        }
    }
    return false;
}

static void test_markers(void) {
    static const char *const words[] = {"<tool_call>", "<tool", "</think>",        "ab",
                                        "aab",         "b",     "\xF0\x9F\x9B\xA0"};
    sluice__marker items[7];
    for (size_t i = 0; i < 7; i++)
        items[i] = (sluice__marker){words[i], strlen(words[i]), 0, false};
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        size_t count = 1 + (size_t)(rand_r(&seed) % 7),
               first = (size_t)(rand_r(&seed) % (int)(8 - count));
        sluice__markers *set = sluice__markers_new(&heap, items + first, count);
        char text[64];
        size_t n = 0;
        while (n < 40) {
            const char *w = words[rand_r(&seed) % 7];
            size_t k = 1 + (size_t)rand_r(&seed) % strlen(w);
            memcpy(text + n, w, k);
            n += k;
        }
        size_t at = 0, item = 0, want_at = 0, want = 0;
        bool found = naive(items + first, count, text, n, &want_at, &want);
        sluice__match m = sluice__markers_find(set, text, n, true, &at, &item);
        CHECK((m == SLUICE__YES) == found);
        if (found)
            CHECK(at == want_at && items[first + item].len == items[first + want].len);
        /* cut anywhere: no literal is missed, and nothing is decided too early */
        for (size_t cut = 0; cut <= n; cut++) {
            size_t where, which;
            sluice__match part = sluice__markers_find(set, text, cut, false, &where, &which);
            if (part == SLUICE__YES)
                CHECK(found && where == want_at &&
                      items[first + which].len == items[first + want].len);
            else
                CHECK(!found || where <= want_at || cut < want_at);
        }
        sluice__markers_free(&heap, set);
    }
}

static void test_types(void) {
    static const struct {
        const char *in;
        unsigned types;
        const char *out; /* NULL: a string */
    } cases[] = {{"12", SLUICE__INTEGER, "12"},
                 {"9007199254740993", SLUICE__INTEGER, "9007199254740993"},
                 {"5.0", SLUICE__INTEGER, "5.0"},
                 {"5.5", SLUICE__INTEGER, NULL},
                 {" 1e5 ", SLUICE__NUMBER | SLUICE__INTEGER, "1e5"},
                 {"042", SLUICE__INTEGER | SLUICE__STRING, NULL},
                 {"042", SLUICE__INTEGER, "42"},
                 {"TRUE", SLUICE__BOOLEAN, "true"},
                 {"True", SLUICE__BOOLEAN | SLUICE__STRING, "true"},
                 {"None", SLUICE__NULL | SLUICE__INTEGER, "null"},
                 {"{\"a\": 1.0}", SLUICE__OBJECT, "{\"a\": 1.0}"},
                 {"{'a': 1}", SLUICE__OBJECT, "{\"a\": 1}"},
                 {"{'a': 1}", SLUICE__OBJECT | SLUICE__STRING, NULL},
                 {"[1] x", SLUICE__ARRAY, NULL},
                 {"abc", SLUICE__ANY_TYPE, NULL},
                 {"null", SLUICE__STRING | SLUICE__NULL, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice__buffer out = {0};
        unsigned type;
        bool mended;
        CHECK(sluice__typed(&heap, cases[i].in, strlen(cases[i].in), cases[i].types,
                            SLUICE__LENIENT, false, &out, &type, &mended));
        CHECK((type != 0) == (cases[i].out != NULL));
        if (cases[i].out)
            CHECK_TEXT(out.data, out.len, cases[i].out);
        sluice__buffer_release(&heap, &out);
    }
}

/* ---- What closes a JSON text ---------------------------------------------------------------- */

/* Makes text of pieces, some of them repeated. */
static size_t mixed(char *out, size_t most, const char *const *pieces, size_t count) {
    size_t n = 0;
    while (n < most) {
        const char *piece = pieces[(size_t)rand() % count];
        for (int times = rand() % 4 ? 1 : rand() % 9; times > 0 && n < most; times--) {
            memcpy(out + n, piece, strlen(piece));
            n += strlen(piece);
        }
    }
    return n;
}

static void test_closing(void) {
    static const char *const pieces[] = {
        "a",  "word ",        "\\n", "\\\\", "\\\"", "\\u00e9", ": ", "{", "the words are plain; ",
        ", ", "\\\\\\\\\\\\", "u"};
    char text[400], whole[64], parts[64];
    for (int round = 0; round < 5000; round++) {
        size_t n = (size_t)sprintf(text, "{\"a\": [\"");
        n += mixed(text + n, (size_t)(rand() % 80), pieces, sizeof pieces / sizeof *pieces);
        n += (size_t)sprintf(text + n, "\", 12, {\"");
        n += mixed(text + n, (size_t)(rand() % 80), pieces, sizeof pieces / sizeof *pieces);
        sluice__closing a = {0}, b = {0};
        size_t upto = (size_t)rand() % (n + 1);
        CHECK(sluice__closing_add(&heap, &a, text, upto));
        for (size_t i = 0; i < upto; i++)
            CHECK(sluice__closing_add(&heap, &b, text + i, 1));
        sluice__closing_write(&a, whole, sizeof whole);
        sluice__closing_write(&b, parts, sizeof parts);
        CHECK(strcmp(whole, parts) == 0);
    }
}

int main(void) {
    heap = sluice__libc_allocator();
    test_utf8();
    test_markers();
    test_types();
    test_closing();
    return report("parts");
}
