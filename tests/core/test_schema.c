/* Compiled schemas: patterns, messages, types, hostile schemas, and failures of every
 * allocation. */
#include "check.h"

#include "schema.h"
#include "schema/check.h"
#include "schema/pattern.h"
#include "typed.h"

#include <stdlib.h>

static sluice_allocator heap;

static void patterns(void) {
    static const struct {
        const char *pattern, *text;
        int matches; /* -1: it cannot be read */
    } cases[] = {{"^a*$", "aaa", 1},
                 {"^a*$", "ab", 0},
                 {"", "", 1},
                 {"b", "abc", 1},
                 {"^(ab|c){2,3}$", "abc", 1},
                 {"^(ab|c){2,3}$", "ab", 0},
                 {"^(ab|c){2,3}$", "abcabc", 0},
                 {"^x{0}y$", "y", 1},
                 {"^x{2,}$", "x", 0},
                 {"^x{2,}$", "xxxx", 1},
                 {"^x{0,2}$", "xxx", 0},
                 {"^\\d{4}-\\d{2}$", "2024-10", 1},
                 {"^\\d{4}-\\d{2}$", "2024-1", 0},
                 {"^[^a-c\\s]+$", "de", 1},
                 {"^[^a-c\\s]+$", "d e", 0},
                 {"^[\\w-.]+$", "a-._9", 1},
                 {"^[]$", "", 0},
                 {"\\bfoo\\b", "a foo b", 1},
                 {"\\bfoo\\b", "afoo", 0},
                 {"\\Boo", "foo", 1},
                 {"^\\S+@\\S+\\.\\w{2,}$", "a@b.org", 1},
                 {"^\\W\\D$", "-x", 1},
                 {"^(a?){3}b$", "aab", 1},
                 {"^(?:a|b)*?c$", "ababc", 1},
                 {"(?<year>\\d+)", "x1", 1},
                 {"^\xC3\xA9+.$", "\xC3\xA9\xC3\xA9\xF0\x9F\x98\x80", 1},
                 {"^\\u00e9\\x41\\u{1F600}\\ud83d\\ude00$",
                  "\xC3\xA9\x41\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 1},
                 {"^[\\b\\t-]$", "\b", 1},
                 {"^.$", "\n", 0},
                 {"^a|b$", "ax", 1},
                 {"a||b", "", 1},
                 {"\\/\\.\\$\\-", "/.$-", 1},
                 {"(?=a)", "a", -1},
                 {"(?<=a)b", "ab", -1},
                 {"(a)\\1", "aa", -1},
                 {"\\p{L}", "a", -1},
                 {"[", "", -1},
                 {"(", "", -1},
                 {")", "", -1},
                 {"a**", "", -1},
                 {"a{2", "", -1},
                 {"a{,2}", "", -1},
                 {"{2}", "", -1},
                 {"^{a}]$", "{a}]", 1},
                 {"^\\{\\{x{2}}}$", "{{xx}}", 1},
                 {"^\\{\\{x{2}}}$", "{{xx}", 0},
                 {"a{", "a{", 1},
                 {"^}$", "x", 0},
                 {"a{3,2}", "", -1},
                 {"[z-a]", "", -1},
                 {"a{9999}", "", -1},
                 {"((((a{99}){99}){99}){99})", "", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice__pattern *p;
        bool found = false;
        uint64_t steps = 0;
        CHECK(sluice__pattern_new(&heap, cases[i].pattern, strlen(cases[i].pattern), &p));
        CHECK((p == NULL) == (cases[i].matches < 0));
        if (!p)
            continue;
        CHECK(sluice__pattern_matches(&heap, p, cases[i].text, strlen(cases[i].text), &found,
                                      1000000, &steps));
        if (found != (cases[i].matches == 1))
            fprintf(stderr, "%s on %s\n", cases[i].pattern, cases[i].text);
        CHECK(found == (cases[i].matches == 1));
        sluice__pattern_free(&heap, p);
    }
    /* exponential time in other implementations */
    sluice__pattern *p;
    char text[20001];
    bool found;
    uint64_t steps = 0;
    memset(text, 'a', 20000);
    CHECK(sluice__pattern_new(&heap, "^((a|a?)*)*b$", 13, &p) && p);
    CHECK(sluice__pattern_matches(&heap, p, text, 20000, &found, 10000000, &steps));
    CHECK(!found && steps < 200000);
    sluice__pattern_free(&heap, p);
}

/* A matcher keeps what it learns; that must not change what it finds. */
static void matchers(void) {
    static const char *const pieces[] = {
        "a",   "b", "-", "_", " ", "1", "A", "\n", "\xC3\xA9", "\xE4\xBD\xA0", "\xF0\x9F\x98\x80",
        "\xFF"};
    static const char *const patterns[] = {"^[a-z]+$",
                                           "\\bab\\b",
                                           "a\\B",
                                           "^(a|b)*a(a|b){9}$",
                                           "(a|b)*a(a|b){12}",
                                           "[^a-]+1$",
                                           "",
                                           "^$",
                                           "$",
                                           "a.b",
                                           "\xC3\xA9+$",
                                           "[\xC3\xA9-\xE4\xBD\xA0]a",
                                           "^\\w+(-\\w+)*$",
                                           "(^a|b$)",
                                           "^(?:a{2,5}|b{3})$",
                                           "\\s\\S\\d",
                                           "^.{0,30}$",
                                           "^.{90,}$",
                                           "(a|b|1|-| |_){20}A",
                                           "\\b"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        sluice__pattern *p;
        CHECK(sluice__pattern_new(&heap, patterns[i], strlen(patterns[i]), &p) && p);
        sluice__matcher *m = sluice__matcher_new(&heap, p);
        CHECK(m);
        for (int round = 0; round < 1500; round++) {
            char text[128];
            size_t n = 0, most = (size_t)(rand() % (round % 3 ? 12 : 100));
            size_t kinds = round % 2 ? sizeof pieces / sizeof *pieces : 2;
            while (n < most) {
                const char *piece = pieces[(size_t)rand() % kinds];
                memcpy(text + n, piece, strlen(piece));
                n += strlen(piece);
            }
            bool found;
            uint64_t steps = 0, kept = 0;
            CHECK(sluice__pattern_matches(&heap, p, text, n, &found, 1000000, &steps));
            CHECK(sluice__matcher_finds(m, text, n, 1000000, &kept) == found);
        }
        sluice__matcher_free(m);
        sluice__pattern_free(&heap, p);
    }
}

/* Returns the violation: "" if there is none, "?" if the check gave up. */
static const char *wrong(const sluice_allocator *a, const char *schema, const char *value,
                         sluice__buffer *message) {
    sluice__schema *s;
    size_t place = 0;
    message->len = 0;
    if (!sluice__schema_new(a, schema, strlen(schema), &s))
        return "no memory";
    if (!s)
        return "no schema";
    sluice__fit v = sluice__schema_check(a, s, value, strlen(value), message, &place);
    sluice__schema_free(a, s);
    if (v == SLUICE__CHECK_NOMEM || !sluice__buffer_add(a, message, "", 1))
        return "no memory";
    return v == SLUICE__FITS ? "" : v == SLUICE__GAVE_UP ? "?" : message->data;
}

static const struct {
    const char *schema, *value, *wrong;
} cases[] = {
    {"{\"type\": \"string\"}", "\"a\"", ""},
    {"{\"type\": \"string\"}", "[1]", " is an array, not string"},
    {"{\"type\": [\"string\", \"null\"]}", "1", " is a number, not string or null"},
    {"{\"type\": \"integer\"}", "1.0", ""},
    {"{\"type\": \"integer\"}", "1.5", " is a number, not integer"},
    {"{\"type\": \"integer\"}", "123456789012345678901234567890", ""},
    {"{\"properties\": {\"a/b\": {\"items\": {\"maximum\": 3}}}}", "{\"a/b\": [1, 4]}",
     "/a~1b/1 is greater than 3"},
    {"{\"required\": [\"x\"]}", "{}", " lacks the required member 'x'"},
    {"{\"additionalProperties\": false, \"properties\": {\"a\": {}}}", "{\"a\": 1, \"b\": 2}",
     "/b is not a declared parameter"},
    {"{\"additionalProperties\": false, \"patternProperties\": {\"^x\": {\"type\": \"null\"}}}",
     "{\"xa\": 1}", "/xa is a number, not null"},
    {"{\"pattern\": \"^[a-z]+$\"}", "\"A\"", " does not match the pattern ^[a-z]+$"},
    {"{\"pattern\": \"(?=x)\"}", "\"A\"", ""},
    {"{\"enum\": [{\"a\": [1, 2.0]}, \"caf\\u00e9\"]}", "{\"a\": [1.0, 2]}", ""},
    {"{\"enum\": [{\"a\": [1, 2.0]}, \"caf\\u00e9\"]}", "\"caf\xC3\xA9\"", ""},
    {"{\"const\": 1234567890123456789}", "1234567890123456788", " is not the required constant"},
    {"{\"multipleOf\": 1.5}", "10000000000", " is not a multiple of 1.5"},
    {"{\"items\": [{\"type\": \"null\"}, {}], \"additionalItems\": false}", "[null, 1]", ""},
    {"{\"items\": [{\"type\": \"null\"}, {}], \"additionalItems\": false}", "[1]",
     "/0 is a number, not null"},
    {"{\"additionalItems\": false, \"items\": [{}]}", "[1, 2]", "/1 is not allowed here"},
    {"{\"additionalItems\": false, \"items\": {\"type\": \"number\"}}", "[1, 2]", ""},
    {"{\"additionalItems\": false}", "[1, 2]", ""},
    {"{\"enum\": [1]}", "2", " is not one of the values of its enum"},
    {"{\"uniqueItems\": true}", "[{\"a\": 1, \"b\": 2}, 3, {\"b\": 2, \"a\": 1.0}]",
     "/2 is equal to an earlier item"},
    {"{\"minLength\": 2}", "\"\xC3\xA9\"", " is shorter than 2 characters"},
    /* long strings with escapes are decoded if a schema needs their text */
    {"{\"enum\": [1, "
     "\"abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"]}",
     "\"\\u0061bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"", ""},
    {"{\"enum\": [1, "
     "\"abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"]}",
     "\"\\u0062bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"",
     " is not one of the values of its enum"},
    {"{\"items\": {\"type\": \"string\"}, \"uniqueItems\": true}",
     "[\"\\u0061bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\", "
     "\"abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"]",
     "/1 is equal to an earlier item"},
    {"{\"properties\": {\"a\": {\"const\": {\"b\": "
     "\"abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"}}}}",
     "{\"c\": "
     "\"\\u0061bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\", \"a\": "
     "{\"b\": "
     "\"\\u0061bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"}}",
     ""},
    {"{\"maxLength\": 72, \"minLength\": 72, \"pattern\": \"^ab*\\n$\"}",
     "\"\\u0061bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"", ""},
    {"{\"maxLength\": 71}",
     "\"\\u0061bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\n\"",
     " is longer than 71 characters"},
    {"{\"multipleOf\": 0.01}", "0.07", ""},
    {"{\"multipleOf\": 2}", "9007199254740993", " is not a multiple of 2"},
    {"{\"maximum\": 9007199254740992}", "9007199254740993", " is greater than 9007199254740992"},
    {"{\"propertyNames\": {\"maxLength\": 1}}", "{\"ab\": 1}",
     "/ab the name is longer than 1 characters"},
    {"{\"dependentRequired\": {\"a\": [\"b\"]}}", "{\"a\": 1}",
     " has 'a' but lacks 'b', which it requires"},
    {"{\"contains\": {\"const\": 1}, \"minContains\": 2}", "[1, 2]",
     " contains too few matching items"},
    {"{\"oneOf\": [{\"minimum\": 1}, {\"maximum\": 3}]}", "2",
     " fits more than one of the alternatives of oneOf"},
    {"{\"not\": {}}", "1", " fits the schema of not"},
    {"{\"if\": {\"minimum\": 5}, \"then\": {\"maximum\": 6}, \"else\": false}", "7",
     " is greater than 6"},
    {"{\"if\": {\"minimum\": 5}, \"else\": false}", "4", " is not allowed here"},
    {"{\"$ref\": \"#/$defs/a%25b\", \"$defs\": {\"a%b\": {\"type\": \"null\"}}}", "1",
     " is a number, not null"},
    {"{\"properties\": {\"next\": {\"$ref\": \"#\"}}, \"additionalProperties\": false}",
     "{\"next\": {\"next\": {\"x\": 1}}}", "/next/next/x is not a declared parameter"},
    {"{\"$ref\": \"#\"}", "1", "?"},
    {"{\"type\": \"string\", \"nullable\": true}", "null", ""},
    {"{\"prefixItems\": [{\"type\": \"string\"}], \"items\": {\"type\": \"null\"}}",
     "[\"a\", null, 1]", "/2 is a number, not null"},
    {"true", "1", ""},
    {"false", "1", " is not allowed here"},
    {"{\"x\"", "1", "no schema"},
    {"[1, 2,]", "1", "no schema"},
};

