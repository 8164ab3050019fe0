/*
 * Quotes that were not escaped: `"say "hi" now"`.
 *
 * A quote closes its string where what follows can only stand behind one: a closer of what is open,
 * a comma and what may follow it, the end. At any other, the line is looked through for one that
 * does, and strictly; if there is one, and no literal of the format before it, the quotes before it
 * are text. What may as well be a sum, a comment or a missing comma is left to the states behind
 * the string, as is everything where no such quote is found.
 */
#include "inside.h"

enum {
    SPACE_MOST = 256, /* white space and a key behind a quote that are longer are not looked at */
    KEY_MOST = 256
};

/* What stands behind a quote: what closes the string, what goes on it, or what may do either. */
typedef enum follows { GOES_ON_TEXT, CLOSES, OPEN, MORE } follows;

static bool in_word(char c) { return sluice__is_name_byte(c) || c == '-' || c == '.' || c == '$'; }

/* How many closers close all that is open. */
static size_t open_count(const sluice__reader *r) { return r->depth + (r->within != 0); }

/* The kind of the container that the string stands in, or that goes on behind some closers, of
 * fewer than all that is open. */
static enum kind kind_behind(const sluice__reader *r, size_t closers) {
    if (closers < r->depth)
        return kind_at(r, r->depth - 1 - closers);
    return r->within == '}' ? OBJECT : KWARGS;
}

enum kind around(const sluice__reader *r) { return kind_behind(r, 0); }

static bool is_closer(const sluice__reader *r, char c) {
    return (c == r->within && c) || closes_some(r, c) ||
           (c == ')' && (r->groups || (r->depth && kind_at(r, 0) == KWARGS)));
}

static bool is_quote(const sluice__reader *r, char c) {
    return c == '"' || ((c == '\'' || c == '`') && r->flags & (SLUICE__QUOTES | SLUICE__PYTHON));
}

/* Moves *i behind white space. MORE, or OPEN: there is too much; else GOES_ON_TEXT. At the end of
 * the text *i is n. */
static follows past_space(const sluice__reader *r, size_t *i) {
    size_t most = *i + SPACE_MOST;
    while (*i < r->n && *i < most && is_space(r->in[*i]))
        ++*i;
    if (*i == r->n)
        return r->ended ? GOES_ON_TEXT : MORE;
    return *i == most ? OPEN : GOES_ON_TEXT;
}

/* Moves *i behind the key that begins there, in quotes or as a bare word. MORE, or OPEN: it is too
 * long, or does not end; else GOES_ON_TEXT. */
static follows past_key(const sluice__reader *r, size_t *i) {
    size_t most = *i + KEY_MOST;
    char quote = is_quote(r, r->in[*i]) ? r->in[(*i)++] : 0;
    while (*i < r->n && *i < most &&
           (quote ? r->in[*i] != quote && r->in[*i] != '\n' : in_word(r->in[*i])))
        *i += 1 + (r->in[*i] == '\\');
    if (*i >= r->n)
        return r->ended ? OPEN : MORE;
    if (*i >= most || (quote && r->in[*i] != quote))
        return OPEN;
    *i += quote != 0;
    return GOES_ON_TEXT;
}

/* The same, and behind the white space that follows. */
static follows past_key_and_space(const sluice__reader *r, size_t *i) {
    follows f = past_key(r, i);
    return f == GOES_ON_TEXT ? past_space(r, i) : f;
}

/* Is there a key with its colon, or a keyword with its `=`, at i? Then the string before is closed;
 * what is too long to tell is OPEN. */
static follows at_key(const sluice__reader *r, size_t i, enum kind top) {
    follows f = past_key_and_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    if (i == r->n)
        return OPEN;
    if (r->in[i] == '=' && i + 1 == r->n && !r->ended)
        return MORE;
    if (r->in[i] == '=' && (top == KWARGS || r->flags & SLUICE__BARE))
        return i + 1 < r->n && r->in[i + 1] == '=' ? GOES_ON_TEXT : CLOSES;
    return r->in[i] == ':' ? CLOSES : GOES_ON_TEXT;
}

