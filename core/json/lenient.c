/* What is not strict JSON, token by token, as models write it: other quotes, trailing or missing
 * commas, comments, bare keys, raw line breaks, Python's words, tuples and lists of arguments.
 *
 * A token begins at a sure point, so it may be a comma, a key, a colon and the beginning of a value
 * at once. All but strings are read again from their start when more bytes have come; a string
 * streams, its state is in the reader. */
#include "json.h"

#include <stddef.h>
#include <stdio.h>

/* ---- Characters --------------------------------------------------------------------------- */

bool sluice__put_escaped(out *o, const char *p, size_t n) {
    bool bad = false;
    static const char letters[] = "btnvfr";
    view v = {p, p + n};
    while (v.p < v.end) {
        const char *plain = v.p;
        while (v.p < v.end && !sluice__ends_plain[(unsigned char)*v.p])
            v.p++;
        put(o, plain, (size_t)(v.p - plain));
        if (v.p == v.end)
            break;
        unsigned char c = (unsigned char)*v.p;
        int len = utf8_len(v);
        if (c >= 32 && c != '"' && c != '\\') {
            bad |= len <= 0;
            put(o, len > 0 ? v.p : "\xEF\xBF\xBD", len > 0 ? (size_t)len : 3);
            if (len <= 0) /* one for all bytes that could begin a character */
                len = len ? -sluice__utf8_sequence(v.p, view_len(v)) : (int)view_len(v);
        } else if (c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11)) {
            put(o, (char[]){'\\', c >= 32 ? (char)c : letters[c - 8]}, 2);
        } else {
            char u[7];
            snprintf(u, sizeof u, "\\u%04x", c);
            put(o, u, 6);
        }
        v.p += len > 0 ? len : 1;
    }
    return bad;
}

bool sluice__put_string(out *o, view text) {
    put(o, "\"", 1);
    bool bad = sluice__put_escaped(o, text.p, view_len(text));
    put(o, "\"", 1);
    return bad;
}

/* The number of n hexadecimal digits at p; -1: there are none. */
static long hex_at(const char *p, const char *end, int n) {
    long code = 0;
    for (; n-- > 0; p++) {
        if (p >= end || hex_of(*p) < 0)
            return -1;
        code = code << 4 | hex_of(*p);
    }
    return code;
}

static const char *put_character(out *o, const char *p, const char *end, bool halves) {
    if (*p != '\\' || p + 1 == end) {
        put(o, p, 1);
        return p + 1;
    }
    char c = *++p, text[17] = {0};
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *letter = c ? strchr(letters, c) : NULL;
    long code = c == 'u' ? hex_at(p + 1, end, 4) : -1;
    if (code < 0 && !letter && c != '"' && c != '\\' && c != '/' && c != '\'' &&
        c != '`') { /* none that JSON has */
        put(o, "\\", 1);
        return p;
    }
    if (code < 0) {
        put(o, letter ? &meanings[letter - letters] : p, 1);
        return p + 1;
    }
    p += 5;
    long low = code >= 0xD800 && code < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u'
                   ? hex_at(p + 2, end, 4)
                   : -1;
    if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    } else if (code >= 0xD800 && code < 0xE000 && !halves) {
        code = 0xFFFD;
    }
    put(o, text, (size_t)sluice__utf8_encode((uint32_t)code, text));
    return p;
}

const char *sluice__put_character(out *o, const char *p, const char *end) {
    return put_character(o, p, end, false);
}

void sluice__put_halves(out *o, const char *p, size_t n, bool halves) {
    for (const char *end = p + n, *at; p < end; p = put_character(o, at, end, halves)) {
        at = memchr(p, '\\', (size_t)(end - p));
        put(o, p, (size_t)((at ? at : end) - p));
        if (!at)
            return;
    }
}

void sluice__put_unescaped(out *o, const char *p, size_t n) { sluice__put_halves(o, p, n, false); }

/* ---- What is told ------------------------------------------------------------------------- */

static void mended(json *j, const char *what) {
    if (!j->mended)
        j->mended = what;
}
static void risky(json *j, const char *what) {
    mended(j, what);
    j->risky = true;
}
static void lost(json *j, const char *what) {
    if (!j->lost)
        j->lost = what;
}
/* A quote that is not escaped: it is not known where the string ends. */
static void lost_end(json *j, const char *what) {
    j->unended |= !j->lost;
    lost(j, what);
}
static json_end refuse(json *j, const char *why) {
    j->problem = why;
    return JSON_ODD;
}

/* A token is read again from its start, so it must be short, and is looked at only when a byte has
 * come that matters. */