static void sentences(void) {
    sluice__buffer message = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = wrong(&heap, cases[i].schema, cases[i].value, &message);
        CHECK_TEXT(got, strlen(got), cases[i].wrong);
    }
    sluice__buffer_release(&heap, &message);
}

/* References that double at every level: 2^30 paths through the schema for every value. */
static void hostile(void) {
    char schema[4096], value[4096];
    sluice__buffer message = {0};
    size_t n = (size_t)sprintf(schema, "{\"$defs\": {");
    for (int i = 0; i < 30; i++)
        n += (size_t)sprintf(schema + n,
                             "\"d%d\": {\"oneOf\": [{\"$ref\": \"#/$defs/d%d\"}, {\"$ref\": "
                             "\"#/$defs/d%d\"}]}, ",
                             i, i + 1, i + 1);
    sprintf(schema + n, "\"d30\": {\"type\": \"null\"}}, \"$ref\": \"#/$defs/d0\"}");
    const char *got = wrong(&heap, schema, "1", &message);
    CHECK_TEXT(got, strlen(got), " fits none of the alternatives of oneOf");
    /* a tree of alternatives for a deep value: each level checks the levels below twice */
    const char *twice = "{\"anyOf\": [{\"items\": {\"$ref\": \"#\"}, \"minItems\": 9}, {\"items\": "
                        "{\"$ref\": \"#\"}, \"maxItems\": 1, \"type\": \"array\"}]}";
    memset(value, '[', 60);
    memset(value + 60, ']', 60);
    value[120] = 0;
    got = wrong(&heap, twice, value, &message);
    CHECK_TEXT(got, strlen(got), "");
    sluice__schema *s;
    sluice__types types;
    uint32_t next = 0;
    CHECK(sluice__schema_new(&heap, schema, strlen(schema), &s) && s);
    CHECK(!sluice__schema_types(s, "x", 1, &next, &types)); /* and it ends */
    sluice__schema_free(&heap, s);
    sluice__buffer_release(&heap, &message);
}

