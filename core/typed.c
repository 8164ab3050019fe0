#include "typed.h"
#include "json/run.h"

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

unsigned sluice__types_beside_array(const sluice__types *types) {
    unsigned others = types->mask & ~(types->array | (unsigned)SLUICE__ARRAY);
    /* if items are strings, only JSON text is read as another type */
    return types->array && others ? others | (types->array & SLUICE__STRING) : 0;
}

unsigned sluice__types_said(const sluice__types *types, unsigned said) {
    enum { TEXT = SLUICE__STRING | SLUICE__NULL };
    bool text = (said & SLUICE__ANY_TYPE) != SLUICE__STRING && types->declared &&
                types->mask & SLUICE__STRING && !(types->mask & ~(unsigned)TEXT);
    return text ? types->mask | (said & ~(unsigned)SLUICE__ANY_TYPE) : said;
}

bool sluice__only_string(unsigned types, unsigned char c) {
    if (types & SLUICE__SAID_JSON)
        return false;
    if (c == '{')
        return !(types & SLUICE__OBJECT);
    if (c == '[')
        return !(types & SLUICE__ARRAY);
    if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
        return !(types & (SLUICE__INTEGER | SLUICE__NUMBER));
    switch (c) {
    case 'n':
    case 'N':
        return !(types & SLUICE__NULL);
    case 't':
    case 'T':
    case 'f':
    case 'F':
        return !(types & SLUICE__BOOLEAN);
    case ' ':
    case '\t':
    case '\r':
    case '\n':
        return false;
    case '"': /* text encoded twice, if no string is allowed or the text says that it is JSON */
        return types & SLUICE__STRING && !(types & SLUICE__QUOTED_STRING);
    default:
        return true;
    }
}

/* True if p[0..n) is `word`, in upper or lower case. */
static bool is_word(const char *p, size_t n, const char *word) {
    size_t i = 0;
    for (; i < n && word[i]; i++)
        if ((p[i] >= 'A' && p[i] <= 'Z' ? p[i] + 32 : p[i]) != word[i])
            return false;
    return i == n && !word[i];
}

struct collect {
    const sluice_allocator *alloc;
    sluice__buffer *out;
    bool mended;
    bool lost; /* something may be lost, or misread */
};

static bool collect_raw(void *user, const char *p, size_t n, bool source) {
    struct collect *c = user;
    (void)source;
    return sluice__buffer_add(c->alloc, c->out, p, n);
}

static bool collect_note(void *user, const char *code, const char *message) {
    struct collect *c = user;
    (void)message;
    c->mended = true;
    c->lost |= strcmp(code, "ignored_argument") == 0 || strcmp(code, "bad_arguments") == 0;
    return true;
}

/* Reads a whole value with these flags; `*good` becomes true if only white space is left. */
static bool read_value(const sluice_allocator *a, const char *p, size_t n, uint32_t flags, bool cut,
                       sluice__buffer *out, bool *good, bool *mended) {
    struct collect c = {a, out, false, false};
    sluice__sink sink = {&c, collect_raw, NULL, 0, false, collect_note, NULL};
    sluice__reader r;
    size_t before = out->len, used;
    bool memory = true;
    sluice__reader_init(&r, a, &sink, flags, SLUICE__TOP_ANY, NULL, 0, 0);
    sluice__reading what = sluice__reader_feed(&r, p, n, true, &used);
    *good = what == SLUICE__READ_DONE;
    if (what == SLUICE__READ_MORE && cut) {
        memory = sluice__reader_close(&r);
        *good = memory && out->len > before;
        c.mended = true;
    }
    while (*good && used < n && is_space(p[used]))
        used++;
    if (used < n || c.lost)
        *good = false;
    sluice__reader_release(&r);
    if (!*good)
        out->len = before;
    *mended = c.mended;
    return memory && what != SLUICE__READ_NOMEM;
}

static bool collect_token(void *user, sluice__token token, size_t depth, const char *p, size_t n) {
    struct collect *c = user;
    (void)depth;
    return token != SLUICE__T_STRING || sluice__buffer_add(c->alloc, c->out, p, n);
}

