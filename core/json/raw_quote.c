/*
 * Quotes that were not escaped: `"say "hi" now"`.
 *
 * A quote closes its string if what follows it can only follow a closing quote: a closer of an open
 * container, a comma and what may follow it, the end. For any other quote, the line is searched for
 * a quote that does so, by a strict check; if there is one, and no literal of the format before it,
 * the quotes before it are text. What may also be a sum, a comment or a missing comma is left to
 * the states after the string, and so is everything if no such quote is found.
 */
#include "inside.h"

/* Looks that find nothing may take this many times the bytes read so far, plus some: each value of
 * an object may begin one, whose rest the next value is. Further quotes close their strings. */
enum { VAIN_TIMES = 8, VAIN_BYTES = 64 * 1024 };

enum {
    SPACE_MOST = 256, /* longer white space and keys after a quote are not examined */
    KEY_MOST = 256
};

/* What follows a quote: it closes the string, continues it, or may do either. */
typedef enum follows { GOES_ON_TEXT, CLOSES, OPEN, MORE } follows;

static bool in_word(char c) { return sluice__is_name_byte(c) || c == '-' || c == '.' || c == '$'; }

/* Returns how many closers close everything open. */
static size_t open_count(const sluice__reader *r) { return r->depth + (r->within != 0); }

/* Returns the kind of the container that contains the string, or that is innermost after `closers`
 * closers, fewer than close everything. */
static enum kind kind_after(const sluice__reader *r, size_t closers) {
    if (closers < r->depth)
        return kind_at(r, r->depth - 1 - closers);
    return r->within == '}' ? OBJECT : KWARGS;
}

enum kind around(const sluice__reader *r) { return kind_after(r, 0); }

static bool is_closer(const sluice__reader *r, char c) {
    return (c == r->within && c) || closes_some(r, c) ||
           (c == ')' && (r->groups || (r->depth && kind_at(r, 0) == KWARGS)));
}

static bool is_quote(const sluice__reader *r, char c) {
    return c == '"' || ((c == '\'' || c == '`') && r->flags & (SLUICE__QUOTES | SLUICE__PYTHON));
}

/* Moves *i past white space. Returns MORE, or OPEN if it is too long; else GOES_ON_TEXT. At the end
 * of the text *i is n. */
static follows past_space(const sluice__reader *r, size_t *i) {
    size_t most = *i + SPACE_MOST;
    while (*i < r->n && *i < most && is_space(r->in[*i]))
        ++*i;
    if (*i == r->n)
        return r->ended ? GOES_ON_TEXT : MORE;
    return *i == most ? OPEN : GOES_ON_TEXT;
}

/* Moves *i past the key that begins there, in quotes or as a bare word. Returns MORE, or OPEN if it
 * is too long or does not end; else GOES_ON_TEXT. */
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

/* The same, and past the white space that follows. */
static follows past_key_and_space(const sluice__reader *r, size_t *i) {
    follows f = past_key(r, i);
    return f == GOES_ON_TEXT ? past_space(r, i) : f;
}

/* Returns CLOSES if a key with its colon, or a keyword with its `=`, is at i: the string before it
 * is closed. OPEN if it is too long. */
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

/* The same for a quoted key whose opening quote may be missing: a bare one may be text. */
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

/* Checks for a word at i that is a whole item: a comma or a closer follows. */
static follows at_word(const sluice__reader *r, size_t i) {
    follows f = past_key_and_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f;
    return i == r->n || r->in[i] == ',' || is_closer(r, r->in[i]) ? CLOSES : GOES_ON_TEXT;
}

/* Checks for a keyword at i, with its `=` and a possible value. */
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

/* Checks what follows a comma, at i, after the quote or after closers that close some containers.
 * `top` goes on there. */
static follows after_comma(const sluice__reader *r, size_t i, enum kind top) {
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
    if (top == KWARGS && !r->within) /* a value without a keyword cannot follow here */
        return GOES_ON_TEXT;
    return is_quote(r, c) || is_digit(c) || memchr("-+.*{[(", c, 7) ? CLOSES
           : in_word(c)                                             ? at_word(r, i)
                                                                    : GOES_ON_TEXT;
}

