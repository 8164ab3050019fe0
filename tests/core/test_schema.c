/* Compiled schemas: patterns, messages, what cannot be checked, types, hostile schemas, and
 * failures of every allocation. */
#include "check.h"

#include "schema.h"
#include "schema/pattern.h"
#include "typed.h"

#include <stdlib.h>

static sluice_allocator memory;

static view text_of(const char *text) { return view_of(text, strlen(text)); }

static void patterns(void) {
    static const struct {
        const char *pattern, *text;
        int matches; /* -1: it cannot be read */
    } cases[] = {
        {"^a*$", "aaa", 1},
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
        {"^\\u00e9\\x41\\u{1F600}\\ud83d\\ude00$", "\xC3\xA9\x41\xF0\x9F\x98\x80\xF0\x9F\x98\x80",
         1},
        {"^[\\b\\t-]$", "\b", 1},
        {"^.$", "\n", 0},
        {"^a|b$", "ax", 1},
        {"a||b", "", 1},
        {"\\/\\.\\$\\-", "/.$-", 1},
        {"^.{1,2000}$", "abc", 1},
        {"^(ab?){3,9000}$", "abaaba", 1},
        {"^(ab?){3,9000}$", "aba", 0},
        {"^x{0,3}y{2}$", "xxyy", 1},
        {"^x{0,3}y{2}$", "xxxxyy", 0},
        /* look-ahead at the start */
        {"^(?=.*\\d)(?=.*[A-Z]).{4,}$", "aB3x", 1},
        {"^(?=.*\\d)(?=.*[A-Z]).{4,}$", "aB_x", 0},
        {"^(?!tmp|.*\\.$)\\w+", "temp", 1},
        {"^(?!tmp|.*\\.$)\\w+", "tmp1", 0},
        {"^(?!tmp|.*\\.$)\\w+", "t.", 0},
        {"^(?=a)(?!ab)", "ac", 1},
        {"^(?=a)b|c", "c", -1},
        {"(?=a)", "a", -1},
        {"^a(?!b)", "ac", -1},
        {"^(?=a(?!b))", "ac", -1},
        {"^(?=a)*", "a", -1},
        {"^(?=a", "a", -1},
        /* classes of characters */
        {"^\\p{L}+$", "aZ\xC3\xA9\xE4\xBD\xA0", 1},
        {"^\\p{L}+$", "a1", 0},
        {"^[\\p{Lu}\\p{Nd}_]+$", "A\xC3\x89_\xD9\xA3", 1},
        {"^[\\p{Lu}\\p{Nd}_]+$", "\xC3\xA9", 0},
        {"^\\P{Letter}$", "-", 1},
        {"^[^\\P{gc=Uppercase_Letter}]$", "\xC4\x80", 1},
        {"^[^\\P{gc=Uppercase_Letter}]$", "\xC4\x81", 0},
        {"^\\p{Script=Han}", "a", -1},
        {"\\p{S}\\p{S}\\p{Z}\\p{P}\\p{C}", "\xE2\x82\xAC\xF0\x9F\x98\x80 -\xE2\x80\x8B", 1},
        {"\\p{Sc}", "\xE2\x82\xAC", -1},
        {"[\\s\\S]", "\n", 1},
        {"^[^\\d\\D]$", "a", 0},
        {"\\p{Nonsense}", "a", -1},
        {"\\pL", "a", -1},
        {"\\p{L", "a", -1},
        {"(?<=a)b", "ab", -1},
        {"(a)\\1", "aa", -1},
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
        {"a{60001}", "", -1},
        {"((((a{99}){99}){99}){99})", "", -1}};
    sluice__matcher m = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sluice__pattern *p;
        bool found = false;
        uint64_t steps = 0;
        size_t room = 100000;
        CHECK(sluice__pattern_new(&memory, text_of(cases[i].pattern), &room, &p));
        if ((p == NULL) != (cases[i].matches < 0))
            fprintf(stderr, "%s\n", cases[i].pattern);
        CHECK((p == NULL) == (cases[i].matches < 0));
        if (!p)
            continue;
        CHECK(sluice__pattern_matches(&memory, &m, p, text_of(cases[i].text), &found, 1000000,
                                      &steps));
        if (found != (cases[i].matches == 1))
            fprintf(stderr, "%s on %s\n", cases[i].pattern, cases[i].text);
        CHECK(found == (cases[i].matches == 1));
        sluice__pattern_free(&memory, p);
    }
    /* exponential time in other implementations; and many states, of which few are reached */
    static const char *const costly[] = {"^((a|a?)*)*b$", "^[a-z]{1,25000}$", "^(?!.*b)(?=.*b)a*$"};
    static char text[20001];
    memset(text, 'a', 20000);
    for (size_t i = 0; i < 3; i++) {
        sluice__pattern *p;
        bool found;
        uint64_t steps = 0;
        size_t room = 100000;
        CHECK(sluice__pattern_new(&memory, text_of(costly[i]), &room, &p) && p);
        CHECK(sluice__pattern_matches(&memory, &m, p, view_of(text, 20000), &found, 10000000,
                                      &steps));
        CHECK(found == (i == 1) && steps < 600000);
        sluice__pattern_free(&memory, p);
    }
    /* thousands of alternatives */
    static char many[32000];
    size_t n = (size_t)sprintf(many, "^(?:");
    for (int i = 0; i < 5000; i++)
        n += (size_t)sprintf(many + n, "%d|", i);
    n += (size_t)sprintf(many + n, "x)$");
    for (int i = 0; i < 4; i++) {
        static const char *const texts[] = {"0", "4999", "x", "5000"};
        sluice__pattern *p;
        bool found;
        uint64_t steps = 0;
        size_t room = 100000;
        CHECK(sluice__pattern_new(&memory, view_of(many, n), &room, &p) && p);
        CHECK(sluice__pattern_matches(&memory, &m, p, text_of(texts[i]), &found, 10000000, &steps));
        CHECK(found == (i < 3));
        sluice__pattern_free(&memory, p);
    }
    sluice__matcher_release(&memory, &m);
}

