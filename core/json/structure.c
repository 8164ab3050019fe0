/* Objects, arrays, and everything between tokens. */
#include "inside.h"

/* ---- The stack of open containers: four bits a level ----------------------------------------- */

enum { NEAR = 2 * SLUICE__DEPTH_NEAR };

enum kind kind_at(const sluice__reader *r, size_t i) {
    const uint8_t *levels = i < NEAR ? r->levels : (const uint8_t *)r->deep.data;
    size_t k = i < NEAR ? i : i - NEAR;
    return (enum kind)(levels[k / 2] >> (k % 2 * 4) & 15);
}

enum kind top_of(const sluice__reader *r) { return kind_at(r, r->depth - 1); }

bool push_kind(sluice__reader *r, enum kind k) {
    size_t i = r->depth;
    uint8_t *levels = r->levels;
    if (i >= NEAR) {
        i -= NEAR;
        if (i / 2 >= r->deep.len) {
            if (!sluice__buffer_reserve(r->alloc, &r->deep, 1))
                return false;
            r->deep.data[r->deep.len++] = 0;
        }
        levels = (uint8_t *)r->deep.data;
    }
    unsigned shift = i % 2 * 4;
    levels[i / 2] = (uint8_t)((levels[i / 2] & ~(15u << shift)) | (unsigned)k << shift);
    r->depth++;
    return true;
}

bool closes_some(const sluice__reader *r, char c) {
    for (size_t i = r->depth; i-- > 0;) {
        enum kind k = kind_at(r, i);
        if ((c == '}' && k == OBJECT) || (c == ']' && k == ARRAY) ||
            (c == ')' && (k == TUPLE || k == LONE)))
            return true;
    }
    return false;
}

static bool matches(enum kind k, char c) {
    return c == (k == OBJECT ? '}' : k == ARRAY ? ']' : ')');
}

void value_done(sluice__reader *r) {
    r->had_comma = false;
    r->holding = false;
    r->let_go = false;
    r->last = LAST_ELSE;
    r->state = r->depth ? AFTER : DONE;
    if (r->depth == r->groups)
        r->top_level_done = true;
}

bool open_container(sluice__reader *r, enum kind kind, const char *text, size_t n, bool source) {
    if (!out(r, text, n, source) || !settle(r) ||
        !token(r, is_object(kind) ? SLUICE__T_OBJECT : SLUICE__T_ARRAY, NULL, 0) ||
        !push_kind(r, kind))
        return false;
    r->had_comma = false;
    r->holding = true;
    r->let_go = false;
    r->state = is_object(kind) ? KEY : VALUE;
    return true;
}

bool close_container(sluice__reader *r, bool source, const char *text) {
    enum kind kind = top_of(r);
    size_t keep = 0;
    if (kind == GROUP) {
        r->depth--, r->groups--;
        value_done(r);
        return true;
    }
    if (r->holding) {
        while (keep < r->pending.len && is_space(r->pending.data[keep]))
            keep++;
        r->pending.len = keep;
        if (!settle(r))
            return false;
    }
    r->depth--;
    if (!token(r, SLUICE__T_CLOSE, NULL, 0) || !out(r,
                                                    source            ? text
                                                    : is_object(kind) ? "}"
                                                                      : "]",
                                                    1, source))
        return false;
    value_done(r);
    return true;
}

/* Consumes the closer at `i` and closes the innermost container. */
static bool take_closer(sluice__reader *r) {
    bool source = top_of(r) == OBJECT || top_of(r) == ARRAY;
    r->run = r->at = ++r->i;
    return close_container(r, source, r->in + r->i - 1);
}

/* ---- Between tokens -------------------------------------------------------------------------- */

/* Handles white space, comments and escapes where a token is expected; `state` continues after
 * them. False if something else is there. */
static bool trivia(sluice__reader *r, char c, going *how) {
    enum state state = (enum state)r->state;
    *how = GOES_ON;
    if (r->quote && c == r->quote[0] && (state == VALUE || state == KEY))
        return false;
    if (c == '/' && r->flags & SLUICE__COMMENTS && state != COLON) {
        r->state = SLASH;
    } else if (c == '#' && r->flags & (SLUICE__COMMENTS | SLUICE__PYTHON) && state != COLON) {
        r->state = LINE;
    } else if (c == '\\' && r->flags & SLUICE__ESCAPES) {
        r->state = OUTSIDE;
    } else {
        return false;
    }
    r->back = (uint8_t)state;
    r->commented = r->state != OUTSIDE && state == VALUE;
    *how = memory(swallow(r) && (r->state != LINE || tell(r, "a comment was left out")));
    return true;
}