static const uint8_t quotes[256] = {['"'] = 1, ['\''] = 1, ['`'] = 1, ['\\'] = 1, ['\n'] = 1},
                     comment_ends[256] = {['*'] = 1, ['/'] = 1, ['\n'] = 1};

/* ---- Between tokens ----------------------------------------------------------------------- */

/* White space, comments and written line breaks. NULL: the bytes end, and more may belong to it. */
static const char comment_out[] = "a comment was left out";
static const char *skip(json *j, view v, bool finished) {
    for (;;) {
        v.p = past_space(v);
        if (v.p == v.end)
            return finished ? v.p : NULL;
        char c = v.p[0], d = v.p + 1 < v.end ? v.p[1] : 0;
        bool block = c == '/' && d == '*';
        if (c == '\\' && (d == 'n' || d == 't' || d == 'r')) {
            j->passed = "an escape outside a string was left out";
            v.p += 2;
        } else if (block || c == '#' || (c == '/' && d == '/')) {
            j->passed = comment_out;
            for (v.p += 1 + block;
                 v.p < v.end && (block ? v.p[-1] != '*' || *v.p != '/' : *v.p != '\n');)
                v.p++;
            if (v.p == v.end)
                return finished ? v.p : NULL;
            v.p += block;
        } else if ((c == '/' || c == '\\') && !d && !finished) {
            return NULL;
        } else {
            return v.p;
        }
    }
}
static bool in_word(char c) { return is_name_byte(c) || (c && strchr("-+.$@/%:~&*", c) != NULL); }
static bool in_key(char c) { return is_name_byte(c) || (c && strchr("-.$@", c) != NULL); }

static const char *key_end(view v) {
    while (v.p < v.end && in_key(*v.p))
        v.p++;
    return v.p;
}

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
static bool own_at(const json *j, view v) {
    size_t n = j->own_quote ? strlen(j->own_quote) : 0;
    return n && view_len(v) >= n && memcmp(v.p, j->own_quote, n) == 0;
}
/* Does the beginning of the own quote stand at the end of the bytes? */
static bool own_cut(const json *j, view v) {
    size_t n = j->own_quote ? strlen(j->own_quote) : 0;
    return n > view_len(v) && v.p < v.end && memcmp(v.p, j->own_quote, view_len(v)) == 0;
}

const char *sluice__string_end(view v, char quote) {
    for (; v.p < v.end; v.p++) {
        if (*v.p == '\\')
            v.p++;
        else if (*v.p == quote)
            return v.p;
    }
    return NULL;
}

const char *sluice__inside_end(view v, const char *own, char quote) {
    size_t n = own ? strlen(own) : 0;
    if (!own)
        return sluice__string_end(v, quote);
    for (; view_len(v) >= n; v.p++)
        if (memcmp(v.p, own, n) == 0)
            return v.p;
    return NULL;
}

static bool is_object(char bracket) { return bracket == '{' || bracket == '='; }
static char closer_of(char bracket) { return bracket == '{' ? '}' : bracket == '[' ? ']' : ')'; }
static bool closes_some(const json *j, char c) {
    for (unsigned i = j->depth; i-- > 0;)
        if (closer_of(json_bracket(j, i)) == c)
            return true;
    return false;
}

static void close_top(json *j, out *o) {
    char top = json_top(j);
    if (top == 'g' && j->place == AFTER_VALUE)
        lost(j, "parentheses around a value were read as a list");
    put(o, is_object(top) ? "}" : "]", 1);
    j->depth--;
    j->place = AFTER_VALUE;
    j->kind = 'w';
}

/* ---- Words -------------------------------------------------------------------------------- */

/* A number as others write it: +5, 007, .5, 5., 1_000. */
static bool put_number(json *j, view w, out *o) {
    size_t begin = o->b.len;
    const char *q = w.p + (*w.p == '+');
    if (q < w.end && *q == '-')
        put(o, q++, 1);
    while (q + 1 < w.end && *q == '0' && q[1] >= '0' && q[1] <= '9')
        q++;
    put(o, "0", q < w.end && *q == '.');
    for (; q < w.end; q++)
        put(o, q, *q != '_' && !(*q == '.' && q + 1 == w.end));
    put(o, " ", 1); /* the table reads a number with what ends it */
    json strict = {0};
    size_t sure = 0;
    sluice__json_begin(&strict, false);
    view n = view_of(out_text(o) + begin, o->b.len - begin);
    o->b.len = begin;
    if (sluice__json_read(&strict, n, &sure) != JSON_DONE || sure + 1 != view_len(n))
        return false;
    n.end--;
    o->b.len += sure;
    if (!equal_views(n, w))
        mended(j, "a number was rewritten as JSON");
    return true;
}