/* Returns the violation: "" if there is none, "?" and what was not checked, "?" if the check gave
 * up, "2" and a key that is given twice. */
static const char *wrong(const sluice_allocator *a, const char *schema, const char *value,
                         sluice__buffer *message) {
    sluice__schema *s;
    size_t place = 0;
    message->len = 0;
    if (!sluice__schema_new(a, schema, strlen(schema), &s))
        return "no memory";
    if (!s)
        return "no schema";
    sluice__doc doc = {0};
    sluice__doc_result how = sluice__doc_read(a, &doc, value, strlen(value));
    sluice__fit v = how == SLUICE__DOC_OK      ? sluice__schema_check(a, s, &doc, message, &place)
                    : how == SLUICE__DOC_NOMEM ? SLUICE__CHECK_NOMEM
                                               : SLUICE__GAVE_UP;
    sluice__doc_release(a, &doc);
    sluice__schema_free(a, s);
    if (v == SLUICE__CHECK_NOMEM || !sluice__buffer_add(a, message, "", 1))
        return "no memory";
    if (v == SLUICE__FITS || v == SLUICE__GAVE_UP)
        return v == SLUICE__FITS ? "" : "?";
    if (v != SLUICE__BREAKS) {
        CHECK(sluice__buffer_reserve(&memory, message, 1));
        memmove(message->data + 1, message->data, message->len);
        message->data[0] = v == SLUICE__REPEATS ? '2' : '?';
    }
    return message->data;
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
    /* what cannot be checked is said, if it applies to the value and nothing else breaks */
    {"{\"pattern\": \"(?<=x)\"}", "\"A\"",
     "? was not checked against the schema: its /pattern is a pattern that cannot be checked: "
     "\"(?<=x)\""},
    {"{\"pattern\": \"(?<=x)\"}", "1", ""},
    {"{\"pattern\": \"(?<=x)\", \"maxLength\": 1}", "\"AA\"", " is longer than 1 characters"},
    {"{\"properties\": {\"a\": {\"required\": \"x\"}}}", "{\"a\": {}}",
     "?/a was not checked against the schema: its /properties/a/required has a value of the wrong "
     "kind: \"x\""},
    {"{\"properties\": {\"a\": {\"required\": \"x\"}}}", "{\"a\": 1, \"b\": {}}", ""},
    {"{\"properties\": {\"a\": 5}}", "{\"a\": {}}",
     "?/a was not checked against the schema: its /properties/a is not a schema"},
    {"{\"$ref\": \"#/nowhere\"}", "1",
     "? was not checked against the schema: its /$ref leads nowhere in this schema: "
     "\"#/nowhere\""},
    {"{\"items\": {\"type\": [\"string\", \"colour\"]}}", "[1]",
     "?/0 was not checked against the schema: its /items/type/1 is an unknown type: "
     "\"colour\""},
    {"{\"type\": \"any\", \"title\": 5, \"format\": \"x\", \"x-mine\": []}", "1", ""},
    {"{\"type\": \"int[]\"}", "5", " is a number, not int[]"},
    {"{\"type\": \"int[]\"}", "[5]",
     "? was not checked against the schema: its /type is an unknown type: \"int[]\""},
    {"{\"items\": null, \"not\": null, \"additionalProperties\": null}", "{\"a\": [1]}", ""},
    {"{\"properties\": {\"a\": {\"required\": true}}, \"required\": null}", "{}",
     " lacks the required member 'a'"},
    {"{\"properties\": {\"a\": {\"required\": false}}}", "{}", ""},
    {"{\"patternProperties\": {\"(a)\\\\1\": {}}, \"additionalProperties\": false}", "{\"a\": 1}",
     "? was not checked against the schema: its /patternProperties/(a)\\1 has a pattern that "
     "cannot be checked: \"(a)\\1\""},
    {"{\"contentEncoding\": \"base64\"}", "\"%\"", ""},
    {"{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"contentEncoding\": \"base64\"}",
     "\"%\"",
     "? was not checked against the schema: its /contentEncoding is a keyword that is not "
     "supported: \"base64\""},
    {"{\"disallow\": \"string\"}", "1",
     "? was not checked against the schema: its /disallow is a keyword that is not supported: "
     "\"string\""},
    /* in an alternative, nothing that follows from it is certain */
    {"{\"not\": {\"pattern\": \"\\\\k\"}}", "\"a\"",
     "? was not checked against the schema: its /not/pattern is a pattern that cannot be checked: "
     "\"\\k\""},
    {"{\"oneOf\": [{\"pattern\": \"\\\\k\"}, {\"type\": \"string\"}]}", "\"a\"",
     "? was not checked against the schema: its /oneOf/0/pattern is a pattern that cannot be "
     "checked: \"\\k\""},
    {"{\"anyOf\": [{\"type\": \"number\", \"pattern\": \"\\\\k\"}, {\"minLength\": 2}]}", "\"a\"",
     " fits none of the alternatives of anyOf"},
    /* names of schemas */
    {"{\"properties\": {\"a\": {\"$ref\": \"#x\"}}, \"$defs\": {\"b\": {\"$anchor\": \"x\", "
     "\"type\": "
     "\"null\"}}}",
     "{\"a\": 1}", "/a is a number, not null"},
    {"{\"$id\": \"http://h/d/r\", \"items\": {\"$ref\": \"s#x\"}, \"$defs\": {\"b\": {\"$id\": "
     "\"/d/s\", "
     "\"$defs\": {\"c\": {\"$anchor\": \"x\", \"type\": \"null\"}}}}}",
     "[1]", "/0 is a number, not null"},
    /* keywords of other drafts */
    {"{\"minimum\": 3, \"exclusiveMinimum\": true}", "3", " is not greater than 3"},
    {"{\"minimum\": 3, \"exclusiveMinimum\": false}", "3", ""},
    {"{\"dependencies\": {\"a\": [\"b\"], \"c\": {\"maxProperties\": 1}}}", "{\"a\": 1}",
     " has 'a' but lacks 'b', which it requires"},
    {"{\"dependencies\": {\"a\": [\"b\"], \"c\": {\"maxProperties\": 1}}}", "{\"c\": 1, \"d\": 2}",
     " has 2 members, more than 1"},
    {"{\"allOf\": [{\"properties\": {\"a\": {}}}], \"unevaluatedProperties\": false}",
     "{\"a\": 1, \"b\": 2}", "/b is not a declared parameter"},
    {"{\"anyOf\": [{\"prefixItems\": [{}, {}], \"minItems\": 2}, {}], \"unevaluatedItems\": "
     "{\"type\": "
     "\"null\"}}",
     "[1, 2, null, 3]", "/3 is a number, not null"},
    /* beside a $ref nothing counts in old drafts */
    {"{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"definitions\": {\"a\": "
     "{\"type\": \"number\"}}, \"items\": {\"$ref\": "
     "\"#/definitions/a\", \"maximum\": 1}}",
     "[2]", ""},
    {"{\"definitions\": {\"a\": {\"type\": \"number\"}}, \"items\": {\"$ref\": "
     "\"#/definitions/a\", "
     "\"maximum\": 1}}",
     "[2]", "/0 is greater than 1"},
    {"{\"properties\": {\"s\": {\"$ref\": \"http://json-schema.org/draft-07/schema#\"}}}",
     "{\"s\": {\"items\": [{\"minLength\": -1}]}}",
     "/s/items fits none of the alternatives of anyOf"},
    {"{\"properties\": {\"s\": {\"$ref\": \"http://json-schema.org/draft-07/schema#\"}}}",
     "{\"s\": {\"items\": [{\"minLength\": 1}]}}", ""},
    /* keys that are given twice; those of the top are reported while they are read */
    {"{}", "{\"a\": {\"x\": 1, \"y\": [{\"k\": 1, \"\\u006b\": 2}]}}", "2/a/y/0/k is given twice"},
    {"{}", "{\"a\": {\"x\": 1}, \"b\": {\"x\": 1}, \"a\": 2}", ""},
    {"{\"type\": \"null\"}", "{\"a\": {\"x\": 1, \"x\": 1}}", " is an object, not null"},
    {"true", "1", ""},
    {"false", "1", " is not allowed here"},
    {"{\"x\"", "1", "no schema"},
    {"[1, 2,]", "1", "no schema"},
};

