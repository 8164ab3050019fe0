/* Reads nst/JSONTestSuite with the value reader, strict and lenient, cut at every byte:
 * test_json_suite FILE, whose lines have the name and the text of one of its files, or its bytes
 * in hexadecimal. Without a file: a filter that reads standard input leniently. */
#include "check.h"

#include "json/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static heap memory;

enum { STRICT, LENIENT, PYTHON };

struct outcome {
    json_end what;
    size_t at; /* how far it was read */
    bool lone; /* text that is no value: nothing was read */
    out text;
};

/* Reads in[0, n) in pieces of `chunk` bytes, and closes what is open. */
static void read_all(const char *in, size_t n, size_t chunk, int how, struct outcome *o) {
    json j = {0};
    size_t upto = 0;
    view v = {in, in};
    o->text.heap = &memory;
    o->text.b.len = 0;
    j.limit = 512;
    sluice__json_begin(&j, how == PYTHON);
    j.strict = how == STRICT;
    do {
        upto = n - upto < chunk ? n : upto + chunk;
        v.end = in + upto;
        o->what = sluice__json_go(&j, &v, upto < n ? SIZE_MAX : 0, &o->text);
    } while (o->what == JSON_MORE && upto < n);
    o->lone = j.place == BEFORE_VALUE;
    if (o->what != JSON_DONE)
        sluice__json_closing(&j, &o->text);
    if (how == STRICT && o->what == JSON_DONE) { /* only white space after it */
        v.p = past_space((view){v.p, in + n});
        o->what = v.p < in + n ? JSON_ODD : JSON_DONE;
    }
    o->at = (size_t)(v.p - in);
    if (o->lone)
        o->text.b.len = 0;
}

static bool same_outcome(const struct outcome *a, const struct outcome *b) {
    return a->what == b->what && a->text.b.len == b->text.b.len &&
           (!a->text.b.len || memcmp(a->text.b.data, b->text.b.data, a->text.b.len) == 0);
}

/* The whole file, followed by a NUL. */
static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t cap = 0, n = 0;
    for (size_t k = f != NULL; k;) {
        data = realloc(data, (cap += 65536) + 1);
        k = fread(data + n, 1, cap - n, f);
        n += k;
        data[n] = 0;
    }
    if (f)
        fclose(f);
    return data;
}

/* Replaces hexadecimal digits by their bytes; returns how many there are. */
static size_t from_hex(char *hex) {
    size_t n = 0;
    for (char digits[3] = ""; hex[2 * n]; n++) {
        memcpy(digits, hex + 2 * n, 2);
        hex[n] = (char)strtoul(digits, NULL, 16);
    }
    return n;
}

static void check_file(const char *name, const char *text, size_t n) {
    static const size_t chunks[] = {SIZE_MAX, 1, 2, 3, 7};
    struct outcome strict = {0}, first = {0}, o = {0};
    for (int how = STRICT; how <= PYTHON; how++)
        for (int i = 0; i < 5; i++) {
            read_all(text, n, chunks[i], how, i ? &o : &first);
            CHECK(i == 0 || same_outcome(&o, &first));
            if (how == STRICT && i == 0) {
                read_all(text, n, SIZE_MAX, how, &strict);
                if (name[0] == 'y') {
                    CHECK(strict.what == JSON_DONE);
                    CHECK(strict.text.b.len <= n &&
                          memcmp(strict.text.b.data, text, strict.text.b.len) == 0);
                }
                CHECK(name[0] != 'n' || strict.what != JSON_DONE);
            }
            /* the output is one valid value; of strict JSON, the input */
            if (how == LENIENT && i == 0 && strict.what == JSON_DONE)
                CHECK(same_outcome(&first, &strict));
            put(&first.text, "", 1);
            first.text.b.len--;
            const char *end = NULL, *json = out_text(&first.text);
            cJSON *tree = cJSON_ParseWithLengthOpts(json, first.text.b.len, &end, 0);
            /* cJSON refuses a lone surrogate, which is kept as written */
            CHECK(tree || first.lone || strstr(json, "\\u") || how == STRICT);
            cJSON_Delete(tree);
            if (failures) {
                fprintf(stderr, "in %s, %d, chunk %zu\n", name, how, chunks[i]);
                exit(1);
            }
        }
    sluice__buffer *buffers[] = {&strict.text.b, &first.text.b, &o.text.b};
    for (int i = 0; i < 3; i++)
        sluice__buffer_release(&memory.alloc, buffers[i]);
}

/* Reads inputs as `length how\n bytes` and writes outputs in the same way, for a judge in another
 * language: -1, if the cut made a difference; -2: no value. */
static int filter(void) {
    size_t n;
    int how;
    while (scanf("%zu %d", &n, &how) == 2) {
        char *text = malloc(n + 1);
        getchar();
        if (fread(text, 1, n, stdin) != n)
            return 1;
        struct outcome o = {0}, p = {0};
        read_all(text, n, SIZE_MAX, how, &o);
        read_all(text, n, 1 + n % 5, how, &p);
        printf("%d\n", !same_outcome(&o, &p) ? -1 : o.lone ? -2 : (int)o.text.b.len);
        fwrite(out_text(&o.text), 1, o.lone ? 0 : o.text.b.len, stdout);
        sluice__buffer_release(&memory.alloc, &o.text.b);
        sluice__buffer_release(&memory.alloc, &p.text.b);
        free(text);
    }
    return failures != 0;
}

int main(int argc, char **argv) {
    memory.alloc = sluice__libc_allocator();
    if (argc < 2)
        return filter();
    char *lines = slurp(argv[1]);
    int files = 0;
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *file = cJSON_Parse(line);
        char *text = cJSON_GetStringValue(cJSON_GetObjectItem(file, "text"));
        char *hex = cJSON_GetStringValue(cJSON_GetObjectItem(file, "hex"));
        check_file(cJSON_GetStringValue(cJSON_GetObjectItem(file, "name")), text ? text : hex,
                   text ? strlen(text) : from_hex(hex));
        cJSON_Delete(file);
        files++;
    }
    free(lines);
    CHECK(files > 300);
    printf("%d files\n", files);
    return report("json suite");
}
