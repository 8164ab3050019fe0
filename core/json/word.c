/* Numbers and bare words. */
#include "inside.h"
#include "run.h"

size_t number_length(const char *p, size_t n) {
    size_t whole;
    return sluice__number_run(p, n, true, &whole);
}

static bool word_is(const sluice__buffer *w, const char *s) {
    return w->len == strlen(s) && memcmp(w->data, s, w->len) == 0;
}

/* Repairs a number in place: sign, leading zeros, missing digits, underscores. */
static bool mend_number(sluice__buffer *w) {
    char *p = w->data;
    size_t n = 0, i = 0, digits = 0;
    if (!w->len)
        return false;
    if (p[i] == '+')
        i++;
    else if (p[i] == '-')
        p[n++] = p[i++];
    while (i < w->len && p[i] == '0' && i + 1 < w->len && p[i + 1] >= '0' && p[i + 1] <= '9')
        i++;
    if (i < w->len &&
        p[i] == '.') { /* .5 needs room for its 0: only if a sign or zero was removed */
        if (n == i)
            return false;
        p[n++] = '0';
    }
    for (; i < w->len; i++) {
        if (p[i] == '_' && digits)
            continue;
        if (p[i] >= '0' && p[i] <= '9')
            digits++;
        if (p[i] == '.' && (i + 1 == w->len || p[i + 1] == 'e' || p[i + 1] == 'E'))
            continue;
        p[n++] = p[i];
    }
    w->len = n;
    return digits && number_length(p, n) == n;
}

bool is_word_byte(unsigned char c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80)
        return true;
    switch (c) {
    case '_':
    case '$':
    case '+':
    case '-':
    case '.':
    case '/':
    case '@':
    case '*':
    case '%':
    case '!':
    case '?':
    case '&':
    case '~':
    case '^':
    case '|':
    case ';':
        return true;
    default:
        return false;
    }
}

bool starts_word(const sluice__reader *r, unsigned char c) {
    if ((c >= '0' && c <= '9') || c == '-' || (c >= 'a' && c <= 'z'))
        return true;
    if (r->flags & SLUICE__NUMBERS && (c == '+' || c == '.'))
        return true;
    if (c >= 'A' && c <= 'Z')
        return r->flags & (SLUICE__WORDS | SLUICE__BARE | SLUICE__NONFINITE | SLUICE__PYTHON);
    return r->flags & SLUICE__BARE && (c == '_' || c == '$' || c == '@' || c >= 0x80);
}

static bool scalar(sluice__reader *r, const char *p, size_t n) {
    return out(r, p, n, false) && token(r, SLUICE__T_SCALAR, p, n) && settle(r);
}

/* Words for values; the flag that each needs. */
static const struct {
    const char *word, *json;
    uint32_t flag;
} words[] = {{"true", "true", 0},
             {"false", "false", 0},
             {"null", "null", 0},
             {"True", "true", SLUICE__WORDS | SLUICE__PYTHON},
             {"False", "false", SLUICE__WORDS | SLUICE__PYTHON},
             {"None", "null", SLUICE__WORDS | SLUICE__PYTHON},
             {"TRUE", "true", SLUICE__WORDS},
             {"FALSE", "false", SLUICE__WORDS},
             {"NULL", "null", SLUICE__WORDS},
             {"undefined", "null", SLUICE__NONFINITE},
             {"NaN", "null", SLUICE__NONFINITE},
             {"nan", "null", SLUICE__NONFINITE},
             {"Infinity", "null", SLUICE__NONFINITE},
             {"+Infinity", "null", SLUICE__NONFINITE},
             {"-Infinity", "null", SLUICE__NONFINITE},
             {"inf", "null", SLUICE__NONFINITE},
             {"-inf", "null", SLUICE__NONFINITE}};

/* Handles a number with a sign, zeros or underscores that JSON does not allow. `*good`: it is a
 * number. */
static bool odd_number(sluice__reader *r, bool *good) {
    const sluice__buffer *w = &r->word;
    /* a copy with a spare byte in front, so that .5 can become 0.5 */
    sluice__buffer copy = {0};
    bool enough = sluice__buffer_add(r->alloc, &copy, "+", w->data[0] == '.' ? 1 : 0) &&
                  sluice__buffer_add(r->alloc, &copy, w->data, w->len);
    *good = enough && mend_number(&copy);
    if (*good)
        enough = tell(r, "a number was rewritten as JSON") && scalar(r, copy.data, copy.len);
    sluice__buffer_release(r->alloc, &copy);
    return enough;
}

static bool bare_string(sluice__reader *r) {
    r->in_key = false;
    return (r->commented ? tell_doubt(r, "what looked like a comment may be part of a value")
            : r->flags & SLUICE__PYTHON && is_expression(&r->word)
                ? tell_doubt(r, "an expression was read as a string")
                : tell(r, "a bare word was read as a string")) &&
           out(r, "\"", 1, false) && settle(r) && out_text(r, r->word.data, r->word.len) &&
           token(r, SLUICE__T_STRING_END, NULL, 0) && out(r, "\"", 1, false);
}