static void types(void) {
    static const char schema[] =
        "{\"properties\": {\"s\": {\"type\": \"string\"}, \"n\": {\"type\": [\"integer\", "
        "\"null\"]}, "
        "\"d\": {\"type\": \"number\"}, \"e\": {\"enum\": [1, \"a\"]}, \"a\": {\"type\": "
        "\"array\", "
        "\"items\": {\"type\": \"boolean\"}}, \"r\": {\"$ref\": \"#/$defs/o\"}, \"any\": {}, "
        "\"t\": true, "
        "\"u\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\"}]}}, \"$defs\": {\"o\": "
        "{\"properties\": {}}}, \"additionalProperties\": {\"type\": \"null\"}}";
    static const struct {
        const char *key;
        unsigned mask, array;
    } want[] = {{"s", SLUICE__STRING, 0},
                {"n", SLUICE__INTEGER | SLUICE__NULL, 0},
                {"d", SLUICE__NUMBER | SLUICE__INTEGER, 0},
                {"e", SLUICE__INTEGER | SLUICE__STRING, 0},
                {"a", SLUICE__ARRAY, SLUICE__BOOLEAN},
                {"r", SLUICE__OBJECT, 0},
                {"any", SLUICE__ANY_TYPE, 0},
                {"t", SLUICE__ANY_TYPE, 0},
                {"u", SLUICE__STRING | SLUICE__OBJECT, 0},
                {"other", SLUICE__NULL, 0}};
    sluice__schema *s;
    sluice__types found;
    uint32_t next = 3;
    CHECK(sluice__schema_new(&heap, schema, sizeof schema - 1, &s) && s);
    for (size_t i = 0; s && i < sizeof want / sizeof *want; i++) {
        CHECK(sluice__schema_types(s, want[i].key, strlen(want[i].key), &next, &found));
        CHECK(found.mask == want[i].mask && found.array == want[i].array);
    }
    sluice__schema_free(&heap, s);
}