static void skip_space(sluice__reader *r) {
    while (r->i < r->n && is_space(r->in[r->i]))
        r->i++;
}

/* The last resort of each state. */
static going no_token(sluice__reader *r, const char *problem) {
    if (!(r->flags & SLUICE__TOTAL))
        return refuse(r, problem);
    return memory(swallow(r) && tell_loss(r, "an unexpected byte was left out"));
}

/* Handles a closer of an outer container. */
static going missing_closer(sluice__reader *r) {
    return memory(tell(r, "a closing bracket was missing") && close_container(r, false, NULL));
}

/* Drops a key without a value, but not the comma before it. */
static going drop_key(sluice__reader *r) {
    if (!tell_loss(r, "a key without a value was left out"))
        return NO_MEMORY;
    r->pending.len = 0;
    r->state = KEY;
    return memory(!r->had_comma || out(r, ",", 1, false));
}

going sluice__reading_slash(sluice__reader *r, char c) {
    if (c == '/' || c == '*') {
        r->state = c == '/' ? LINE : BLOCK;
        return memory(swallow(r) && tell(r, "a comment was left out"));
    }
    if (!(r->flags & SLUICE__TOTAL))
        return refuse(r, "a slash that does not begin a comment");
    r->state = r->back;
    r->commented = false;
    r->run = r->i;
    return GOES_ON;
}

going sluice__reading_line(sluice__reader *r, char c) {
    if (c == '\n')
        r->state = r->back;
    return memory(swallow(r));
}

going sluice__reading_block(sluice__reader *r, char c) {
    if (c == '*')
        r->state = BLOCK_END;
    return memory(swallow(r));
}

going sluice__reading_block_end(sluice__reader *r, char c) {
    if (c != '*')
        r->state = c == '/' ? r->back : BLOCK;
    return memory(swallow(r));
}

going sluice__reading_outside(sluice__reader *r, char c) {
    if (c == 'n' || c == 't' || c == 'r') {
        if (!swallow(r) || !tell(r, "an escape outside a string was left out"))
            return NO_MEMORY;
    } else if (r->flags & SLUICE__TOTAL) {
        if (!tell_loss(r, "an unexpected byte was left out"))
            return NO_MEMORY;
        r->run = r->i;
    } else {
        return refuse(r, "a backslash outside a string");
    }
    r->state = r->back;
    return GOES_ON;
}

/* ---- Strings that begin ---------------------------------------------------------------------- */

static bool begins_string(const sluice__reader *r, char c) {
    return c == '"' || (r->quote && c == r->quote[0]) ||
           ((c == '\'' || c == '`') && r->flags & (SLUICE__QUOTES | SLUICE__PYTHON));
}

/* Opens a string or a key at `i`. Python's strings may have three quotes and be joined; its keys
 * may not. */
static going open_string(sluice__reader *r, char c, const char *note) {
    bool python = r->flags & SLUICE__PYTHON && !r->in_key && c != '`';
    if (c == '"' && !python) {
        r->run = r->at = ++r->i;
        return memory(begin_string(r, '"', true, r->in + r->i - 1));
    }
    if (c != '"' && r->quote && c == r->quote[0]) {
        r->quote_at = 1;
        r->state = OWN_OPEN;
        return memory(swallow(r) && (r->quote_len > 1 || begin_string(r, 0, false, NULL)));
    }
    if (!swallow(r) || (!(r->flags & SLUICE__PYTHON) && !tell(r, note)))
        return NO_MEMORY;
    r->raw_string = r->formatted = false;
    r->word.len = 0;
    r->delimiter = c;
    if (!python)
        return memory(begin_string(r, c, false, NULL));
    r->state = OPENING;
    return GOES_ON;
}

/* ---- The states ------------------------------------------------------------------------------ */

/* Handles white space between tokens. First, everything read so far is output. True if the byte was
 * handled; `how` is then the result. */