static bool put_word(json *j, view w, out *o) {
    static const struct {
        const char *text, *means;
        int of; /* 0: JSON; 1: Python; 2: others; 3: no finite number */
    } words[] = {{"true", "true", 0},      {"false", "false", 0},    {"null", "null", 0},
                 {"True", "true", 1},      {"False", "false", 1},    {"None", "null", 1},
                 {"TRUE", "true", 2},      {"FALSE", "false", 2},    {"NULL", "null", 2},
                 {"undefined", "null", 3}, {"NaN", "null", 3},       {"nan", "null", 3},
                 {"Infinity", "null", 3},  {"+Infinity", "null", 3}, {"-Infinity", "null", 3},
                 {"inf", "null", 3},       {"-inf", "null", 3}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_is(w, words[i].text) && (words[i].of == 0 || !j->strict)) {
            if (words[i].of == 3 && j->python)
                lost(j, "a number that JSON does not have was read as null");
            else if (words[i].of && !(words[i].of == 1 && j->python))
                mended(j, "a word that is not JSON was read as true, false or null");
            put_text(o, words[i].means);
            return true;
        }
    return strchr("+-.0123456789", *w.p) && put_number(j, w, o);
}

/* ---- Values ------------------------------------------------------------------------------- */

static json_end open_string(json *j, const char *p, size_t n, uint8_t quote, out *o,
                            const char **after) {
    bool python = j->python && quote && quote != '`';
    j->place = quote == '"' && n == 1 && !j->raw && !python ? IN_STRING : IN_LENIENT_STRING;
    j->quote = quote;
    j->nested = 0;
    j->last[0] = j->last[1] = 0;
    put(o, "\"", 1);
    *after = p + n;
    return JSON_DONE;
}

static const char *const constants[] = {"true", "false", "null", "True", "False", "None", NULL};

/* The beginning of a value, or all of a scalar. */
static json_end value(json *j, view v, bool finished, out *o, const char **after) {
    char c = *v.p;
    if (c == '{' || c == '[' || (c == '(' && j->python)) {
        if (j->depth >= j->limit) {
            j->deep = true;
            return refuse(j, "nested too deep");
        }
        json_push(j, c == '(' ? 'g' : c);
        put(o, c == '{' ? "{" : "[", 1);
        j->place = c == '{' ? IN_EMPTY_OBJECT : IN_EMPTY_ARRAY;
        *after = v.p + 1;
        return JSON_DONE;
    }
    j->raw = j->triple = false;
    if (own_cut(j, v) && !finished)
        return JSON_MORE;
    if (own_at(j, v))
        return open_string(j, v.p, strlen(j->own_quote), 0, o, after);
    const char *p = v.p;
    if (j->python)
        while (p < v.end && p - v.p < 2 && strchr("rRbBfFuU", *p))
            p++;
    if (p == v.end && !finished)
        return JSON_MORE;
    if (p > v.p && (p == v.end || (*p != '"' && *p != '\'')))
        p = v.p;
    for (const char *q = v.p; q < p; q++) {
        if ((*q | 32) == 'b')
            return refuse(j, "JSON cannot represent bytes");
        j->raw |= (*q | 32) == 'r';
        if ((*q | 32) == 'f')
            lost(j, "an f-string may contain an expression");
    }
    if (p < v.end && is_quote(*p) && !(j->strict && *p != '"')) {
        if (j->python && v.end - p < 3 && (v.end - p < 2 || p[1] == *p) && !finished)
            return JSON_MORE;
        j->triple = j->python && v.end - p >= 3 && p[1] == *p && p[2] == *p && *p != '`';
        if (*p != '"' && !j->python)
            mended(j, "a string had other quotes");
        return open_string(j, p, j->triple ? 3 : 1, (uint8_t)*p, o, after);
    }
    const char *end = p;
    while (end < v.end && in_word(*end) && !own_at(j, (view){end, v.end}) &&
           !(*end == '/' && end + 1 < v.end && (end[1] == '/' || end[1] == '*')))
        end++;
    if (!j->python && !j->strict && end < v.end && is_blank(*end) && !strchr("+-.0123456789", c) &&
        !is_one_of(constants, (view){p, end}))
        while (end < v.end && (in_word(*end) || is_blank(*end))) /* words */
            end++;
    if (end - p > LONGEST_TOKEN) {
        j->deep = true;
        return refuse(j, "a number or word is too long");
    }
    if (end == v.end && !finished)
        return JSON_MORE;
    view w = {p, end};
    while (w.end > p && is_space(w.end[-1]))
        w.end--;
    if (end == p)
        return refuse(j, "expected a value");
    if (end == v.end && j->depth) /* it may have gone on */
        return refuse(j, NULL);
    bool known = put_word(j, w, o);
    if (!known && end + 1 == v.end && !finished) /* is what is behind it a bracket of its own? */
        return JSON_MORE;
    *after = w.end;
    j->place = AFTER_VALUE;
    j->kind = known ? 'w' : 'b';
    if (known)
        return JSON_DONE;
    if (j->strict)
        return refuse(j, "neither a number nor true, false or null");
    if (end < v.end && *end == '(' && j->python)
        return refuse(j, "the arguments contain a call");
    if (*p == ':' || *p == '/' || *p == '%' || *p == '&')
        return refuse(j, "expected a value");
    for (const char *q = p; q < w.end; q++)
        if (j->python || (!is_name_byte(*q) && !strchr("-. ", *q)))
            lost(j, "a bare word may be more than a value");
    if (j->passed == comment_out) /* it may be part of the value: rule D8 */
        lost(j, "a comment precedes a bare word and may be part of the value");
    if (v.end - end > 1 && strchr("]})", *end) && is_name_byte(end[1]))
        lost(j, "a bare word ends at a bracket that may be part of the value");
    mended(j, "a bare word was read as a string");
    sluice__put_string(o, w);
    return JSON_DONE;
}

