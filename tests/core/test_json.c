/* One value, read as it comes: strict, lenient and Python's, whole and cut at every byte. */
#include "check.h"

#include "json/json.h"

static heap memory;

enum notation { STRICT, LENIENT, PYTHON };

/* Reads `in` in pieces of `chunk` bytes, and closes what is open. */
static json_end read_all(json *j, const char *in, size_t chunk, out *o) {
    const char *last = in + strlen(in);
    view v = {in, in};
    json_end end;
    do {
        v.end = (size_t)(last - v.end) < chunk ? last : v.end + chunk;
        end = sluice__json_go(j, &v, v.end < last ? SIZE_MAX : 0, o);
    } while (end == JSON_MORE && v.end < last);
    if (end != JSON_DONE)
        sluice__json_closing(j, o);
    return end;
}

static void check(const char *in, enum notation how, const char *own_quote, const char *want,
                  bool done) {
    for (size_t chunk = 1; chunk <= strlen(in); chunk++) {
        json j = {0};
        out o = {.heap = &memory};
        if (how == PYTHON) {
            sluice__json_begin(&j, true);
            sluice__json_begin_inside(&j, true);
            put_text(&o, "{");
        } else {
            sluice__json_begin(&j, false);
        }
        j.strict = how == STRICT;
        j.own_quote = own_quote;
        json_end end = read_all(&j, in, chunk, &o);
        CHECK((end == JSON_DONE) == done);
        if (want)
            CHECK_TEXT(o.b.data ? o.b.data : "", o.b.len, want);
        if (how == LENIENT && done && want && strcmp(in, want) == 0)
            CHECK(!j.mended && !j.lost);
        sluice__buffer_release(&memory.alloc, &o.b);
    }
}