/* ---- Two ways to one verdict ----------------------------------------------------------------- */

static unsigned seed = 1;

static int dice(size_t sides) {
    seed = seed * 1103515245 + 12345;
    return (int)((seed >> 16 & 0x7fff) % sides);
}

static void say(sluice__buffer *out, const char *text) {
    CHECK(sluice__buffer_text(&heap, out, text));
}

#define ONE_OF(list) ((list)[dice(sizeof(list) / sizeof *(list))])

static const char *const keys[] = {"\"a\"", "\"b\"", "\"key\"", "\"\\u00e9\"", "\"~/\"", "\"\""};

static void random_value(sluice__buffer *out, int depth) {
    static const char *const plain[] = {
        "0",
        "7",
        "-12",
        "-0.25",
        "5e-1",
        "2.5e0",
        "-7e-20",
        "100000000000000000000.5",
        "3.0",
        "2.5",
        "1e2",
        "12345678901234567890",
        "null",
        "true",
        "false",
        "\"\"",
        "\"a\"",
        "\"b\\n\"",
        "\"\\u0061\"",
        "\"[{\\\"\"",
        "\"\\\\\"",
        "\"caf\xC3\xA9\"",
        "\"long enough for more than one look at it, and [brackets] \\\\\""};
    static const char *const blanks[] = {"", "", " ", "\n\t", "                  "};
    int kind = depth ? dice(4) : 2 + dice(2);
    if (kind > 1) {
        say(out, ONE_OF(plain));
        return;
    }
    say(out, kind ? "{" : "[");
    say(out, ONE_OF(blanks));
    for (int i = dice(5); i; i--) {
        if (kind) {
            say(out, dice(9) ? ONE_OF(keys) : "\"\\u0061\"");
            say(out, ONE_OF(blanks));
            say(out, ":");
            say(out, ONE_OF(blanks));
        }
        random_value(out, depth - 1);
        say(out, ONE_OF(blanks));
        say(out, i > 1 ? "," : "");
        say(out, ONE_OF(blanks));
    }
    say(out, kind ? "}" : "]");
}