/* Everything open is closed, and a comma is at in[i]. Checks whether what follows it is outside. */
static follows after_outer_comma(const sluice__reader *r, size_t i) {
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

/* Closers follow the quote, from i on. Checks whether they can only follow a string. */
static follows after_closers(const sluice__reader *r, size_t i) {
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
        return all ? after_outer_comma(r, i) : after_comma(r, i + 1, kind_after(r, closers));
    return prose && (!all || r->flags & SLUICE__PYTHON) ? GOES_ON_TEXT : CLOSES;
}

/* Checks for an operator at i, after a Python string: then the string is closed. */
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

/* Checks for Python's next quote, at i: strings are joined, but not an empty one at the end of the
 * text. */
static follows at_joined(const sluice__reader *r, size_t quote, size_t i) {
    if (i != quote + 1 || r->in[i] != r->delimiter)
        return CLOSES;
    size_t at = i + 1;
    follows f = past_space(r, &at);
    if (f != GOES_ON_TEXT)
        return f == OPEN ? CLOSES : f;
    return at == r->n || r->in[at] == ',' || is_closer(r, r->in[at]) ? GOES_ON_TEXT : CLOSES;
}

/* Checks what follows the quote at in[quote]: at i, and neither comma nor closer. */
static follows after_else(const sluice__reader *r, size_t quote, size_t i) {
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

/* Checks what follows the quote at in[quote]. `strict`: an earlier quote does not close the
 * string. */
static follows after_quote(const sluice__reader *r, size_t quote, bool strict) {
    size_t i = quote + 1;
    follows f = past_space(r, &i);
    if (f != GOES_ON_TEXT)
        return f == OPEN && !strict ? CLOSES : f;
    if (i == r->n)
        return CLOSES;
    char c = r->in[i];
    if (!strict)
        return c == ',' || is_closer(r, c) ? CLOSES : after_else(r, quote, i);
    return c == ','          ? after_comma(r, i + 1, around(r))
           : is_closer(r, c) ? after_closers(r, i)
                             : GOES_ON_TEXT;
}

/* True if the quote after `before` may open a value, or precede a colon: then a quote may be
 * missing. */
static bool is_doubtful(const sluice__reader *r, size_t quote, char before) {
    size_t i = quote + 1;
    past_space(r, &i);
    return (before && memchr(r->flags & SLUICE__PYTHON ? ":,[{=(" : ":,[{", before,
                             r->flags & SLUICE__PYTHON ? 6 : 4)) ||
           (i < r->n && r->in[i] == ':') || !is_object(around(r));
}

/* Searches after the quote at `i` for one that closes the string: through the line, or, if a letter
 * follows the quote in a Python string, through the text. */
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
            follows f = i == r->i ? GOES_ON_TEXT : after_quote(r, i, true);
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
    r->vain += i - r->i;
    return GOES_ON;
more:
    r->raw.at = i - r->i;
    return LOOKS_ON;
}

going closes(sluice__reader *r, bool *yes) {
    *yes = true;
    bool first = !r->raw.left;
    if (first && r->i + 1 < r->n && r->in[r->i + 1] == ',') /* most quotes */
        return GOES_ON;
    if (r->in_key || r->formatted || !asks_quotes(r))
        return GOES_ON;
    if (first && !r->raw.at) {
        follows f = after_quote(r, r->i, false);
        if (f == MORE)
            return LOOKS_ON;
        if (f == CLOSES || r->past + r->i < r->raw.none ||
            r->vain > VAIN_TIMES * (r->past + r->i) + VAIN_BYTES)
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
    return memory(!first ||
                  (r->raw.doubtful
                       ? tell_doubt(r, "a quote in a string was not escaped, or one may be "
                                       "missing elsewhere")
                       : tell(r, "a quote in a string was not escaped")));
}
