/* What is not strict JSON, token by token, as models write it: other quotes, trailing or missing
 * commas, comments, bare keys, raw line breaks, Python's words, tuples and lists of arguments.
 *
 * A token begins at a sure point, so it may be a comma, a key, a colon and the beginning of a value
 * at once. All but strings are read again from their start when more bytes have come; a string
 * streams, its state is in the reader. */
#include "json.h"

#include <stddef.h>

bool sluice__put_escaped(out *o, view v) {
    bool bad = false;
    static const char letters[] = "btnvfr", digits[] = "0123456789abcdef";
    while (v.p < v.end) {
        const char *plain = v.p;
        int len;
        v.p = past_plain(v, &len);
        put(o, plain, (size_t)(v.p - plain));
        if (v.p == v.end)
            break;
        unsigned char c = (unsigned char)*v.p;
        if (len <= 0) { /* one for all bytes that could begin a character */
            bad = true;
            put_text(o, "\xEF\xBF\xBD");
            len = len ? -len : (int)view_len(v);
        } else if (c == '"' || c == '\\' || (c >= 8 && c <= 13 && c != 11)) {
            put(o, (char[]){'\\', c >= 32 ? (char)c : letters[c - 8]}, 2);
        } else {
            put(o, (char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]}, 6);
        }
        v.p += len;
    }
    return bad;
}

bool sluice__put_string(out *o, view text) {
    put(o, "\"", 1);
    bool bad = sluice__put_escaped(o, text);
    put(o, "\"", 1);
    return bad;
}

/* The number of n hexadecimal digits at p; -1: there are none. */
static long hex_at(const char *p, const char *end, int n) {
    long code = 0;
    for (; n-- > 0 && code >= 0; p++)
        code = p < end && hex_of(*p) >= 0 ? code << 4 | hex_of(*p) : -1;
    return code;
}