/* ---- Strings ------------------------------------------------------------------------------ */

/* Is what stands at p due behind a string? */
static match due(json *j, view v, bool finished) {
    const char *p = skip(j, v, finished);
    size_t item;
    if (!p)
        return CUT;
    if (p < v.end && j->ends) {
        match m = literals_at(j->ends, (view){p, v.end}, finished, &item);
        if (m != NO)
            return m;
    }
    if (p == v.end || strchr(j->python ? ",)]}:" : ",]}", *p))
        return YES;
    return NO;
}

/* Is it a key and a colon, so that only a comma is missing before it? */
static match key_follows(json *j, view v, bool finished) {
    const char *p = skip(j, v, finished), *end;
    if (!p || p == v.end)
        return p ? NO : CUT;
    if (*p == '"' || *p == '\'') {
        end = sluice__string_end((view){p + 1, v.end}, *p);
        if (!end)
            return finished || view_len(v) > LONGEST_TOKEN ? NO : CUT;
        end++;
    } else {
        end = key_end((view){p, v.end});
        if (end == p)
            return NO;
        end += end < v.end && *end == '"';
    }
    p = skip(j, (view){end, v.end}, finished);
    if (!p || (p == v.end && !finished))
        return CUT;
    return p < v.end && (*p == ':' || (*p == '=' && j->python)) ? YES : NO;
}

/* What follows a comma behind a quote, if the quote is to close the string. */
static match after_comma(json *j, view v, bool finished) {
    const char *p = skip(j, v, finished);
    if (!p)
        return CUT;
    if (p == v.end || !is_object(json_top(j)) || strchr(",}])", *p))
        return YES;
    return key_follows(j, (view){p, v.end}, finished);
}

static json_end end_string(json *j, out *o, const char *at, const char **after) {
    put(o, "\"", 1);
    j->place = AFTER_VALUE;
    j->kind = 's';
    *after = at;
    return JSON_DONE;
}

/* Does another quote follow that at v.p on its line, before a longer literal that ends the call? */
static match another(json *j, view v, bool finished) {
    view w = {v.p + (j->looked ? j->looked : 1), v.end};
    match m = NO;
    size_t item;
    for (j->looked = 0; w.p < w.end && *w.p != '\n'; w.p++) {
        if (*w.p == *v.p)
            return YES;
        m = j->ends ? literals_at(j->ends, w, finished, &item) : NO;
        if (m == CUT || (m == YES && j->ends->items[item].len > 2))
            break;
    }
    if (m != CUT && (w.p < w.end || finished))
        return NO;
    j->looked = (uint32_t)(w.p - v.p);
    j->wakes = m == CUT ? NULL : quotes;
    return CUT;
}

/* Is the quote before these bytes in a list, or does it look like one that opens a value or closes
 * a key? Then a quote may be missing elsewhere. */
static bool may_be_other(const json *j, view behind) {
    char before = j->place == IN_STRING ? 0 : j->last[1];
    const char *p = past_space(behind);
    return j->python || !is_object(json_top(j)) || (before && strchr(":,[{+", before)) ||
           (p < behind.end && (*p == ':' || *p == '+'));
}

/* The quote at v.p: it ends the string if what follows may follow a string. Else it is text, and if
 * another quote may be meant, nobody knows where the string was to end. */
