/* Markers, UTF-8, values and the window, from C alone. */
#include "check.h"

#include "closing.h"
#include "json.h"
#include "marker.h"
#include "typed.h"
#include "utf8.h"
#include "window.h"

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

struct output {
    char text[4096];
    size_t len;
    int notes;
};

static bool take(void *user, const char *p, size_t n, bool source) {
    struct output *o = user;
    (void)source;
    if (o->len + n > sizeof o->text)
        return false;
    memcpy(o->text + o->len, p, n);
    o->len += n;
    return true;
}

static bool count_note(void *user, const char *code, const char *message) {
    (void)code, (void)message;
    ((struct output *)user)->notes++;
    return true;
}

/* Reads `in` in pieces of `chunk` bytes, each after the unread rest of the last, and closes what is
 * open. */
static sluice__reading read_all(const char *in, size_t n, size_t chunk, uint32_t flags,
                                struct output *o) {
    sluice__sink sink = {o, take, NULL, 0, false, count_note, NULL};
    sluice__reader r;
    sluice__reading what = SLUICE__READ_MORE;
    o->len = 0;
    o->notes = 0;
    sluice__reader_init(&r, &heap, &sink, flags, SLUICE__TOP_ANY, NULL, 0, 0);
    for (size_t i = 0, upto = chunk, used; i < n && what == SLUICE__READ_MORE; i += used) {
        if (upto > n)
            upto = n;
        what = sluice__reader_feed(&r, in + i, upto - i, upto == n, &used);
        upto += chunk;
    }
    sluice__reader_close(&r);
    sluice__reader_release(&r);
    return what;
}

static void test_values(void) {
    struct output o;
    static const char *const strict[] = {"{\"a\": [1, -2.5e+3, true, null], \"b\":{}}",
                                         "[ ]",
                                         "\"\\u00e9\\/ \xC3\xA9\"",
                                         "12345678901234567890",
                                         " [\n1 , 2 ]",
                                         "{\"\": \"\\ud800\"}"};
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++)
        for (size_t chunk = 1; chunk <= strlen(strict[i]); chunk++) {
            CHECK(read_all(strict[i], strlen(strict[i]), chunk, 0, &o) == SLUICE__READ_DONE);
            CHECK_TEXT(o.text, o.len, strict[i]);
            CHECK(read_all(strict[i], strlen(strict[i]), chunk, SLUICE__LENIENT, &o) ==
                  SLUICE__READ_DONE);
            CHECK_TEXT(o.text, o.len, strict[i]);
            CHECK(o.notes == 0);
        }
    static const char *const refused[] = {"[1,]",       "{\"a\" 1}", "{a:1}",       "'a'", "[01]",
                                          "\"\n\"",     "\"\\d\"",   "tru",         "[1}", "+1",
                                          "{\"a\":1,}", "nul",       "\"\\u12g4\"", "[,1]"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (size_t chunk = 1; chunk <= strlen(refused[i]); chunk++)
            CHECK(read_all(refused[i], strlen(refused[i]), chunk, 0, &o) == SLUICE__READ_STOP);
    static const struct {
        const char *in, *out;
    } lenient[] = {{"{'a': \"x\", b: True,}", "{\"a\": \"x\", \"b\": true}"},
                   {"[1 2, , 3]", "[1 ,2,  3]"},
                   {"{\"a\": 'it\\'s \"so\"'}", "{\"a\": \"it's \\\"so\\\"\"}"},
                   {"[+1, .5, 5., 007, 1_000]", "[1, 0.5, 5, 7, 1000]"},
                   {"[NaN, -Infinity, None]", "[null, null, null]"},
                   {"[1, // one\n2 /* two */]", "[1, 2 ]"},
                   {"\"a\nb\\d\"", "\"a\\nb\\\\d\""},
                   {"{\"a\": [1, 2}", "{\"a\": [1, 2]}"},
                   {"{\"a\": {\"b\": 1", "{\"a\": {}}"},
                   {"[1, \"ab", "[1, \"ab\"]"},
                   {"{\"a\": 1, \"b", "{\"a\": 1}"},
                   {"{name\": New York}", "{\"name\": \"New York\"}"}};
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++)
        for (size_t chunk = 1; chunk <= strlen(lenient[i].in); chunk++) {
            read_all(lenient[i].in, strlen(lenient[i].in), chunk, SLUICE__LENIENT, &o);
            CHECK_TEXT(o.text, o.len, lenient[i].out);
        }
}