static void random_schema(sluice__buffer *out, int depth);

/* Makes a list or map of schemas. */
static void random_schemas(sluice__buffer *out, int depth, const char *brackets) {
    char bracket[2] = {brackets[0], 0};
    say(out, bracket);
    for (int i = 1 + dice(3); i; i--) {
        if (*bracket == '{') {
            say(out, ONE_OF(keys));
            say(out, ":");
        }
        random_schema(out, depth - 1);
        say(out, i > 1 ? "," : "");
    }
    bracket[0] = brackets[1];
    say(out, bracket);
}

static void random_keyword(sluice__buffer *out, int depth) {
    static const char *const small[] = {"\"minimum\":0",
                                        "\"minimum\":2.5",
                                        "\"maximum\":-0.5",
                                        "\"exclusiveMinimum\":-12",
                                        "\"exclusiveMaximum\":7",
                                        "\"minimum\":1e400",
                                        "\"maxItems\":-1",
                                        "\"minLength\":2.5",
                                        "\"enum\":[\"\",\"b\\n\",3,\"caf\\u00e9\"]",
                                        "\"maximum\":9",
                                        "\"multipleOf\":0.5",
                                        "\"minLength\":1",
                                        "\"maxLength\":3",
                                        "\"pattern\":\"a\"",
                                        "\"minItems\":1",
                                        "\"maxItems\":3",
                                        "\"uniqueItems\":true",
                                        "\"minProperties\":1",
                                        "\"maxProperties\":3",
                                        "\"required\":[\"a\"]",
                                        "\"required\":[\"key\",\"b\"]",
                                        "\"nullable\":true",
                                        "\"enum\":[\"a\",7,null,[],{}]",
                                        "\"additionalProperties\":false",
                                        "\"$ref\":\"#\"",
                                        "\"const\":\"a\"",
                                        "\"dependentRequired\":{\"a\":[\"b\"]}",
                                        "\"description\":\"a\""};
    static const char *const types[] = {"\"integer\"", "\"number\"",  "\"string\"", "\"object\"",
                                        "\"array\"",   "\"boolean\"", "\"null\""};
    static const char *const inner[] = {"\"items\":",    "\"additionalProperties\":",
                                        "\"not\":",      "\"propertyNames\":",
                                        "\"contains\":", "\"if\":",
                                        "\"then\":",     "\"items\":"};
    static const char *const lists[] = {
        "\"anyOf\":", "\"oneOf\":", "\"allOf\":", "\"prefixItems\":"};
    static const char *const maps[] = {
        "\"properties\":", "\"properties\":", "\"patternProperties\":", "\"dependentSchemas\":"};
    int what = depth ? dice(8) : dice(3);
    if (what < 2) {
        say(out, "\"type\":[");
        for (int i = dice(4); i; i--) {
            say(out, ONE_OF(types));
            say(out, ",");
        }
        say(out, ONE_OF(types));
        say(out, "]");
    } else if (what < 3) {
        say(out, ONE_OF(small));
    } else if (what < 5) {
        say(out, ONE_OF(inner));
        random_schema(out, depth - 1);
    } else if (what < 6) {
        say(out, ONE_OF(lists));
        random_schemas(out, depth, "[]");
    } else {
        say(out, ONE_OF(maps));
        random_schemas(out, depth, "{}");
    }
}