static json_end quote_in_string(json *j, view v, bool finished, out *o, const char **after) {
    view behind = {v.p + 1, v.end};
    match end = due(j, behind, finished);
    if (end == NO && is_object(json_top(j)))
        end = key_follows(j, behind, finished);
    else if (end == NO && !j->python) /* an item of a list follows */
        end = *skip(j, behind, true) == *v.p ? YES : NO;
    match more = end == NO ? another(j, v, finished) : NO;
    if (end == CUT || more == CUT)
        return JSON_MORE;
    if (end == YES || more == NO)
        return end_string(j, o, behind.p, after);
    risky(j, "a quote in a string was not escaped");
    if (may_be_other(j, behind))
        lost_end(j, "a quote in a string was not escaped, or one may be missing elsewhere");
    put(o, *v.p == '"' ? "\\\"" : v.p, *v.p == '"' ? 2 : 1);
    *after = v.p + 1;
    return JSON_DONE;
}

/* An escape at v.p, in a string that JSON would write otherwise. */
static json_end escape(json *j, view v, bool finished, out *o, const char **after) {
    size_t n = view_len(v);
    char c = n > 1 ? v.p[1] : 0;
    bool python = j->python || j->quote == '\''; /* as JSON's strings are never quoted */
    size_t need = c == 'u' ? 6 : c == 'x' && python ? 4 : 2;
    if (n < need)
        return finished ? refuse(j, NULL) : JSON_MORE;
    if (n >= need &&
        ((c && strchr("bfnrt\"\\/", c)) || (c == 'u' && hex_at(v.p + 2, v.end, 4) >= 0))) {
        put(o, v.p, need);
        *after = v.p + need;
    } else if (c == 'x' && python && hex_at(v.p + 2, v.end, 2) >= 0) {
        put(o, "\\u00", 4);
        put(o, v.p + 2, 2);
        *after = v.p + 4;
    } else if (c == '\'' || c == '`') {
        put(o, v.p + 1, 1);
        *after = v.p + 2;
        if ((uint8_t)c != j->quote)
            mended(j, "an escape that JSON does not have");
    } else if (c == '\n' && j->python) {
        *after = v.p + 2;
    } else {
        put(o, "\\\\", 2);
        *after = v.p + 1;
        mended(j, "an escape that JSON does not have was kept as text");
        j->odd_escape = !j->python;
    }
    return JSON_DONE;
}

/* A byte in a string of JSON that may not stand there. */
static json_end odd_in_string(json *j, view v, bool finished, out *o, const char **after) {
    if (*v.p == '"')
        return quote_in_string(j, v, finished, o, after);
    if (*v.p == '\\')
        return escape(j, v, finished, o, after);
    int len = utf8_len(v);
    if (!len && !finished)
        return JSON_MORE;
    if ((unsigned char)*v.p < 32)
        mended(j, "a control character in a string was escaped");
    size_t n = len > 0   ? (size_t)len
               : len < 0 ? (size_t)-sluice__utf8_sequence(v.p, view_len(v))
                         : view_len(v);
    j->bad_utf8 |= sluice__put_escaped(o, v.p, n);
    *after = v.p + n;
    return JSON_DONE;
}

/* The own quote at v.p: YES: it closes its string; NO: it opens or closes one that is quoted in it.
 * One behind a key and its colon, a comma or a bracket opens. In strict reading none is quoted. */
static match own_closes(json *j, view v, bool finished) {
    if (j->strict)
        return YES;
    view behind = {v.p + strlen(j->own_quote), v.end};
    bool word = is_name_byte(j->last[0]) || j->last[0] == ']';
    bool opens = (j->last[1] == ':' && word) || (j->last[1] && strchr("[,{", j->last[1]));
    const char *p = skip(j, behind, finished);
    match m = NO;
    if (!j->nested && !opens) {
        if (!p)
            return CUT;
        m = p == behind.end || strchr("}])", *p) ? YES
            : *p == ','                          ? after_comma(j, (view){p + 1, v.end}, finished)
                                                 : NO;
        size_t item; /* or a closer of the call, if nothing but another one follows */
        view closer = {p, v.end};
        if (m == NO && j->ends && (m = literals_at(j->ends, closer, finished, &item)) == YES) {
            closer.p = past_space((view){p + j->ends->items[item].len, v.end});
            m = literals_at(j->ends, closer, finished, &item);
            if (m == NO && closer.p == closer.end)
                m = YES;
        }
        if (m != NO)
            return m;
    }
    if (opens && j->nested < UINT8_MAX)
        j->nested++;
    else if (j->nested)
        j->nested--;
    else
        lost_end(j, "a quote inside a value is not escaped: the end of the value is in doubt");
    return NO;
}

static void note_last(json *j, view v) {
    char last[2];
    int n = 2;
    for (const char *p = v.end; p > v.p && n;)
        if (!is_space(*--p))
            last[--n] = *p;
    if (n == 0)
        memcpy(j->last, last, 2);
    else if (n == 1)
        j->last[0] = j->last[1], j->last[1] = last[1];
}