static bool space(sluice__reader *r, char c, going *how) {
    bool is = is_space(c);
    if (is)
        skip_space(r);
    *how = is || flush(r) ? GOES_ON : NO_MEMORY;
    return is || *how == NO_MEMORY;
}

static going open_value(sluice__reader *r, char c) {
    if (r->depth >= r->depth_limit) {
        r->at_limit = true;
        return refuse(r, "nested too deep");
    }
    enum kind kind = c == '{' ? OBJECT : ARRAY;
    if (c == '(') {
        going how = look_through(r, &kind);
        if (how != GOES_ON)
            return how;
    }
    r->run = r->at = ++r->i;
    if (kind == GROUP) {
        r->groups++;
        return memory(push_kind(r, GROUP));
    }
    if (c == '(')
        return memory(open_container(r, kind, "[", 1, false));
    return memory(open_container(r, kind, r->in + r->i - 1, 1, true));
}

/* Handles a byte that does not begin a value but can be repaired. */
static going no_value(sluice__reader *r, char c) {
    enum kind top = r->depth ? top_of(r) : OBJECT;
    if (top == GROUP)
        return no_token(r, "expected a value");
    if (c == ',' && r->flags & SLUICE__COMMAS && r->depth && !is_object(top))
        return memory(swallow(r) && tell(r, "an extra comma was left out"));
    if (r->depth && !is_object(top) && matches(top, c) &&
        (!r->had_comma || r->flags & SLUICE__COMMAS || top == TUPLE)) {
        if (r->had_comma && top == ARRAY && !(r->flags & SLUICE__PYTHON) &&
            !tell(r, "a comma before a closing bracket was left out"))
            return NO_MEMORY;
        return memory(take_closer(r));
    }
    if (r->depth && r->flags & SLUICE__COMMAS && (c == ',' || c == '}' || c == ')') &&
        is_object(top))
        return drop_key(r);
    if (r->flags & SLUICE__CLOSERS && r->depth && closes_some(r, c))
        return missing_closer(r);
    return no_token(r, "expected a value");
}

going sluice__reading_value(sluice__reader *r, char c) {
    going how;
    if (space(r, c, &how))
        return how;
    r->in_key = false;
    if (r->top == SLUICE__TOP_OBJECT && r->depth == 0 && c != '{')
        return refuse(r, "expected an object");
    if (c == '{' || c == '[' || (c == '(' && r->flags & SLUICE__PYTHON))
        return open_value(r, c);
    if (begins_string(r, c))
        return open_string(r, c, "a string had other quotes");
    if (trivia(r, c, &how))
        return how;
    if (starts_word(r, (unsigned char)c)) {
        r->word.len = 0;
        r->state = WORD;
        return GOES_ON;
    }
    return no_value(r, c);
}

going sluice__reading_key(sluice__reader *r, char c) {
    going how;
    if (space(r, c, &how))
        return how;
    enum kind top = top_of(r);
    r->in_key = true;
    if (c == '}' && top == OBJECT && (!r->had_comma || r->flags & SLUICE__COMMAS))
        return memory((!r->had_comma || tell(r, "a comma before a closing bracket was left out")) &&
                      take_closer(r));
    if (c == ')' && top == KWARGS)
        return memory(close_container(r, false, NULL)); /* the ')' is left unread */
    if (c == ',' && r->flags & SLUICE__COMMAS)
        return memory(swallow(r) && tell(r, "an extra comma was left out"));
    if (begins_string(r, c))
        return open_string(r, c, "a key had other quotes");
    if (trivia(r, c, &how))
        return how;
    if ((r->flags & SLUICE__BARE || top == KWARGS) && is_word_byte((unsigned char)c)) {
        r->word.len = 0;
        r->state = WORD;
        return GOES_ON;
    }
    if (r->flags & SLUICE__CLOSERS && closes_some(r, c))
        return missing_closer(r);
    return no_token(r, "expected a key");
}

/* Writes a colon that was missing or written otherwise. */
static going own_colon(sluice__reader *r) {
    r->in_key = false;
    r->state = VALUE;
    return memory(out(r, ":", 1, false));
}