static void random_schema(sluice__buffer *out, int depth) {
    if (!dice(8)) {
        say(out, dice(5) ? "true" : "false");
        return;
    }
    say(out, "{");
    for (int i = dice(4); i; i--) {
        random_keyword(out, depth);
        say(out, i > 1 ? "," : "");
    }
    say(out, "}");
}

/* Returns whether the value fits, by a pass and by a check of a document. The pass must not take
 * fewer steps. */
static bool both_fit(const char *schema, size_t schema_len, const char *value, size_t len,
                     bool *by_document) {
    sluice__schema *s;
    sluice__buffer message = {0};
    sluice__doc doc = {.known = true};
    size_t place;
    CHECK(sluice__schema_new(&heap, schema, schema_len, &s) && s);
    checker a = {.alloc = &heap, .schema = s, .doc = &doc, .quiet = 1},
            b = {.alloc = &heap, .schema = s, .doc = &doc, .message = &message};
    b.place_len = &place;
    bool fits = sluice__pass(&a, value, len);
    *by_document = sluice__check_document(&b, value, len) == SLUICE__FITS;
    CHECK(!fits || a.steps >= b.steps);
    sluice__check_release(&a);
    sluice__check_release(&b);
    sluice__doc_release(&heap, &doc);
    sluice__buffer_release(&heap, &message);
    sluice__schema_free(&heap, s);
    return fits;
}

/* A pass accepts a value if and only if a check of a document does. */
static void two_ways(void) {
    const char *rounds = getenv("SLUICE_ROUNDS");
    sluice__buffer schema = {0}, value = {0};
    int fitting = 0;
    for (long n = rounds ? atol(rounds) : 20000; n; n--) {
        schema.len = value.len = 0;
        random_schema(&schema, 3);
        random_value(&value, 4);
        CHECK(sluice__buffer_add(&heap, &value, "", 1));
        bool by_document,
            fits = both_fit(schema.data, schema.len, value.data, value.len - 1, &by_document);
        CHECK(fits == by_document);
        if (fits != by_document)
            fprintf(stderr, "%.*s for %s\n", (int)schema.len, schema.data, value.data);
        fitting += fits;
    }
    CHECK(fitting > 100);
    sluice__buffer_release(&heap, &schema);
    sluice__buffer_release(&heap, &value);
}