static json_end lenient_string(json *j, view v, bool finished, out *o, const char **after) {
    const char *p = v.p, *part = v.p;
    size_t closer = j->triple ? 3 : 1;
    for (; p < v.end; p++) {
        bool end = j->quote ? (uint8_t)*p == j->quote : *p == *j->own_quote;
        int len = !end && (unsigned char)*p >= 128 ? utf8_len((view){p, v.end}) : 1;
        if (len < 0) { /* told where it stands */
            if (p > part)
                break;
            size_t bad = (size_t)-sluice__utf8_sequence(p, (size_t)(v.end - p));
            j->bad_utf8 |= sluice__put_escaped(o, p, bad);
            *after = p + bad;
            return JSON_DONE;
        }
        p = len ? p + len - 1 : v.end - 1; /* 0: the end of the bytes cuts it */
        if (!end && !(*p == '\\' && !j->raw && j->quote) &&
            (*p != '\n' || j->triple || !j->quote || j->python))
            continue;
        if (p > part) /* first what is plain */
            break;
        view w = {p, v.end};
        if (!j->quote && *p == *j->own_quote) {
            if (own_cut(j, w) && !finished)
                return JSON_MORE;
            if (!own_at(j, w))
                continue;
            match m = own_closes(j, w, finished);
            if (m == CUT)
                return JSON_MORE;
            if (m == YES)
                return end_string(j, o, p + strlen(j->own_quote), after);
            size_t own = strlen(j->own_quote);
            sluice__put_escaped(o, p, own);
            note_last(j, view_of(p, own));
            *after = p + own;
            return JSON_DONE;
        }
        if (*p == '\\')
            return escape(j, w, finished, o, after);
        if (*p == '\n') {
            mended(j, "a control character in a string was escaped");
            continue;
        }
        if (closer == 1)
            return quote_in_string(j, w, finished, o, after);
        if (v.end - p < 3 && !finished)
            return JSON_MORE;
        if (v.end - p >= 3 && p[1] == *p && p[2] == *p)
            return end_string(j, o, p + 3, after);
    }
    size_t n = (size_t)(p - part);
    n = finished || p < v.end ? n : utf8_whole(part, n);
    j->bad_utf8 |= sluice__put_escaped(o, part, n);
    note_last(j, view_of(part, n));
    *after = part + n;
    return n ? JSON_DONE : JSON_MORE;
}

/* ---- Members ------------------------------------------------------------------------------ */

const char *sluice__json_whole(json *j, view v, out *o, const char **stop) {
    size_t sure, used;
    for (;;) {
        json_end end = sluice__json_read(j, v, &sure);
        put(o, v.p, sure);
        v.p += sure;
        if (end == JSON_DONE)
            return v.p;
        end = sluice__json_mend(j, v, true, o, &used, NULL, NULL);
        v.p += used;
        if (end == JSON_DONE)
            return v.p;
        if (end == JSON_ODD || !used) {
            *stop = j->problem ? v.p : v.end;
            j->odd = j->problem ? j->odd : 0;
            return NULL;
        }
    }
}

const char *sluice__json_skip(const sluice_allocator *a, view v, bool python) {
    json j = {0};
    bool failed = false;
    out nowhere = {.a = a, .failed = &failed};
    sluice__json_begin(&j, python);
    const char *end = sluice__json_whole(&j, v, &nowhere, &(const char *){NULL});
    sluice__buffer_release(a, &nowhere.b);
    return failed ? NULL : end;
}

bool sluice__is_json(const sluice_allocator *a, const char *p, size_t n, const char **why,
                     size_t *at) {
    json j = {0};
    bool failed = false;
    out nowhere = {.a = a, .failed = &failed};
    sluice__json_begin(&j, false);
    j.strict = true;
    const char *stop = p, *end = sluice__json_whole(&j, (view){p, p + n}, &nowhere, &stop);
    sluice__buffer_release(a, &nowhere.b);
    stop = end ? past_space((view){end, p + n}) : stop + j.odd;
    *why = failed      ? "out of memory"
           : end       ? "text after the value"
           : j.problem ? j.problem
                       : "the text ends inside the value";
    *at = (size_t)(stop - p);
    return !failed && end && stop == p + n;
}

/* White space, unless there is more there. */
static void put_gap(out *o, view gap) {
    if (gap.p && past_space(gap) == gap.end)
        put(o, gap.p, view_len(gap));
}