static void test_strict(void) {
    static const char *const good[] = {"{\"a\": [1, -2.5e+3, true, null], \"b\":{}}",
                                       "[ ]",
                                       "{\"a\": \"\\u00e9\\/ \xC3\xA9\"}",
                                       "[12345678901234567890]",
                                       "[\n1 , 2 ]",
                                       "{\"\": \"\\ud800\"}"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check(good[i], STRICT, NULL, good[i], true);
        check(good[i], LENIENT, NULL, good[i], true);
    }
    static const char *const bad[] = {"[1,]",       "{\"a\" 1}", "{a:1}",         "['a']", "[01]",
                                      "[\"\n\"]",   "[\"\\d\"]", "[tru]",         "[1}",   "[+1]",
                                      "{\"a\":1,}", "[nul]",     "[\"\\u12g4\"]", "[,1]",  "[1 2]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check(bad[i], STRICT, NULL, NULL, false);
}

static void test_lenient(void) {
    static const struct {
        const char *in, *out;
        bool done;
    } cases[] = {{"{'a': \"x\", b: True,}", "{\"a\":\"x\",\"b\":true}", true},
                 {"[1 2, , 3]", "[1 ]", false},
                 {"{\"a\": 'it\\'s \"so\"'}", "{\"a\":\"it's \\\"so\\\"\"}", true},
                 {"[+1, .5, 5., 007, 1_000]", "[1,0.5,5,7,1000]", true},
                 {"[None, TRUE]", "[null,\"TRUE\"]", true},
                 {"[1, 1-]", "[1,\"1-\"]", true},
                 {"[., -., 1_, 1__0, 5.]", "[\".\",\"-.\",\"1_\",\"1__0\",5]", true},
                 {"[1, // one\n2 /* two */]", "[1,2 ]", true},
                 {"[/*/ 1 */ 2]", "[2]", true},
                 {"[\"a\nb\\d\"]", "[\"a\\nb\\\\d\"]", true},
                 {"{\"a\": [1, 2}", "{\"a\": [1, 2]}", false},
                 {"{\"a\": {\"b\": 1", "{\"a\": {}}", false},
                 {"[1, \"ab", "[1, \"ab\"]", false},
                 {"{\"a\": 1, \"b", "{\"a\": 1}", false},
                 {"{\"a\": \"x\"y\"}", "{\"a\": \"x\"}", false},
                 {"{\"a\": \"x\" \"b\": 1}", "{\"a\": \"x\" }", false},
                 {"{\"a\": \"\xC3\"}", "{\"a\": \"\xEF\xBF\xBD\"}", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(cases[i].in, LENIENT, NULL, cases[i].out, cases[i].done);
    check("{a:<|\"|>x \"y\" <|z<|\"|>,b:[1,<|\"|><|\"|>]}", LENIENT, "<|\"|>",
          "{\"a\":\"x \\\"y\\\" <|z\",\"b\":[1,\"\"]}", true);
    check("{<escape>k<escape>:<escape>a\n\\b<escape>}", LENIENT, "<escape>",
          "{\"k\":\"a\\n\\\\b\"}", true);
}

static void test_python(void) {
    static const struct {
        const char *in, *out;
        bool done;
    } calls[] = {
        {"a=1, b='x')", "{\"a\":1,\"b\":\"x\"}", true},
        {")", "{}", true},
        {"a=(1, 2), b=[(3,)], c=())", "{\"a\":[1,2],\"b\":[[3]],\"c\":[]}", true},
        {"a=True, b=None, c=-1.5)", "{\"a\":true,\"b\":null,\"c\":-1.5}", true},
        {"s='it\\'s \"so\"')", "{\"s\":\"it's \\\"so\\\"\"}", true},
        {"s='')", "{\"s\":\"\"}", true},
        {"s=r'a\\d', u=1)", "{\"s\":\"r\"}", false},
        {"s=1, t=b'x')", "{\"s\":1,\"t\":\"b\"}", false},
        {"t=[(1), ((2,))])", "{\"t\":[[1],[[2]]]}", true},
        {"s=\"\"\"a\n\"b\" c\"\"\")", "{\"s\":\"a\\n\\\"b\\\" c\"}", true},
        {"s='\\x41\\u00e9')", "{\"s\":\"\\u0041\\u00e9\"}", true},
        {"d={'k': {1: 'v'}})", "{\"d\":{\"k\":{\"1\":\"v\"}}}", true},
        {"a=1, b='x", "{\"a\":1,\"b\":\"x\"}", false},
        {"a=7 //2\n)", "{\"a\":7 }", false},
        {"a=7 # 2\n)", "{\"a\":7 }", true},
        {"a='\\`')", "{\"a\":\"\\\\`\"}", true},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        check(calls[i].in, PYTHON, NULL, calls[i].out, calls[i].done);
}

/* A token that is too long is refused, whether it comes at once or in pieces. */
static void test_long_tokens(void) {
    static const char *const begins[] = {"{'", "{/*", "{\"a\": ", "{\"a\": 1,"}, *const ends[] = {
                                                                                     "': 1}", "*/}",
                                                                                     "}",
                                                                                     "'b': 2}"};
    static char in[2 * LONGEST_TOKEN];
    for (size_t i = 0; i < 4; i++) {
        size_t n = strlen(begins[i]);
        memcpy(in, begins[i], n);
        memset(in + n, i == 3 ? ' ' : 'k', LONGEST_TOKEN + 1);
        memcpy(in + n + LONGEST_TOKEN + 1, ends[i], strlen(ends[i]) + 1);
        for (size_t chunk = LONGEST_TOKEN - 3; chunk <= sizeof in; chunk += chunk / 1000) {
            json j = {0};
            out o = {.heap = &memory};
            sluice__json_begin(&j, false);
            CHECK(read_all(&j, in, chunk, &o) == JSON_ODD && j.problem == sluice__too_deep);
            CHECK_TEXT(o.b.data, o.b.len, i == 3 ? "{\"a\": 1}" : "{}");
            sluice__buffer_release(&memory.alloc, &o.b);
        }
    }
}

int main(void) {
    memory.alloc = sluice__libc_allocator();
    test_strict();
    test_lenient();
    test_python();
    test_long_tokens();
    CHECK(!memory.failed);
    return report("json");
}