/* Text that is not JSON must not be read out of bounds. */
static void no_json(void) {
    sluice__buffer schema = {0}, value = {0};
    for (int n = 20000; n; n--) {
        sluice__schema *s;
        sluice__doc doc = {.known = true};
        schema.len = value.len = 0;
        random_schema(&schema, 3);
        random_value(&value, 4);
        CHECK(sluice__schema_new(&heap, schema.data, schema.len, &s) && s);
        size_t len = (size_t)dice(value.len + 1); /* cut, with some bytes changed */
        char *text = malloc(len + 1);
        memcpy(text, value.data, len);
        text[len] = 0;
        for (int i = dice(4); len && i; i--)
            text[dice(len)] = "\"\\[]{},:e.-\n0tz\xC3"[dice(16)];
        checker c = {.alloc = &heap, .schema = s, .doc = &doc, .quiet = 1};
        sluice__pass(&c, text, len);
        free(text);
        sluice__check_release(&c);
        sluice__doc_release(&heap, &doc);
        sluice__schema_free(&heap, s);
    }
    sluice__buffer_release(&heap, &schema);
    sluice__buffer_release(&heap, &value);
}

/* A pass stops where a check of a document gives up: too deep, or too many values. */
static void as_far(void) {
    static const char *const nested[] = {
        "{}",
        "{\"items\": {\"$ref\": \"#\"}}",
        "{\"items\": {\"anyOf\": [{\"$ref\": \"#\"}]}}",
        "{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}, \"minItems\": 0}",
        "{\"items\": {\"anyOf\": [{\"$ref\": \"#\"}, {\"type\": \"null\"}]}}",
        "{\"items\": {\"anyOf\": [{\"type\": \"null\", \"nullable\": true}, {\"$ref\": \"#\"}]}}"};
    static char value[2 * VALUES_MOST + 10];
    int differ = 0;
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
        for (size_t depth = i ? 90 : 1000; depth < (i ? 320 : 1040); depth++)
            for (int inner = 0; inner < 2; inner++) {
                const char *middle = inner ? "null" : "";
                size_t len = strlen(middle);
                memset(value, '[', depth);
                memcpy(value + depth, middle, len);
                memset(value + depth + len, ']', depth);
                value[2 * depth + len] = 0;
                bool by_document, fits = both_fit(nested[i], strlen(nested[i]), value,
                                                  2 * depth + len, &by_document);
                CHECK(!fits || by_document);
                differ += fits != by_document;
            }
    CHECK(differ < 30); /* it stops a few levels earlier */
    for (size_t count = VALUES_MOST - 6; count < VALUES_MOST + 2; count++) {
        size_t len = 0;
        value[len++] = '[';
        for (size_t i = 0; i < count; i++, len += 2)
            memcpy(value + len, "1,", 2);
        value[len - 1] = ']';
        value[len] = 0;
        bool by_document, fits = both_fit("{\"items\": {}}", 13, value, len, &by_document);
        CHECK(!fits || by_document);
        CHECK(by_document == (count < VALUES_MOST - 1) && (fits || count > VALUES_MOST - 5));
    }
}

static long left;

static void *scarce(void *user, void *block, size_t old, size_t size) {
    (void)user, (void)old;
    if (size && left-- <= 0)
        return NULL;
    if (!size) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void no_memory(void) {
    sluice_allocator a = {scarce, NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (long n = 0; n < 1000; n++) {
            sluice__buffer message = {0};
            left = n;
            const char *got = wrong(&a, cases[i].schema, cases[i].value, &message);
            bool enough = strcmp(got, "no memory") != 0;
            if (enough)
                CHECK_TEXT(got, strlen(got), cases[i].wrong);
            sluice__buffer_release(&a, &message);
            if (enough)
                break;
        }
}

int main(void) {
    heap = sluice__libc_allocator();
    patterns();
    matchers();
    sentences();
    hostile();
    types();
    two_ways();
    no_json();
    as_far();
    no_memory();
    return report("schema");
}