const char *sluice__put_character(out *o, const char *p, const char *end, bool halves) {
    if (*p != '\\' || p + 1 == end) {
        put(o, p, 1);
        return p + 1;
    }
    static const char meanings[256] = {
        ['b'] = '\b', ['f'] = '\f',  ['n'] = '\n', ['r'] = '\r',  ['t'] = '\t',
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['\''] = '\'', ['`'] = '`'};
    char text[4];
    const char *meaning = &meanings[(unsigned char)*++p];
    long code = *p == 'u' ? hex_at(p + 1, end, 4) : -1;
    if (code < 0) { /* without a meaning, it is none that JSON has */
        put(o, *meaning ? meaning : "\\", 1);
        return p + (*meaning != 0);
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

void sluice__put_halves(out *o, view v, bool halves) {
    for (const char *at; v.p < v.end; v.p = sluice__put_character(o, at, v.end, halves)) {
        at = memchr(v.p, '\\', view_len(v));
        put_view(o, (view){v.p, at ? at : v.end});
        if (!at)
            return;
    }
}

/* What is told is the first of each. */
static void mended(json *j, const char *what) { j->mended = j->mended ? j->mended : what; }
static void lost(json *j, const char *what) { j->lost = j->lost ? j->lost : what; }
static json_end refuse(json *j, const char *why) {
    j->problem = why;
    return JSON_ODD;
}
static json_end cut(bool finished) { return finished ? JSON_ODD : JSON_MORE; } /* in a token */

/* Behind white space and comments; the end of the bytes also if more may belong to them. */
static const char *skip(json *j, view v, bool finished) {
    for (;;) {
        v.p = past_space(v);
        char c = v.p < v.end ? v.p[0] : 0, d = v.p + 1 < v.end ? v.p[1] : 0;
        bool slash = c == '/' && !j->python, block = slash && d == '*'; /* Python divides by // */
        if (slash && !d && !finished)
            return v.end;
        if (c != '#' && !block && !(slash && d == '/'))
            return v.p;
        mended(j, "a comment was left out");
        for (v.p += 1 + block, d = 0; v.p < v.end && (block ? d != '*' || *v.p != '/' : d != '\n');)
            d = *v.p++;
        v.p += block && v.p < v.end;
    }
}
static bool in_word(char c) { return is_name_byte(c) || (c && strchr("-+.$@", c) != NULL); }

static bool is_text(const json *j, const char *p) { return j->asks && j->asks->is_text(j->who, p); }

/* Does the format's own quote close the string? In it nothing is escaped. */
static bool is_own(const json *j) { return j->quote == j->own_quote; }

/* The length of the quote at v.p, which j->quote closes; 0: none; -1: the bytes may end in it. */
static int quote_at(json *j, view v, bool finished) {
    size_t own = j->own_quote ? strlen(j->own_quote) : 0, n = view_len(v);
    j->quote = j->own_quote;
    if (own && n && memcmp(v.p, j->own_quote, n < own ? n : own) == 0 && !is_text(j, v.p))
        return n >= own ? (int)own : finished ? 0 : -1;
    j->quote = n && *v.p == '"' ? "\"" : "'";
    return n && (*v.p == '"' || (*v.p == '\'' && !j->strict));
}

const char *sluice__string_end(view v, const char *own, char quote) {
    const char *end = v.p, *escape;
    for (size_t n = own ? strlen(own) : 0; own && view_len(v) >= n; v.p++)
        if (memcmp(v.p, own, n) == 0)
            return v.p;
    for (; !own && v.p < v.end; v.p = escape + 2) {
        end = end <= v.p ? memchr(v.p, quote, view_len(v)) : end;
        escape = end ? memchr(v.p, '\\', (size_t)(end - v.p)) : NULL;
        if (!escape)
            return end;
    }
    return NULL;
}

static bool is_object(char bracket) { return bracket == '{' || bracket == '='; }

/* Words that are no strings: first JSON's own, then Python's for the same. */
static const char *const words[] = {"true", "false", "null", "True", "False", "None", NULL};
enum { JSON_WORDS = 3 };

static bool put_word(json *j, view w, out *o) {
    size_t k = 0, sure;
    while (words[k] && !view_is(w, words[k]))
        k++;
    if (words[k] && !(j->strict && k >= JSON_WORDS)) {
        put_text(o, words[k % JSON_WORDS]);
        if (k >= JSON_WORDS && !j->python)
            mended(j, "a word that is not JSON was read as true, false or null");
        return true;
    }
    /* A number, perhaps as others write it: +5, 007, .5, 5., 1_000. */
    size_t begin = o->b.len;
    const char *q = w.p + (*w.p == '+');
    if (q < w.end && *q == '-')
        put(o, q++, 1);
    while (q + 1 < w.end && *q == '0' && is_digit(q[1]))
        q++;
    put(o, "0", q < w.end && *q == '.');
    for (; q < w.end; q++) {
        bool behind = q > w.p && is_digit(q[-1]), before = q + 1 < w.end && is_digit(q[1]);
        put(o, q, !(behind && (*q == '_' ? before : *q == '.' && q + 1 == w.end)));
    }
    json strict = {0};
    sluice__json_begin(&strict, false);
    view n = view_of(out_text(o) + begin, o->b.len - begin);
    bool good =
        strchr("+-.0123456789", *w.p) && sluice__json_read(&strict, n, true, &sure) == JSON_DONE;
    if (good && !equal_views(w, n))
        mended(j, "a number was rewritten as JSON");
    if (!good)
        o->b.len = begin;
    return good;
}

/* Text without quotes: a word of JSON, a number, or a string, which is in doubt. */
static json_end bare(json *j, view v, bool finished, out *o, const char **after) {
    const char *end = v.p;
    while (end < v.end && in_word(*end))
        end++;
    if (end == v.end && (!finished || j->depth)) /* it may go on */
        return cut(finished);
    if (end == v.p)
        return refuse(j, "expected a value");
    view w = {v.p, end};
    *after = end;
    j->place = AFTER_VALUE;
    if (!put_word(j, w, o)) {
        if (j->strict)
            return refuse(j, "expected a value");
        lost(j, "a word that is neither a number nor true, false or null was read as text");
        sluice__put_string(o, w);
    }
    return JSON_DONE;
}

/* The beginning of a value, or all of a scalar. */
static json_end value(json *j, view v, bool finished, out *o, const char **after) {
    char c = *v.p;
    if (c == '{' || c == '[' || (c == '(' && j->python)) {
        if (j->depth >= j->limit)
            return refuse(j, sluice__too_deep);
        json_push(j, c == '(' ? 'g' : c);
        put(o, c == '{' ? "{" : "[", 1);
        j->place = c == '{' ? IN_EMPTY_OBJECT : IN_EMPTY_ARRAY;
        *after = v.p + 1;
        return JSON_DONE;
    }
    int n = quote_at(j, v, finished);
    if (n == 0)
        return bare(j, v, finished, o, after);
    size_t some = view_len(v) < 3 ? view_len(v) : 3;
    const char *three = c == '"' ? "\"\"\"" : "'''";
    bool triple = j->python && !is_own(j) && memcmp(v.p, three, some) == 0;
    if (n < 0 || (triple && some < 3 && !finished))
        return JSON_MORE;
    j->quote = triple && some == 3 ? three : j->quote;
    if (*j->quote == '\'' && !j->python && !is_own(j))
        mended(j, "a string had other quotes");
    j->place = strcmp(j->quote, "\"") == 0 && !is_own(j) ? IN_STRING : IN_LENIENT_STRING;
    j->nested = 0;
    j->last = 0;
    put(o, "\"", 1);
    *after = v.p + strlen(j->quote);
    return JSON_DONE;
}

/* An escape at v.p. */
static json_end escape(json *j, view v, bool finished, out *o, const char **after) {
    size_t n = view_len(v);
    char c = n > 1 ? v.p[1] : 0;
    bool python = j->python || *j->quote == '\''; /* as JSON's strings are never quoted */
    bool wide = c == 'U' && python && (n == 2 || v.p[2] == '0'); /* else perhaps C:\Users */
    size_t need = wide ? 10 : c == 'u' ? 6 : c == 'x' && python ? 4 : 2;
    long code = wide ? hex_at(v.p + 2, v.end, 8) : -1;
    if (n < need)
        return cut(finished);
    *after = v.p + need;
    if ((c && strchr("bfnrt\"\\/", c)) || (c == 'u' && hex_at(v.p + 2, v.end, 4) >= 0)) {
        put(o, v.p, need);
    } else if (c == 'x' && python && hex_at(v.p + 2, v.end, 2) >= 0) {
        put(o, "\\u00", 4);
        put(o, v.p + 2, 2);
    } else if (code >= 0x10000 && code < 0x110000) {
        char text[4];
        sluice__put_escaped(o, view_of(text, (size_t)sluice__utf8_encode((uint32_t)code, text)));
    } else if (c == '\'' || (c == '`' && !j->python)) {
        put(o, v.p + 1, 1);
        if (c != *j->quote)
            mended(j, "an escape that JSON does not have");
    } else {
        put(o, "\\\\", 2);
        *after = v.p + 1;
        lost(j, "an escape that JSON does not have was kept as text");
    }
    return JSON_DONE;
}

/* The own quote at v.p: YES: it closes its string; NO: it opens or closes one that is quoted in it.
 * One behind a colon, a comma or a bracket opens, unless what may follow a value follows it. */
static match own_closes(json *j, view v, size_t n, bool finished) {
    const char *p = past_space((view){v.p + n, v.end});
    bool follows = p == v.end || strchr("}]),", *p);
    if (p == v.end && !finished && view_len(v) < LONGEST_TOKEN)
        return CUT;
    if (follows && !j->nested)
        return YES;
    if (!follows && j->last && strchr(":[,{", j->last))
        j->nested += j->nested < UINT8_MAX;
    else if (j->nested)
        j->nested--;
    else
        lost(j, "a quote inside a value is not escaped: the end of the value is in doubt");
    return NO;
}

/* Does the quote at v.p close the string? *n: its length; if it does not, that of what is text. */
static match closes(json *j, view v, bool finished, size_t *n) {
    size_t need = strlen(j->quote), some = view_len(v) < need ? view_len(v) : need;
    if (memcmp(v.p, j->quote, some) != 0 || (is_own(j) && is_text(j, v.p)))
        return NO;
    if (some < need)
        return finished ? NO : CUT;
    *n = need;
    return is_own(j) && !j->strict ? own_closes(j, v, need, finished) : YES;
}

/* Bytes that are not simply text in the string. */
static bool is_special(const json *j, char c) {
    bool escaped = c == '\\' || ((unsigned char)c < 32 && !j->python);
    return c == *j->quote || (escaped && !is_own(j));
}

/* Some of a string: one thing that is special, or plain text. */
static json_end string(json *j, view v, bool finished, out *o, const char **after) {
    const char *p = v.p;
    size_t n = 1;
    int len = 1;
    if (*p == '\\' && !is_own(j))
        return escape(j, v, finished, o, after);
    if (!is_special(j, *p)) {
        while (p < v.end && !is_special(j, *p) && (len = utf8_len((view){p, v.end})) > 0)
            p += len;
        n = (size_t)(p - v.p);
        if (!n && len == 0 && !finished)
            return JSON_MORE;
        if (!n) /* told where it stands */
            n = len ? (size_t)-len : view_len(v);
    } else if ((unsigned char)*p < 32) {
        mended(j, "a control character in a string was escaped");
    } else {
        match m = closes(j, v, finished, &n);
        if (m == CUT)
            return JSON_MORE;
        if (m == YES) {
            put(o, "\"", 1);
            j->place = AFTER_VALUE;
            *after = p + n;
            return JSON_DONE;
        }
    }
    j->bad_utf8 |= sluice__put_escaped(o, view_of(v.p, n));
    for (p = v.p; p < v.p + n && is_own(j); p++)
        j->last = is_space(*p) ? j->last : *p;
    *after = v.p + n;
    return JSON_DONE;
}

const char sluice__too_deep[] = "nested too deep, or a token is too long",
           sluice__no_parameter[] = "an argument without a keyword fits no parameter of a tool";

/* The key of a parameter for an argument that has none. */
static json_end position(json *j, out *o) {
    view name;
    if (!j->asks || j->positions == UINT32_MAX)
        return refuse(j, "expected a keyword");
    if (!j->asks->name_position(j->who, j->positions, &name))
        return refuse(j, sluice__no_parameter);
    j->positions++;
    mended(j, "arguments without a keyword were taken in the order of the tool's parameters");
    sluice__put_string(o, name);
    put(o, ":", 1);
    return JSON_DONE;
}

/* The key and the colon. */
static json_end key(json *j, view *v, bool finished, out *o) {
    bool arguments = json_top(j) == '=';
    int n = quote_at(j, *v, finished);
    bool escaped = n > 0 && !is_own(j);
    const char *text = v->p + (n > 0 ? n : 0), *end = text, *p;
    if (n > 0)
        end = sluice__string_end((view){text, v->end}, escaped ? NULL : j->own_quote, *j->quote);
    else
        while (end < v->end && (in_word(*end) || (j->own_quote && is_blank(*end))))
            end++;
    if (n < 0 || !end || end == v->end)
        return cut(finished);
    while (n == 0 && end > text && is_blank(end[-1]))
        end--;
    p = skip(j, (view){end + (n > 0 ? n : 0), v->end}, finished);
    if (p == v->end)
        return cut(finished);
    bool named = n > 0 || end > text;
    if (!named || *p != (arguments ? '=' : ':'))
        return arguments
                   ? position(j, o)
                   : refuse(j, named ? "expected a colon; maybe a quote is missing or not escaped"
                                     : "expected a key");
    j->positions = arguments ? UINT32_MAX : j->positions;
    if (escaped && *j->quote == '\'' && !j->python)
        mended(j, "a key had other quotes");
    if (n == 0 && !arguments && !j->own_quote)
        mended(j, "a bare key was quoted");
    v->p = skip(j, (view){p + 1, v->end}, finished);
    if (v->p == v->end)
        return cut(finished);
    json_end what = JSON_DONE;
    put(o, "\"", 1);
    for (view w = {text, v->end}; escaped && w.p < end && what == JSON_DONE;)
        what = string(j, w, finished, o, &w.p);
    if (!escaped)
        j->bad_utf8 |= sluice__put_escaped(o, (view){text, end});
    put(o, "\":", 2);
    return what;
}

static json_end between(json *j, view v, bool finished, out *o, const char **after) {
    const char *p = skip(j, v, finished);
    char top = json_top(j);
    bool first = j->place != AFTER_VALUE, comma = p < v.end && *p == ',' && !first;
    p = comma ? skip(j, (view){p + 1, v.end}, finished) : p;
    if (p == v.end)
        return cut(finished);
    if (top && *p == (top == '{' ? '}' : top == '[' ? ']' : ')') && !(comma && j->strict)) {
        if (comma && p + 1 == v.end && !finished)
            return JSON_MORE;
        if (comma && p + 1 < v.end && (is_name_byte(p[1]) || is_quote(p[1])))
            lost(j, "a closing bracket after a comma may be a misspelt quote");
        if (comma && !j->python)
            mended(j, "a comma before a closing bracket was left out");
        if (top == 'g' && !comma && !first)
            lost(j, "parentheses around a value were read as a list");
        put(o, is_object(top) ? "}" : "]", 1);
        j->depth--;
        j->place = AFTER_VALUE;
        *after = p + (top != '=');
        return JSON_DONE;
    }
    if (!first && !comma)
        return refuse(j, "expected a comma or a closing bracket; maybe a quote is not escaped");
    if (top == 'g' && comma) { /* it is a tuple */
        j->depth--;
        json_push(j, '(');
    }
    put(o, ",", !first || j->place == IN_FULL_OBJECT);
    v.p = p;
    json_end end = is_object(top) ? key(j, &v, finished, o) : JSON_DONE;
    return end == JSON_DONE ? value(j, v, finished, o, after) : end;
}

/* Reads one token that is no strict JSON, and writes it as strict JSON. */
static json_end mend(json *j, view *at, bool finished, out *o) {
    view v = *at;
    const char *after = v.p;
    enum { RESTORED = offsetof(json, open) - offsetof(json, state) };
    uint8_t before[RESTORED];
    size_t len = o->b.len;
    bool inside = in_string(j), is_long = !inside && view_len(v) > LONGEST_TOKEN;
    if (v.p == v.end)
        return cut(finished);
    if (is_long) /* no more is looked at, however much has come */
        v.end = v.p + LONGEST_TOKEN;
    finished &= !is_long;
    memcpy(before, &j->state, RESTORED);
    j->ahead = 0;
    json_end end = (inside ? string : between)(j, v, finished, o, &after);
    end = end == JSON_MORE && is_long ? refuse(j, sluice__too_deep) : end;
    if (end == JSON_DONE && j->strict && (j->mended || j->lost))
        end = refuse(j, j->mended ? j->mended : j->lost);
    if (end != JSON_DONE) {
        memcpy(&j->state, before, RESTORED);
        if (end == JSON_MORE) /* it is read again from the sure point */
            j->ahead = j->state = 0;
        o->b.len = len;
        return end;
    }
    at->p = after;
    return j->depth || j->place != AFTER_VALUE ? JSON_ON : JSON_DONE;
}

json_end sluice__json_step(json *j, view *v, size_t most, view *strict, out *o) {
    size_t n;
    json_end end = sluice__json_read(j, *v, !most, &n);
    *strict = view_of(v->p, n);
    v->p += n;
    if (end == JSON_DONE || (end == JSON_MORE && j->ahead < most))
        return end;
    return n ? JSON_ON : mend(j, v, !most, o);
}

json_end sluice__json_go(json *j, view *v, size_t most, out *o) {
    json_end end;
    view strict;
    do {
        end = sluice__json_step(j, v, most, &strict, o);
        put_view(o, strict);
    } while (end == JSON_ON);
    return end;
}

const char *sluice__json_whole(json *j, view v, out *o, size_t *at) {
    const char *from = v.p, *stop = v.end;
    json_end end = sluice__json_go(j, &v, 0, o);
    if (end == JSON_DONE)
        stop = past_space(v);
    else if (j->problem)
        stop = v.p + (j->strict ? j->ahead : 0);
    if (at)
        *at = (size_t)(stop - from);
    if (end == JSON_DONE)
        return stop == v.end ? NULL : "text after the value";
    return j->problem ? j->problem : "the text ends inside the value";
}

const char *sluice__not_json(const sluice_allocator *a, view v, size_t *at) {
    json j = {0};
    heap heap = {*a, false};
    out nowhere = {.heap = &heap};
    sluice__json_begin(&j, false);
    j.strict = true;
    const char *why = sluice__json_whole(&j, v, &nowhere, at);
    sluice__buffer_release(a, &nowhere.b);
    return heap.failed ? "out of memory" : why;
}