/* Checks keyword arguments and other notations: whole, and cut everywhere. */
static void check_notation(const char *in, sluice__top top, const char *quote, uint32_t flags,
                           const char *want, sluice__reading how) {
    size_t n = strlen(in);
    for (size_t chunk = 1; chunk <= n; chunk++) {
        struct output o = {.len = 0};
        sluice__sink sink = {&o, take, NULL, 0, false, count_note, NULL};
        sluice__reader r;
        sluice__reading what = SLUICE__READ_MORE;
        sluice__reader_init(&r, &heap, &sink, flags, top, quote, quote ? strlen(quote) : 0, 0);
        for (size_t i = 0, end = 0; end < n && what == SLUICE__READ_MORE;) {
            size_t used; /* the rest is fed again */
            end = n - end < chunk ? n : end + chunk;
            what = sluice__reader_feed(&r, in + i, end - i, end == n, &used);
            i += used;
        }
        CHECK(sluice__reader_close(&r));
        sluice__reader_release(&r);
        CHECK(what == how);
        CHECK_TEXT(o.text, o.len, want);
    }
}

static void test_notations(void) {
    const uint32_t python = SLUICE__LENIENT | SLUICE__PYTHON;
    static const struct {
        const char *in, *out;
        sluice__reading how;
    } calls[] = {
        {"a=1, b='x')", "{\"a\":1, \"b\":\"x\"}", SLUICE__READ_DONE},
        {")", "{}", SLUICE__READ_DONE},
        {"a=(1, 2), b=[(3,)], c=())", "{\"a\":[1, 2], \"b\":[[3]], \"c\":[]}", SLUICE__READ_DONE},
        {"a=True, b=None, c=-1.5)", "{\"a\":true, \"b\":null, \"c\":-1.5}", SLUICE__READ_DONE},
        {"s='it\\'s \"so\"')", "{\"s\":\"it's \\\"so\\\"\"}", SLUICE__READ_DONE},
        {"s=\"\"\"a\n\"b\" c\"\"\")", "{\"s\":\"a\\n\\\"b\\\" c\"}", SLUICE__READ_DONE},
        {"s='a' \"b\" 'c')", "{\"s\":\"abc\"}", SLUICE__READ_DONE},
        {"s='')", "{\"s\":\"\"}", SLUICE__READ_DONE},
        {"s=r'a\\d', u=f\"y\")", "{\"s\":\"a\\\\d\", \"u\":\"y\"}", SLUICE__READ_DONE},
        {"s=1, t=b'x')", "{\"s\":1}", SLUICE__READ_STOP},
        {"s=('a, )' '''b'), ('''), t=[(1), ((2,))])", "{\"s\":\"a, )b'), (\", \"t\":[1, [2]]}",
         SLUICE__READ_DONE},
        {"s=('a', # )\n 'b'), t={'k': ({1: 2})}, u=0x1F)",
         "{\"s\":[\"a\",  \"b\"], \"t\":{\"k\": {\"1\": 2}}, \"u\":31}", SLUICE__READ_DONE},
        {"s=(1 2))", "{\"s\":1 }", SLUICE__READ_STOP},
        {"s=1, **{'k': 2})", "{\"s\":1}", SLUICE__READ_STOP},
        {"s=('x", "{\"s\":\"x\"}", SLUICE__READ_MORE},
        {"s='\\x41\\u00e9')", "{\"s\":\"A\\u00e9\"}", SLUICE__READ_DONE},
        {"d={'k': {1: 'v'}})", "{\"d\":{\"k\": {\"1\": \"v\"}}}", SLUICE__READ_DONE},
        {"s={1, 2})", "{\"s\":{}}", SLUICE__READ_STOP},
        {"a=f(1))", "{}", SLUICE__READ_STOP},
        {"a=1, b='x", "{\"a\":1, \"b\":\"x\"}", SLUICE__READ_MORE},
        {"a=1, b=2", "{\"a\":1}", SLUICE__READ_MORE},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        check_notation(calls[i].in, SLUICE__TOP_KWARGS, NULL, python, calls[i].out, calls[i].how);
    { /* a colon is repaired, and that is reported, however it is cut */
        static const char in[] = "\"a\":\"b\")";
        for (size_t chunk = 1; chunk < sizeof in; chunk++) {
            struct output o = {.len = 0};
            sluice__sink sink = {&o, take, NULL, 0, false, count_note, NULL};
            sluice__reader r;
            sluice__reader_init(&r, &heap, &sink, SLUICE__COMMAS | SLUICE__TOTAL,
                                SLUICE__TOP_KWARGS, NULL, 0, 0);
            for (size_t i = 0; i < sizeof in - 1; i += chunk) {
                size_t k = sizeof in - 1 - i < chunk ? sizeof in - 1 - i : chunk, used;
                sluice__reader_feed(&r, in + i, k, i + k == sizeof in - 1, &used);
            }
            CHECK(sluice__reader_close(&r));
            sluice__reader_release(&r);
            CHECK_TEXT(o.text, o.len, "{\"a\":\"b\"}");
            CHECK(o.notes == 2);
        }
    }
    check_notation("{a:<|\"|>x \"y\" <|z<|\"|>,b:[1,<|\"|><|\"|>]}", SLUICE__TOP_OBJECT, "<|\"|>",
                   SLUICE__LENIENT, "{\"a\":\"x \\\"y\\\" <|z\",\"b\":[1,\"\"]}",
                   SLUICE__READ_DONE);
    check_notation("{<escape>k<escape>:<escape>a\n\\b<escape>}", SLUICE__TOP_OBJECT, "<escape>",
                   SLUICE__LENIENT, "{\"k\":\"a\\n\\\\b\"}", SLUICE__READ_DONE);
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

static void test_window(void) {
    sluice__window w = {0};
    const char first[] = "abcdef", second[] = "0123456789";
    char third[200];
    memset(third, '-', sizeof third);
    CHECK(sluice__window_lend(&heap, &w, first, 6));
    CHECK(w.data == first && w.len == 6);              /* nothing is copied */
    CHECK(sluice__window_return(&heap, &w, 4));        /* keeps "ef" */
    CHECK(sluice__window_lend(&heap, &w, second, 10)); /* a small chunk is joined at once */
    CHECK(w.len == 12 && memcmp(w.data, "ef0123456789", 12) == 0 && w.base == 4);
    CHECK(sluice__window_grow(&heap, &w, 4) == 0);
    CHECK(sluice__window_return(&heap, &w, 15));
    CHECK(w.len == 1 && w.before == '8');
    CHECK(sluice__window_lend(&heap, &w, third, sizeof third));
    CHECK(sluice__window_grow(&heap, &w, 15) == 1); /* kept bytes and the beginning of the chunk */
    CHECK(w.len >= 2 && memcmp(w.data, "9-", 2) == 0 && w.base == 15);
    while (sluice__window_grow(&heap, &w, 15) == 1) {
    }
    CHECK(w.len == 201);
    CHECK(sluice__window_return(&heap, &w, 216));
    CHECK(w.len == 0 && w.before == '-');
    sluice__window_release(&heap, &w);
}

/* ---- Strings in blocks of sixteen bytes, compared with one byte after the other ---------------
 */

/* Returns the length of the plain character, escape or sequence at p, or 0. */
static size_t passing_piece(const char *p, size_t n) {
    if (*p == '\\') {
        if (n < 2 || !strchr("\"\\/nrtu", p[1]) || !p[1])
            return 0;
        size_t len = p[1] == 'u' ? 6 : 2;
        for (size_t k = 2; k < len; k++)
            if (k >= n || !p[k] || !strchr("0123456789abcdefABCDEF", p[k]))
                return 0;
        return len;
    }
    int len = sluice__utf8_sequence(p, n);
    return len <= 0 || (unsigned char)*p < 0x20 || *p == '"' ? 0 : (size_t)len;
}

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

static void test_strings(void) {
    static const char *const pieces[] = {"a",
                                         "word ",
                                         "\\n",
                                         "\\\\",
                                         "\\\"",
                                         "\\/",
                                         "\\u00e9",
                                         "\\r",
                                         "\xC3\xA9",
                                         "\xE0\xA4\x85",
                                         "\xE4\xBD\xA0",
                                         "\xED\x95\x9C",
                                         "\xF0\x9F\x98\x80",
                                         "the words are plain; ",
                                         "\xEF\xBF\xBD"};
    static const char *const bad[] = {"\\b",
                                      "\\u12",
                                      "\\",
                                      "\"",
                                      "\n",
                                      "\xE4\xBD",
                                      "\xE0\x80\x80",
                                      "\xED\xA0\x80",
                                      "\xC1\x80",
                                      "\xF0\x80\x80\x80",
                                      "\xF4\x90\x80\x80",
                                      "\x80",
                                      "\x1F"};
    enum { MOST = 200, PIECES = sizeof pieces / sizeof *pieces };
    char text[MOST + 64], *copy;
    for (int round = 0; round < 20000; round++) {
        size_t n = mixed(text, (size_t)(rand() % (MOST / 2)), pieces, PIECES);
        if (round % 2) {
            const char *odd = bad[(size_t)rand() % (sizeof bad / sizeof *bad)];
            memcpy(text + n, odd, strlen(odd));
            n += strlen(odd);
            n += mixed(text + n, (size_t)(rand() % 40), pieces, PIECES);
        }
        if (n && round % 3 == 0)
            n -= (size_t)rand() % n;
        copy = malloc(n + 1); /* nothing readable follows */
        memcpy(copy, text, n);
        size_t want = 0, passed;
        for (size_t k; want < n && (k = passing_piece(copy + want, n - want)); want += k)
            ;
        bool passes = sluice__string_passes(copy, n, &passed);
        CHECK(passed == want && (passes || want < n));
        free(copy);
    }
}

/* What closes a text does not depend on its parts. */
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
    test_values();
    test_notations();
    test_types();
    test_window();
    test_strings();
    test_closing();
    return report("parts");
}