going end_word(sluice__reader *r, bool *bare) {
    sluice__buffer *w = &r->word;
    while (w->len && is_space(w->data[w->len - 1]))
        w->len--;
    char c = w->data[0];
    if (number_length(w->data, w->len) == w->len)
        return memory(scalar(r, w->data, w->len));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!word_is(w, words[i].word) || (words[i].flag && !(r->flags & words[i].flag)))
            continue;
        bool python = words[i].flag & SLUICE__PYTHON && r->flags & SLUICE__PYTHON;
        if (words[i].flag == SLUICE__NONFINITE && r->flags & SLUICE__PYTHON)
            return memory(tell_doubt(r, "a number that JSON does not have was read as null") &&
                          scalar(r, words[i].json, strlen(words[i].json)));
        return memory((!words[i].flag || python ||
                       tell(r, "a word that is not JSON was read as true, false or null")) &&
                      scalar(r, words[i].json, strlen(words[i].json)));
    }
    if (r->flags & SLUICE__NUMBERS &&
        (c == '+' || c == '-' || c == '.' || (c >= '0' && c <= '9'))) {
        char number[24];
        size_t len = r->flags & SLUICE__PYTHON ? based_number(w, number) : 0;
        if (len)
            return memory(tell(r, "a number was rewritten as JSON") && scalar(r, number, len));
        bool good, enough = odd_number(r, &good);
        if (good || !enough)
            return memory(enough);
    }
    if (!(r->flags & SLUICE__BARE))
        return refuse(r, "neither a number nor true, false or null");
    *bare = true;
    return memory(bare_string(r));
}

/* Reads the run of word bytes at `i`. */
static going take_run(sluice__reader *r) {
    const char *p = r->in + r->i;
    size_t k = 1, n = r->n - r->i;
    while (k < n && is_word_byte((unsigned char)p[k]))
        k++;
    size_t room = WORD_MAX - r->word.len;
    bool fits = k <= room;
    if (!fits)
        k = room;
    if (!sluice__buffer_reserve(r->alloc, &r->word, k + 1))
        return NO_MEMORY;
    memcpy(r->word.data + r->word.len, p, k);
    r->word.len += k;
    r->word.data[r->word.len] = 0;
    r->run = r->i += k;
    if (fits)
        return GOES_ON;
    r->at_limit = true;
    return refuse(r, "a number or word is too long");
}

/* True if a blank continues a bare word of several words. */
static bool blank_goes_on(const sluice__reader *r) {
    static const char *const whole[] = {"true", "false", "null", "True", "False", "None"};
    const sluice__buffer *w = &r->word;
    char first = w->len ? w->data[0] : 0;
    if (r->in_key || !(r->flags & SLUICE__BARE) || r->flags & SLUICE__PYTHON || first == '-' ||
        first == '+' || (first >= '0' && first <= '9'))
        return false;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (word_is(w, whole[i]))
            return false;
    return true;
}

/* True if the word is the prefix of a Python string. */
static bool is_prefix(const sluice__reader *r) {
    const sluice__buffer *w = &r->word;
    return r->flags & SLUICE__PYTHON && w->len && w->len <= 2 && !r->in_key &&
           strspn(w->data, "rRbBfFuU") >= w->len;
}

static going bare_key(sluice__reader *r, char c) {
    going how = keyword(r, c);
    if (how != GOES_ON)
        return how;
    if (top_of(r) != KWARGS && !r->quote && !tell(r, "a bare key was quoted")) /* else: notation */
        return NO_MEMORY;
    if (!out(r, "\"", 1, false) || !out_text(r, r->word.data, r->word.len))
        return NO_MEMORY;
    if ((c == '"' || c == '\'') && r->flags & SLUICE__BARE && !swallow(r))
        return NO_MEMORY;
    return memory(end_string(r, false, NULL));
}

going sluice__reading_word(sluice__reader *r, char c) {
    if ((c == '"' || c == '\'') && is_prefix(r)) {
        if (strpbrk(r->word.data, "bB") && !(r->flags & SLUICE__TOTAL))
            return refuse(r, "JSON cannot represent bytes");
        r->raw_string = strpbrk(r->word.data, "rR") != NULL;
        r->formatted = strpbrk(r->word.data, "fF") != NULL;
        r->delimiter = c;
        r->state = OPENING;
        return memory(swallow(r));
    }
    if (is_word_byte((unsigned char)c) || ((c == ' ' || c == '\t') && blank_goes_on(r)))
        return take_run(r);
    r->at = r->run = r->i;
    if (r->in_key)
        return bare_key(r, c);
    if (c == '(' && r->flags & SLUICE__PYTHON)
        return refuse(r, "the arguments contain a call");
    bool bare = false;
    going going = end_word(r, &bare);
    if (going == GOES_ON)
        value_done(r);
    r->last = bare ? LAST_BARE : LAST_ELSE;
    return going;
}