/* The key and the colon. `gap`: white space behind a comma before it, or NULL. */
static json_end key(json *j, view *v, bool finished, out *o, view gap, bool missed,
                    name_position *ask, void *who) {
    bool arguments = json_top(j) == '=';
    const char *text = v->p, *end, *p;
    const char *own = own_at(j, *v) ? j->own_quote : NULL;
    if (own_cut(j, *v) && !finished)
        return JSON_MORE;
    bool quoted = own || (is_quote(*text) && !(j->strict && *text != '"'));
    if (quoted) {
        size_t n = own ? strlen(own) : 1;
        end = sluice__inside_end((view){text + n, v->end}, own, *text);
        if (!end && !finished && view_len(*v) < LONGEST_TOKEN) {
            j->wakes = own ? NULL : quotes;
            return JSON_MORE;
        }
        if (!end)
            return refuse(j, own ? "a key does not end" : NULL);
        if (!own && *text != '"' && !j->python)
            mended(j, "a key had other quotes");
        p = end + n;
        text += n;
    } else {
        end = key_end(*v);
        if (end == v->end && !finished && view_len(*v) < LONGEST_TOKEN)
            return JSON_MORE;
        if (end > text && (!arguments && !j->own_quote))
            mended(j, "a bare key was quoted");
        p = end < v->end && is_quote(*end) && end > text ? end + 1 : end; /* key": */
        if (p > end && j->risky)
            lost(j, "a key lacks a quote, and so may a string before it");
    }
    p = skip(j, (view){p, v->end}, finished);
    if (!p || (p == v->end && !finished))
        return JSON_MORE;
    char next = p < v->end ? *p : 0;
    bool named = end > text || quoted;
    if (named && arguments && next == '=' && p + 1 < v->end && p[1] == '=')
        next = 0;
    bool colon = named && (next == ':' || next == '='), missing = false;
    if (!colon && arguments) {
        const char *name;
        size_t len;
        if (*v->p == '*')
            return refuse(j, "unpacking (* or **) is not supported");
        if (!ask || missed)
            return refuse(j, missed ? "expected a colon" : "expected a keyword");
        if (!ask(who, j->positions, &name, &len))
            return refuse(j, "an argument without a keyword fits no parameter of the tool");
        j->positions++;
        if (j->keywords)
            lost(j, "an argument without a keyword follows one with a keyword");
        mended(j, "arguments without a keyword were taken in the order of the tool's parameters");
        put(o, ",", gap.p != NULL);
        put_gap(o, gap);
        put(o, "\"", 1);
        sluice__put_escaped(o, name, len);
        put(o, "\":", 2);
        return JSON_DONE;
    }
    j->keywords |= arguments;
    if (!colon) {
        missing = named && next && (strchr("\"{[", next) || (next >= '0' && next <= '9'));
        if (j->strict || !named || (!missing && (!next || !strchr(",}", next))))
            return refuse(j, named ? "expected a colon" : "expected a key");
        if (!missing && j->python)
            return refuse(j, "JSON cannot represent a set");
        if (!missing)
            return refuse(j, "a key has no value");
        risky(j, "a colon was missing");
        if (j->python)
            lost(j, "a colon was missing");
    } else if (next == '=' && !arguments) {
        risky(j, "a colon was written as =");
    } else if (next == ':' && arguments) {
        if (view_is((view){text, end}, "lambda"))
            return refuse(j, "the arguments contain a function");
        mended(j, "a keyword was followed by a colon");
    }
    const char *colon_end = p + !missing;
    v->p = skip(j, (view){colon_end, v->end}, finished);
    if (!v->p || (v->p == v->end && !finished))
        return JSON_MORE;
    if (v->p == v->end)
        return refuse(j, NULL);
    if (colon && strchr(",})", *v->p) && !j->strict)
        return refuse(j, "a key has no value");
    put(o, ",", gap.p != NULL);
    put_gap(o, gap);
    put(o, "\"", 1);
    if (quoted && !own) {
        bool failed = false;
        out plain = {.a = o->a, .failed = &failed};
        sluice__put_unescaped(&plain, text, (size_t)(end - text));
        sluice__put_escaped(o, out_text(&plain), plain.b.len);
        sluice__buffer_release(o->a, &plain.b);
        *o->failed |= failed;
    } else {
        sluice__put_escaped(o, text, (size_t)(end - text));
    }
    put(o, "\":", 2);
    put_gap(o, (view){colon_end, v->p});
    return JSON_DONE;
}

/* A value follows another one without a comma. */
static bool comma_missing(json *j, view v) {
    char c = *v.p, top = json_top(j);
    if (j->strict || !(is_quote(c) || own_at(j, v) || is_name_byte(c) || c == '-' ||
                       ((c == '{' || c == '[') && top == '[')))
        return false;
    risky(j, "a comma was missing");
    bool string = is_quote(c) || own_at(j, v);
    if (j->kind == 's' ? !string || (j->quote && (uint8_t)c != j->quote)
                       : j->kind == 'b' || (j->python && !is_object(top)))
        lost(j, "missing comma; the value may continue");
    return true;
}