/* The same of a key in quotes, of which the first may be missing: a bare one may be text. */
static follows at_quoted_key(const sluice__reader *r, size_t i) {
    bool half = !is_quote(r, r->in[i]);
    follows f = past_key(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    if (half && !is_quote(r, r->in[i++]))
        return GOES_ON_TEXT;
    f = past_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    return i == r->n ? OPEN : r->in[i] == ':' ? CLOSES : GOES_ON_TEXT;
}

/* A word that is a whole item stands at i: a comma or a closer follows. */
static follows at_word(const sluice__reader *r, size_t i) {
    follows f = past_key_and_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    return i == r->n || r->in[i] == ',' || is_closer(r, r->in[i]) ? CLOSES : GOES_ON_TEXT;
}

/* A keyword stands at i, with its `=` and what may be a value. */
static follows at_keyword(const sluice__reader *r, size_t i) {
    follows f = past_key_and_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    if (i == r->n || r->in[i++] != '=')
        return GOES_ON_TEXT;
    f = past_space(r, &i);
    if (f != GOES_ON_TEXT || i == r->n)
        return f == GOES_ON_TEXT ? OPEN : f;
    return is_quote(r, r->in[i]) || memchr("[{(", r->in[i], 3) ? CLOSES
           : in_word(r->in[i])                                 ? at_word(r, i)
                                                               : GOES_ON_TEXT;
}

/* A comma stands behind the quote, or behind what closes some of what is open, and i is behind it.
 * `top` goes on there. */
static follows behind_comma(const sluice__reader *r, size_t i, enum kind top) {
    follows f = past_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    if (i == r->n)
        return CLOSES;
    char c = r->in[i];
    if (c == ',' || c == '/' || c == '#' || is_closer(r, c))
        return CLOSES;
    if (top == OBJECT)
        return in_word(c) || is_quote(r, c) ? at_quoted_key(r, i) : GOES_ON_TEXT;
    if (top == KWARGS && sluice__is_name_byte(c) && !is_digit(c)) {
        f = at_keyword(r, i);
        if (f != GOES_ON_TEXT || !r->within)
            return f;
    }
    if (top == KWARGS && !r->within) /* a value without its keyword cannot stand there */
        return GOES_ON_TEXT;
    return is_quote(r, c) || is_digit(c) || memchr("-+.*{[(", c, 7) ? CLOSES
           : in_word(c)                                             ? at_word(r, i)
                                                                    : GOES_ON_TEXT;
}

/* All that is open is closed, and a comma stands at in[i]. Does what follows go on outside? */
static follows behind_outer_comma(const sluice__reader *r, size_t i) {
    size_t most = ++i + KEY_MOST;
    follows f = past_space(r, &i);
    if (f != GOES_ON_TEXT || i == r->n)
        return f == GOES_ON_TEXT ? CLOSES : f;
    if (!in_word(r->in[i]))
        return CLOSES;
    if (!(r->flags & SLUICE__PYTHON))
        return at_key(r, i, OBJECT);
    while (i < r->n && i < most && in_word(r->in[i])) /* another call */
        i++;
    if (i == r->n)
        return r->ended ? CLOSES : MORE;
    return r->in[i] == '(' ? CLOSES : GOES_ON_TEXT;
}

/* Closers stand behind the quote, from i on. Are they such as only stand behind a string? */
static follows behind_closers(const sluice__reader *r, size_t i) {
    size_t closers = 0, most = i + SPACE_MOST;
    bool line = false;
    for (; i < r->n && i < most; i++) {
        if (memchr("}])", r->in[i], 3))
            closers++;
        else if (!is_space(r->in[i]))
            break;
        line |= r->in[i] == '\n';
    }
    if (i == r->n)
        return r->ended ? CLOSES : MORE;
    if (r->in[i] == r->delimiter)
        return GOES_ON_TEXT;
    bool all = closers >= open_count(r), prose = sluice__is_name_byte(r->in[i]) && !line;
    if (r->in[i] == ',')
        return all ? behind_outer_comma(r, i) : behind_comma(r, i + 1, kind_behind(r, closers));
    return prose && (!all || r->flags & SLUICE__PYTHON) ? GOES_ON_TEXT : CLOSES;
}

/* May what stands at i, behind a Python string, be calculated with it? Then the string is closed.
 */
static follows at_operator(const sluice__reader *r, size_t i) {
    static const char *const words[] = {"if", "else", "for", "in", "is", "and", "or", "not"};
    enum { LONGEST = 4 };
    if (memchr("+-*/%.[({&|^<>=@~", r->in[i], 17))
        return CLOSES;
    size_t n = 0;
    while (i + n < r->n && n <= LONGEST && sluice__is_name_byte(r->in[i + n]))
        n++;
    if (i + n == r->n && n <= LONGEST && !r->ended)
        return MORE;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == n && memcmp(words[k], r->in + i, n) == 0)
            return CLOSES;
    return GOES_ON_TEXT;
}

/* Python's next quote, at i: strings are joined, but an empty one behind which all ends is none. */
static follows at_joined(const sluice__reader *r, size_t quote, size_t i) {
    if (i != quote + 1 || r->in[i] != r->delimiter)
        return CLOSES;
    size_t at = i + 1;
    follows f = past_space(r, &at);
    if (f != GOES_ON_TEXT)
        return f == OPEN ? CLOSES : f;
    return at == r->n || r->in[at] == ',' || is_closer(r, r->in[at]) ? GOES_ON_TEXT : CLOSES;
}

