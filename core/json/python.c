/* Python notation that can be recognised only by looking ahead. */
#include "inside.h"

#include <stdio.h>

/* ---- Parentheses ----------------------------------------------------------------------------- */

/* Continues in a string from p[*at] on. False if more input is needed. */
static bool look_in_string(sluice__reader *r, const char *p, size_t n, size_t *at) {
    size_t quotes = r->look.quotes;
    char quote = r->look.quote;
    for (size_t i = *at; i < n; *at = ++i) {
        if (p[i] == '\\') {
            if (++i >= n)
                return false;
        } else if (p[i] == quote) {
            if (quotes == 3 && n - i < 3 && !r->ended)
                return false;
            if (quotes == 3 && (n - i < 3 || p[i + 1] != quote || p[i + 2] != quote))
                continue;
            *at = i + quotes;
            r->look.quote = 0;
            return true;
        }
    }
    return false;
}

/* Handles a quote at p[*at]. False if more input is needed. */
static bool look_at_quote(sluice__reader *r, const char *p, size_t n, size_t *at) {
    size_t i = *at;
    if (n - i < 3 && !r->ended)
        return false;
    r->look.any = true;
    if (n - i >= 2 && p[i + 1] == p[i] && (n - i < 3 || p[i + 2] != p[i])) {
        *at = i + 2; /* an empty one */
        return true;
    }
    r->look.quote = p[i];
    r->look.quotes = n - i >= 3 && p[i + 1] == p[i] ? 3 : 1;
    *at = i + r->look.quotes;
    return true;
}

going look_through(sluice__reader *r, enum kind *kind) {
    const char *p = r->in + r->i;
    size_t n = r->n - r->i, i = r->look.at ? r->look.at : 1;
    bool too_long =
        n > r->look_limit; /* longer parentheses are refused even if the rest is there */
    if (too_long)
        n = r->look_limit;
    if (i == 1)
        memset(&r->look, 0, sizeof r->look);
    *kind = GROUP;
    while (i < n) {
        char c = p[i];
        if (r->look.quote) {
            if (!look_in_string(r, p, n, &i))
                break;
        } else if (r->look.comment) {
            r->look.comment = c != '\n';
            i++;
        } else if (c == '"' || c == '\'') {
            if (!look_at_quote(r, p, n, &i))
                break;
        } else if ((c == ',' && !r->look.depth) ||
                   ((c == ')' || c == ']' || c == '}') && !r->look.depth--)) {
            *kind = c == ',' || !r->look.any ? LONE : GROUP;
            r->look.at = 0;
            return GOES_ON;
        } else {
            r->look.depth += c == '(' || c == '[' || c == '{';
            r->look.comment = c == '#';
            r->look.any |= !is_space(c) && c != '#';
            i++;
        }
    }
    r->look.at = r->ended || too_long ? 0 : i;
    if (!too_long)
        return r->ended ? GOES_ON : LOOKS_ON;
    r->at_limit = true;
    return refuse(r, "the parentheses are too long");
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* 2024-01-31 */
static bool is_date(const char *p, size_t n) {
    static const char form[] = "0000-00-00";
    for (size_t i = 0; i < n && i < sizeof form - 1; i++)
        if (form[i] == '0' ? !is_digit(p[i]) : p[i] != form[i])
            return false;
    return n == sizeof form - 1;
}

bool is_expression(const sluice__buffer *w) {
    const char *p = w->data;
    size_t n = w->len;
    bool numbers = n && !is_date(p, n), sum = false, at = false;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '*')
            return true;
        bool between = i && i + 1 < n && memchr("+-/%&", p[i], 5);
        numbers = numbers && (is_digit(p[i]) || memchr("._+-/%&~", p[i], 8));
        sum |= between && (p[i] == '+' || numbers);
        at |= p[i] == '@';
    }
    bool plus = n > 2 && memchr(p + 1, '+', n - 2);
    return (numbers && sum && is_digit(p[n - 1])) || (plus && !at);
}

size_t based_number(const sluice__buffer *w, char *to) {
    const char *p = w->data, *end = p + w->len;
    bool minus = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (end - p < 3 || end - p > 17 || *p != '0')
        return 0;
    unsigned base = p[1] == 'x' || p[1] == 'X'   ? 16
                    : p[1] == 'o' || p[1] == 'O' ? 8
                    : p[1] == 'b' || p[1] == 'B' ? 2
                                                 : 0;
    unsigned long long value = 0;
    for (p += 2; base && p < end; p++) {
        unsigned digit = is_digit(*p)                           ? (unsigned)(*p - '0')
                         : (*p | 32) >= 'a' && (*p | 32) <= 'f' ? (unsigned)((*p | 32) - 'a' + 10)
                                                                : base;
        if (digit >= base)
            return 0;
        value = value * base + digit;
    }
    return base && value <= INT64_MAX ? (size_t)snprintf(to, 24, "%s%llu", minus ? "-" : "", value)
                                      : 0;
}

going keyword(sluice__reader *r, char c) {
    const sluice__buffer *w = &r->word;
    bool python = top_of(r) == KWARGS;
    if (w->data[0] == '*' && (python || c != ':'))
        return refuse(r, "unpacking (* or **) is not supported");
    if (!python)
        return GOES_ON;
    bool name = !is_digit(w->data[0]);
    for (size_t i = 0; i < w->len; i++)
        name = name && sluice__is_name_byte(w->data[i]);
    if (!name && !sluice__is_name_byte(w->data[0]))
        return refuse(r, "expected a keyword");
    return memory(name || tell(r, "a keyword is not a name"));
}