static void sentences(void) {
    sluice__buffer message = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = wrong(&memory, cases[i].schema, cases[i].value, &message);
        CHECK_TEXT(got, strlen(got), cases[i].wrong);
    }
    sluice__buffer_release(&memory, &message);
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
    const char *got = wrong(&memory, schema, "1", &message);
    CHECK_TEXT(got, strlen(got), " fits none of the alternatives of oneOf");
    /* a tree of alternatives for a deep value: each level checks the levels below twice */
    const char *twice = "{\"anyOf\": [{\"items\": {\"$ref\": \"#\"}, \"minItems\": 9}, {\"items\": "
                        "{\"$ref\": \"#\"}, \"maxItems\": 1, \"type\": \"array\"}]}";
    memset(value, '[', 60);
    memset(value + 60, ']', 60);
    value[120] = 0;
    got = wrong(&memory, twice, value, &message);
    CHECK_TEXT(got, strlen(got), "");
    /* a schema that is too deep is not checked, and says so */
    static char deep[2 * 1100 * 8 + 8];
    n = 0;
    for (int i = 0; i < 1100; i++)
        n += (size_t)sprintf(deep + n, "{\"not\":");
    n += (size_t)sprintf(deep + n, "0");
    memset(deep + n, '}', 1100);
    got = wrong(&memory, deep, "1", &message);
    CHECK_TEXT(got, strlen(got), "? was not checked: the schema is too large to be checked");
    sluice__schema *s;
    sluice__types types;
    CHECK(sluice__schema_new(&memory, schema, strlen(schema), &s) && s);
    CHECK(sluice__schema_child(s, 0, text_of("x"), false, &types) == SIZE_MAX); /* and it ends */
    sluice__schema_free(&memory, s);
    sluice__buffer_release(&memory, &message);
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
    CHECK(sluice__schema_new(&memory, schema, sizeof schema - 1, &s) && s);
    for (size_t i = 0; s && i < sizeof want / sizeof *want; i++) {
        CHECK(sluice__schema_child(s, 0, text_of(want[i].key), false, &found) != SIZE_MAX);
        CHECK(found.mask == want[i].mask && found.array == want[i].array);
    }
    sluice__schema_free(&memory, s);
}