static json_end between(json *j, view v, bool finished, out *o, const char **after,
                        name_position *ask, void *who) {
    const char *p = skip(j, v, finished);
    bool first = j->place != AFTER_VALUE, comma = false;
    char top = json_top(j);
    const char *gap = NULL, *from = v.p;
    while (p && p < v.end && *p == ',' && top && !(j->strict && (comma || first))) {
        if (comma || first)
            mended(j, "an extra comma was left out");
        comma = true;
        if (top == 'g') { /* it is a tuple */
            j->depth--;
            json_push(j, top = '(');
        }
        gap = p + 1;
        p = skip(j, (view){p + 1, v.end}, finished);
    }
    if (!p || (p == v.end && !finished)) {
        const char *c = past_space(v);
        j->wakes = c + 1 < v.end && (*c == '#' || *c == '/') ? comment_ends : NULL;
        return JSON_MORE;
    }
    if (p == v.end)
        return refuse(j, NULL);
    v.p = p;
    if (top && strchr("}])", *p) && !(j->place == BEFORE_VALUE)) {
        bool right = closer_of(top) == *p;
        if (!right && (j->strict || !closes_some(j, *p)))
            return refuse(j, j->place == AFTER_VALUE ? "expected a comma or a closing bracket"
                             : is_object(top)        ? "expected a key"
                                                     : "expected a value");
        if (comma && p + 1 == v.end && !finished)
            return JSON_MORE;
        if (comma && p + 1 < v.end && (is_name_byte(p[1]) || is_quote(p[1])))
            lost(j, "a closing bracket behind a comma may stand in place of a quote");
        if (comma && (j->strict || (top != '(' && top != '=' && !j->python)))
            mended(j, "a comma before a closing bracket was left out");
        if (!comma && right)
            put_gap(o, (view){from, p});
        for (; closer_of(json_top(j)) != *p; close_top(j, o))
            risky(j, "a closing bracket was missing");
        *after = p + (json_top(j) != '=');
        close_top(j, o);
        return JSON_DONE;
    }
    if (j->place == AFTER_VALUE && !comma && !finished && own_cut(j, v))
        return JSON_MORE;
    if (j->place == AFTER_VALUE && !comma && !comma_missing(j, v))
        return refuse(j, "expected a comma or a closing bracket");
    json_end end = JSON_DONE;
    view blank = first ? (view){NULL, NULL} : gap ? (view){gap, p} : (view){p, p};
    if (is_object(top)) {
        end = key(j, &v, finished, o, blank, !first && !comma, ask, who);
    } else if (!first) {
        put(o, ",", 1);
        put_gap(o, blank);
    } else if (!j->depth) {
        put_gap(o, (view){from, p});
    }
    return end == JSON_DONE ? value(j, v, finished, o, after) : end;
}

json_end sluice__json_mend(json *j, view v, bool finished, out *o, size_t *used, name_position *ask,
                           void *who) {
    const char *start = v.p, *after = v.p;
    enum { RESTORED = offsetof(json, open) - offsetof(json, state) };
    uint8_t before[RESTORED], place = j->place;
    size_t len = o->b.len;
    json_end end;
    *used = 0;
    if (v.p == v.end && !finished)
        return JSON_MORE;
    memcpy(before, &j->state, RESTORED);
    j->ahead = 0;
    j->wakes = NULL;
    if (v.p == v.end)
        end = refuse(j, NULL);
    else if (j->place == IN_STRING)
        end = odd_in_string(j, v, finished, o, &after);
    else if (j->place == IN_LENIENT_STRING)
        end = lenient_string(j, v, finished, o, &after);
    else {
        j->passed = NULL;
        end = between(j, v, finished, o, &after, ask, who);
        if (end == JSON_DONE && j->passed)
            mended(j, j->passed);
    }
    bool string = place == IN_STRING || place == IN_LENIENT_STRING;
    if (end == JSON_MORE && !string && view_len((view){start, v.end}) > LONGEST_TOKEN)
        end = refuse(j, NULL);
    if (end == JSON_DONE && j->strict && (j->mended || j->lost))
        end = refuse(j, j->mended ? j->mended : j->lost);
    if (end != JSON_DONE) {
        memcpy(&j->state, before, RESTORED);
        o->b.len = len;
        return end;
    }
    *used = (size_t)(after - start);
    return j->depth || j->place != AFTER_VALUE ? JSON_MORE : JSON_DONE;
}