going sluice__reading_colon(sluice__reader *r, char c) {
    going how;
    if (space(r, c, &how))
        return how;
    enum kind top = top_of(r);
    if (c == ':' && (top != KWARGS || r->flags & SLUICE__BARE)) { /* name: value among name=value */
        if (top == KWARGS && r->word.len == 6 && memcmp(r->word.data, "lambda", 6) == 0)
            return refuse(r, "the arguments contain a function");
        if (top == KWARGS && !tell(r, "a keyword was followed by a colon"))
            return NO_MEMORY;
        r->i++;
        r->in_key = false;
        r->state = VALUE;
        return GOES_ON;
    }
    if (c == '=' && (top == KWARGS || r->flags & SLUICE__BARE))
        return swallow(r) && (top == KWARGS || tell(r, "a colon was written as =")) ? own_colon(r)
                                                                                    : NO_MEMORY;
    if (r->flags & SLUICE__PYTHON && !(r->flags & SLUICE__TOTAL) && top == OBJECT &&
        (c == ',' || c == '}'))
        return refuse(r, "JSON cannot represent a set");
    if (r->flags & SLUICE__COMMAS && (c == ',' || c == '}' || (c == ')' && top == KWARGS)))
        return drop_key(r);
    if (r->flags & SLUICE__COMMAS && (c == '"' || c == '{' || c == '[' || (c >= '0' && c <= '9')))
        return (r->flags & SLUICE__PYTHON ? tell_doubt(r, "a colon was missing")
                                          : tell(r, "a colon was missing"))
                   ? own_colon(r)
                   : NO_MEMORY;
    if (trivia(r, c, &how))
        return how;
    return no_token(r, "expected a colon");
}

/* True if the bytes here, without a comma, may form one Python value with the one before: a sum, a
 * subscript, words. */
static bool may_be_one(const sluice__reader *r, char c) {
    return r->flags & SLUICE__PYTHON && r->last != LAST_STRING && !is_object(top_of(r)) &&
           !begins_string(r, c) && c != '{';
}

/* True if the bytes here, without a comma, may continue the string before: then one of the quotes
 * was part of its text. */
static bool may_go_on(const sluice__reader *r, char c) {
    if (r->last == LAST_STRING && r->quote && !r->delimiter && r->no_comma)
        return false;
    if (r->last == LAST_STRING)
        return begins_string(r, c) ? r->delimiter && c != r->delimiter
                                   : c != '{' && (c != '[' || r->flags & SLUICE__PYTHON);
    return r->last == LAST_BARE && begins_string(r, c);
}

going sluice__reading_after(sluice__reader *r, char c) {
    going how;
    if (space(r, c, &how))
        return how;
    enum kind top = top_of(r);
    if (top == GROUP && c != ')')
        return trivia(r, c, &how) ? how : no_token(r, "expected a closing bracket");
    if (c == ',') {
        if (top == LONE) {
            r->depth--;
            push_kind(r, TUPLE);
        }
        r->holding = true;
        r->had_comma = true;
        r->i++;
        r->state = is_object(top) ? KEY : VALUE;
        return GOES_ON;
    }
    if (matches(top, c)) {
        if (top == LONE && !tell_doubt(r, "a comma in parentheses did not make a tuple"))
            return NO_MEMORY;
        if (top != KWARGS)
            return memory(take_closer(r));
        return memory(close_container(r, false, NULL)); /* the ')' is left unread */
    }
    if (trivia(r, c, &how))
        return how;
    if (r->flags & SLUICE__COMMAS && (c == '"' || c == '\'' || starts_word(r, (unsigned char)c) ||
                                      ((c == '{' || c == '[') && top == ARRAY))) {
        if (!(may_be_one(r, c)  ? tell_doubt(r, "missing comma; the value may continue")
              : may_go_on(r, c) ? tell_doubt(r, "missing comma; the string may continue, since a "
                                                "quote inside it may not be escaped")
                                : tell(r, "a comma was missing")))
            return NO_MEMORY;
        r->holding = true;
        r->had_comma = true;
        r->state = is_object(top) ? KEY : VALUE;
        return memory(out(r, ",", 1, false));
    }
    if (r->flags & SLUICE__CLOSERS && closes_some(r, c))
        return missing_closer(r);
    return no_token(r, "expected a comma or a closing bracket");
}