/* What stands behind the quote at in[quote] is neither comma nor closer: it stands at i. */
static follows behind_else(const sluice__reader *r, size_t quote, size_t i) {
    enum kind top = around(r);
    char c = r->in[i];
    bool python = r->flags & SLUICE__PYTHON;
    if (memchr("/#\\+{[", c, 6))
        return CLOSES;
    follows f = python ? at_operator(r, i) : GOES_ON_TEXT;
    if (f != GOES_ON_TEXT)
        return f;
    if (is_quote(r, c) && python)
        return at_joined(r, quote, i);
    if (c == r->delimiter && top != OBJECT)
        return CLOSES;
    if ((c == r->delimiter || in_word(c)) && is_object(top)) {
        f = at_key(r, i, top);
        return f == OPEN ? CLOSES : f;
    }
    return i > quote + 1 && in_word(c) && !is_object(top) ? CLOSES : GOES_ON_TEXT;
}

/* What the text behind the quote at in[quote] says of it. `strict`: of a quote that stands behind
 * one that was found wanting. */
static follows behind(const sluice__reader *r, size_t quote, bool strict) {
    size_t i = quote + 1;
    follows f = past_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f == OPEN && !strict ? CLOSES : f;
    if (i == r->n)
        return CLOSES;
    char c = r->in[i];
    if (!strict)
        return c == ',' || is_closer(r, c) ? CLOSES : behind_else(r, quote, i);
    return c == ','          ? behind_comma(r, i + 1, around(r))
           : is_closer(r, c) ? behind_closers(r, i)
                             : GOES_ON_TEXT;
}

/* May the quote behind `before` open a value, or stand before a colon? Then one may be missing. */
static bool is_doubtful(const sluice__reader *r, size_t quote, char before) {
    size_t i = quote + 1;
    past_space(r, &i);
    return (before && memchr(r->flags & SLUICE__PYTHON ? ":,[{=(" : ":,[{", before,
                             r->flags & SLUICE__PYTHON ? 6 : 4)) ||
           (i < r->n && r->in[i] == ':') || !is_object(around(r));
}

/* Looks behind the quote at `i` for one that closes the string: through the line, or, where a
 * letter of a Python string follows the quote, through the text. */
static going look_for_closing(sluice__reader *r, bool *found) {
    size_t i = r->i + r->raw.at;
    char next = r->i + 1 < r->n ? r->in[r->i + 1] : 0;
    bool line = !(r->flags & SLUICE__PYTHON) || !sluice__is_name_byte(next) || is_digit(next);
    *found = false;
    if (!r->raw.at) {
        r->raw.before = r->flags & SLUICE__PYTHON ? r->before : 0;
        r->raw.doubtful = false;
        r->raw.count = 0;
    }
    for (; i < r->n && i - r->i < r->look_limit; i++) {
        char c = r->in[i];
        if (line && (c == '\n' || c == '\r'))
            break;
        int ends = i == r->i || !r->ends ? 0 : r->ends(r->sink->user, i);
        if (ends < 0)
            goto more;
        if (ends)
            break;
        if (c == r->delimiter) {
            follows f = i == r->i ? GOES_ON_TEXT : behind(r, i, true);
            if (f == MORE)
                goto more;
            if (f == CLOSES) {
                r->raw.at = 0;
                r->raw.left = r->raw.count;
                *found = true;
                return GOES_ON;
            }
            r->raw.count++;
            r->raw.doubtful |= is_doubtful(r, i, r->raw.before);
        }
        if (!is_space(c))
            r->raw.before = c;
        if (c == '\\' && ++i == r->n && !r->ended) {
            i--;
            goto more;
        }
    }
    if (i >= r->n && !r->ended)
        goto more;
    r->raw.at = 0;
    r->raw.none = r->past + i;
    return GOES_ON;
more:
    r->raw.at = i - r->i;
    return LOOKS_ON;
}

going closes(sluice__reader *r, bool *yes) {
    *yes = true;
    bool first = !r->raw.left;
    if (first && r->i + 1 < r->n && r->in[r->i + 1] == ',') /* most of them */
        return GOES_ON;
    if (r->in_key || r->formatted || !asks_quotes(r))
        return GOES_ON;
    if (first && !r->raw.at) {
        follows f = behind(r, r->i, false);
        if (f == MORE)
            return LOOKS_ON;
        if (f == CLOSES || r->past + r->i < r->raw.none)
            return GOES_ON;
    }
    if (first) {
        bool found;
        going going = look_for_closing(r, &found);
        if (going != GOES_ON || !found)
            return going;
    }
    *yes = false;
    r->raw.left--;
    if (!flush(r))
        return NO_MEMORY;
    return memory(!first || (r->raw.doubtful
                                 ? tell_doubt(r, "a quote in a string was not escaped, and it may "
                                                 "be one that is missing elsewhere")
                                 : tell(r, "a quote in a string was not escaped")));
}