/* ---- Random schemas and values --------------------------------------------------------------- */

static unsigned seed = 1;

static int dice(size_t sides) {
    seed = seed * 1103515245 + 12345;
    return (int)((seed >> 16 & 0x7fff) % sides);
}

static void say(sluice__buffer *out, const char *text) {
    CHECK(sluice__buffer_add(&memory, out, text, strlen(text)));
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

/* Text that is not JSON must not be read out of bounds. */
static void no_json(void) {
    sluice__buffer schema = {0}, value = {0};
    for (int n = 20000; n; n--) {
        sluice__schema *s;
        sluice__buffer message = {0};
        sluice__doc doc = {0};
        size_t place;
        schema.len = value.len = 0;
        random_schema(&schema, 3);
        random_value(&value, 4);
        CHECK(sluice__schema_new(&memory, schema.data, schema.len, &s) && s);
        size_t len = (size_t)dice(value.len + 1); /* cut, with some bytes changed */
        char *text = malloc(len + 1);
        memcpy(text, value.data, len);
        text[len] = 0;
        for (int i = dice(4); len && i; i--)
            text[dice(len)] = "\"\\[]{},:e.-\n0tz\xC3"[dice(16)];
        if (sluice__doc_list(&memory, &doc, view_of(text, len)) == SLUICE__DOC_OK)
            sluice__schema_check(&memory, s, &doc, &message, &place);
        sluice__doc_release(&memory, &doc);
        free(text);
        sluice__buffer_release(&memory, &message);
        sluice__schema_free(&memory, s);
        /* a cut schema is read as none, or noted */
        schema.data[schema.len - 1] = 0;
        CHECK(sluice__schema_new(&memory, schema.data, schema.len - 1, &s));
        sluice__schema_free(&memory, s);
    }
    sluice__buffer_release(&memory, &schema);
    sluice__buffer_release(&memory, &value);
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
    memory = sluice__libc_allocator();
    patterns();
    sentences();
    hostile();
    types();
    no_json();
    no_memory();
    return report("schema");
}
