/* Reads nst/JSONTestSuite with the value reader, strict and lenient, cut at every byte:
 * test_json_suite FILE, whose lines have the name and the text of one of its files, or its bytes
 * in hexadecimal. Without a file: a filter that reads standard input leniently. */
#include "check.h"

#include "json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static sluice_allocator heap;

static bool add(void *user, const char *p, size_t n, bool source) {
    (void)source;
    return sluice__buffer_add(&heap, user, p, n);
}

/* The tokens as text: kinds and strings, with lengths. */
static sluice__buffer *tokens;

static bool note_token(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    (void)user, (void)depth;
    char kind = "{[.k:s;v"[token];
    /* join fragments of a string */
    if (token != SLUICE__T_KEY && token != SLUICE__T_STRING)
        if (!sluice__buffer_add(&heap, tokens, &kind, 1))
            return false;
    return sluice__buffer_add(&heap, tokens, p, n);
}

struct outcome {
    sluice__reading what;
    size_t at;
    const char *problem;
    sluice__buffer out, tokens;
};

static void read_all(const char *in, size_t n, size_t chunk, uint32_t flags, struct outcome *o) {
    o->out.len = o->tokens.len = 0;
    tokens = &o->tokens;
    sluice__sink sink = {&o->out, add, note_token, SLUICE__DEPTH_MAX, false, NULL, NULL};
    sluice__reader r;
    sluice__reader_init(&r, &heap, &sink, flags, SLUICE__TOP_ANY, NULL, 0, 512);
    size_t at = 0, used = 0, more = chunk;
    o->what = SLUICE__READ_MORE;
    while (o->what == SLUICE__READ_MORE) {
        size_t k = n - at < more ? n - at : more;
        o->what = sluice__reader_feed(&r, in + at, k, at + k == n, &used);
        at += used;
        more = used < k ? more + chunk : chunk; /* the rest is fed again, with more */
        if (at == n)
            break;
    }
    if (o->what == SLUICE__READ_DONE && !(flags & SLUICE__TOTAL)) /* only white space after it */
        for (size_t i = at; i < n; i++)
            if (!strchr(" \t\r\n", in[i]) || !in[i])
                o->what = SLUICE__READ_STOP;
    o->at = at;
    o->problem = r.problem;
    CHECK(sluice__reader_close(&r));
    sluice__reader_release(&r);
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
    struct outcome first = {0}, o = {0};
    for (int i = 0; i < 5; i++) {
        read_all(text, n, chunks[i], 0, i ? &o : &first);
        if (i) {
            CHECK(o.what == first.what && o.at == first.at);
            CHECK(o.out.len == first.out.len &&
                  (!o.out.len || !memcmp(o.out.data, first.out.data, o.out.len)));
            CHECK(o.tokens.len == first.tokens.len &&
                  (!o.tokens.len || !memcmp(o.tokens.data, first.tokens.data, o.tokens.len)));
        }
    }
    if (name[0] == 'y') {
        CHECK(first.what == SLUICE__READ_DONE);
        CHECK(first.out.len <= n && memcmp(first.out.data, text, first.out.len) == 0);
    } else if (name[0] == 'n') {
        CHECK(first.what != SLUICE__READ_DONE);
        CHECK(first.what == SLUICE__READ_STOP || first.at == n);
    }
    /* lenient: the output is one valid value; strict: it equals the input */
    sluice__buffer strict = {0};
    bool same = sluice__buffer_add(&heap, &strict, first.out.data, first.out.len);
    bool valid = first.what == SLUICE__READ_DONE;
    for (int i = 0; i < 5; i++) {
        read_all(text, n, chunks[i], SLUICE__LENIENT | SLUICE__TOTAL, i ? &o : &first);
        struct outcome *lenient = i ? &o : &first;
        CHECK(sluice__buffer_add(&heap, &lenient->out, "", 1));
        const char *end = NULL;
        cJSON *tree = cJSON_ParseWithLengthOpts(lenient->out.data, lenient->out.len - 1, &end, 0);
        /* cJSON refuses a lone surrogate, which is kept as written */
        CHECK(tree != NULL || strstr(lenient->out.data, "\\uD") ||
              strstr(lenient->out.data, "\\ud"));
        cJSON_Delete(tree);
        if (valid && same)
            CHECK(strict.len == lenient->out.len - 1 &&
                  memcmp(strict.data, lenient->out.data, strict.len) == 0);
        if (failures)
            fprintf(stderr, "in %s\n", name);
        if (failures > 10)
            exit(1);
    }
    sluice__buffer *buffers[] = {&first.out, &first.tokens, &o.out, &o.tokens, &strict};
    for (int i = 0; i < 5; i++)
        sluice__buffer_release(&heap, buffers[i]);
}

/* Reads inputs as `length\n bytes` and writes outputs in the same way, for a judge in another
 * language. */
static int filter(void) {
    size_t n;
    unsigned flags;
    while (scanf("%zu %u", &n, &flags) == 2) {
        char *text = malloc(n + 1);
        getchar();
        if (fread(text, 1, n, stdin) != n)
            return 1;
        struct outcome o = {0}, p = {0};
        read_all(text, n, SIZE_MAX, flags, &o);
        read_all(text, n, 1 + n % 5, flags, &p);
        if (o.out.len != p.out.len || (o.out.len && memcmp(o.out.data, p.out.data, o.out.len)))
            printf("-1\n"); /* the cut made a difference */
        else
            printf("%zu\n", o.out.len);
        fwrite(o.out.data, 1, o.out.len, stdout);
        sluice__buffer *buffers[] = {&o.out, &o.tokens, &p.out, &p.tokens};
        for (int i = 0; i < 4; i++)
            sluice__buffer_release(&heap, buffers[i]);
        free(text);
    }
    return failures != 0;
}

int main(int argc, char **argv) {
    heap = sluice__libc_allocator();
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