static bool ignore_raw(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

bool sluice__json_text(const sluice_allocator *a, const char *p, size_t n, sluice__buffer *out,
                       bool *good) {
    struct collect c = {a, out, false, false};
    sluice__sink sink = {&c, ignore_raw, collect_token, 0, false, NULL, NULL};
    sluice__reader r;
    size_t used;
    sluice__reader_init(&r, a, &sink, 0, SLUICE__TOP_ANY, NULL, 0, 0);
    sluice__reading what = sluice__reader_feed(&r, p, n, true, &used);
    sluice__reader_release(&r);
    *good = what == SLUICE__READ_DONE && used == n;
    return what != SLUICE__READ_NOMEM;
}

/* Reads a value that is JSON encoded in a JSON string. */
static bool read_encoded(const sluice_allocator *a, const char *p, size_t n, unsigned types,
                         uint32_t flags, sluice__buffer *out, unsigned *type, bool *mended) {
    sluice__buffer text = {0};
    bool good, memory = sluice__json_text(a, p, n, &text, &good);
    if (memory && good && text.len && *text.data != '"')
        memory = sluice__typed(a, text.data, text.len, types, flags, false, out, type, mended);
    sluice__buffer_release(a, &text);
    *mended = true;
    return memory;
}

unsigned sluice__typed_as_it_is(const char **text, size_t *len, unsigned types) {
    enum { LONG = 64 };
    const char *p = *text;
    size_t n = *len, whole;
    while (n && is_space(*p))
        p++, n--;
    while (n && is_space(p[n - 1]))
        n--;
    *text = p;
    *len = n;
    if (!n || n > LONG)
        return 0;
    if (*p == '-' || (*p >= '0' && *p <= '9')) {
        if (!(types & (SLUICE__INTEGER | SLUICE__NUMBER)) ||
            sluice__number_run(p, n, true, &whole) != n)
            return 0;
        return whole == n ? SLUICE__INTEGER : types & SLUICE__NUMBER;
    }
    if (n == 4 && memcmp(p, "null", 4) == 0)
        return types & SLUICE__NULL;
    bool word = (n == 4 && memcmp(p, "true", 4) == 0) || (n == 5 && memcmp(p, "false", 5) == 0);
    return word ? types & SLUICE__BOOLEAN : 0;
}

bool sluice__typed(const sluice_allocator *a, const char *p, size_t n, unsigned types,
                   uint32_t flags, bool cut, sluice__buffer *out, unsigned *type, bool *mended) {
    bool strict = types & SLUICE__STRING, good = false;
    *type = 0;
    *mended = false;
    while (n && is_space(p[0]))
        p++, n--;
    while (n && is_space(p[n - 1]))
        n--;
    if (!n)
        return true;
    if (p[0] == '"' && types & SLUICE__QUOTED_STRING) {
        bool read = read_value(a, p, n, 0, cut, out, &good, mended);
        *type = good ? SLUICE__STRING : 0;
        return read;
    }
    if (p[0] == '{' || p[0] == '[') {
        unsigned want = p[0] == '{' ? SLUICE__OBJECT : SLUICE__ARRAY;
        if (!(types & want))
            return true;
        if (!read_value(a, p, n, 0, cut, out, &good, mended))
            return false;
        if (!good && (!strict || types & SLUICE__SAID_JSON) && flags &&
            !read_value(a, p, n, flags, cut, out, &good, mended))
            return false;
        *type = good ? want : 0;
        return true;
    }
    if (cut) /* the end of a word or number was not seen */
        return true;
    if (*p == '"' && !strict && flags)
        return read_encoded(a, p, n, types, flags, out, type, mended);
    if (types & SLUICE__NULL && (strict ? n == 4 && memcmp(p, "null", 4) == 0
                                        : is_word(p, n, "null") || is_word(p, n, "none"))) {
        *type = SLUICE__NULL;
        *mended = memcmp(p, "null", 4) != 0;
        return sluice__buffer_add(a, out, "null", 4);
    }
    if (types & SLUICE__NULL && strict && flags && n == 4 && memcmp(p, "None", 4) == 0) {
        *type = SLUICE__NULL;
        return sluice__buffer_add(a, out, "null", 4);
    }
    if (types & (SLUICE__INTEGER | SLUICE__NUMBER) && p[0] != '"' && p[0] != '\'') {
        size_t before = out->len;
        uint32_t number = strict ? 0 : flags & SLUICE__NUMBERS;
        if (!read_value(a, p, n, number, false, out, &good, mended))
            return false;
        char c = good ? out->data[before] : 0;
        if (good && ((c >= '0' && c <= '9') || c == '-')) {
            bool fraction = false;
            for (size_t i = before; i < out->len; i++)
                if (out->data[i] == '.' || out->data[i] == 'e' || out->data[i] == 'E')
                    fraction = true;
            bool whole = fraction; /* 5.0 is an integer, too */
            if (fraction) {
                size_t dot = before;
                while (dot < out->len && out->data[dot] != '.')
                    dot++;
                for (size_t i = dot + 1; i < out->len; i++)
                    if (out->data[i] != '0')
                        whole = false;
                if (dot == out->len)
                    whole = false;
            }
            if (types & SLUICE__NUMBER || !fraction || whole) {
                *type = fraction && types & SLUICE__NUMBER ? SLUICE__NUMBER : SLUICE__INTEGER;
                return true;
            }
        }
        out->len = before;
    }
    if (types & SLUICE__BOOLEAN) {
        const char *word = is_word(p, n, "true") ? "true" : is_word(p, n, "false") ? "false" : NULL;
        bool python = flags && word && p[0] + 32 == word[0] && memcmp(p + 1, word + 1, n - 1) == 0;
        if (word && (!strict || python || memcmp(p, word, n) == 0)) {
            *type = SLUICE__BOOLEAN;
            *mended = memcmp(p, word, n) != 0;
            return sluice__buffer_add(a, out, word, strlen(word));
        }
    }
    return true;
}
