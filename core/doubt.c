#include "doubt.h"
#include "bytes.h"
#include "utf8.h"

#include <stdio.h>

enum { LEAST = 4 };

static bool is_word(char c) {
    unsigned u = (unsigned char)c;
    return (u | 32) - 'a' < 26u || u - '0' < 10u || u == '_' || u >= 128;
}

static bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool contains(const char *p, size_t n, const char *part, size_t len) {
    for (size_t i = 0; i + len <= n; i++)
        if (p[i] == *part && memcmp(p + i, part, len) == 0)
            return true;
    return false;
}

static bool begins(const char *p, size_t n, const char *part, size_t len) {
    return n >= len && memcmp(p, part, len) == 0;
}

static bool ends(const char *p, size_t n, const char *part, size_t len) {
    return n >= len && memcmp(p + n - len, part, len) == 0;
}

static bool is_bracket(char c) { return c && strchr(">])}", c); }

/* A name or a key that is not declared: does it contain a literal or a part of one? */
static bool has_debris(const sluice__literals *l, const char *p, size_t n) {
    for (size_t i = 0; l->set && i < l->set->count; i++) {
        const sluice__marker *m = &l->set->items[i];
        if (contains(p, n, m->text, m->len) || (m->len > LEAST && contains(p, n, m->text, LEAST)) ||
            (m->len > LEAST && is_bracket(m->text[m->len - 1]) &&
             contains(p, n, m->text + m->len - LEAST, LEAST)))
            return true;
    }
    return false;
}

/* Is this the key of a member, of whatever depth? */
static bool is_given(const sluice__suspect *call, const sluice__marker *key) {
    const char *p = call->arguments;
    for (size_t i = 1; i + key->len + 1 < call->len; i++)
        if (p[i] == *key->text && p[i - 1] == '"' && p[i + key->len] == '"' &&
            memcmp(p + i, key->text, key->len) == 0)
            return true;
    return false;
}

static bool is_declared(const sluice__markers *keys, const char *p, size_t n) {
    for (size_t i = 0; keys && i < keys->count; i++)
        if (keys->items[i].len == n && memcmp(keys->items[i].text, p, n) == 0)
            return true;
    return false;
}

/* Does a key that is not declared contain one that is, and is not given? Its bytes are those of a
 * damaged header. */
static bool hides_key(const sluice__suspect *call, const char *p, size_t n) {
    for (size_t i = 0; call->keys && i < call->keys->count; i++) {
        const sluice__marker *m = &call->keys->items[i];
        if (m->len >= LEAST && m->len < n && contains(p, n, m->text, m->len) && !is_given(call, m))
            return true;
    }
    return false;
}

/* Does a raw value contain the end of the header of a parameter that is declared and not given, as
 * in ter name="key" or ter=key>? */
static bool holds_header(const sluice__suspect *call, const char *p, size_t n) {
    const sluice__markers *set = call->literals->set;
    for (size_t i = 0; set && call->keys && i < call->keys->count; i++) {
        const sluice__marker *m = &call->keys->items[i];
        for (size_t k = LEAST; k + m->len < n; k++) {
            if (p[k] != *m->text || memcmp(p + k, m->text, m->len) != 0 || is_word(p[k + m->len]) ||
                is_given(call, m))
                continue;
            size_t at = k;
            if (p[k - 1] == '"' && p[k - 2] == '=') {
                for (at -= 2; at && is_word(p[at - 1]); at--)
                    ;
                at -= at && p[at - 1] == ' ';
            }
            for (size_t j = 0; j < set->count; j++)
                if ((set->items[j].role & (SLUICE__D_INNER | SLUICE__D_CLOSER)) ==
                        SLUICE__D_INNER &&
                    set->items[j].len > LEAST &&
                    ends(p, at, set->items[j].text + set->items[j].len - 3, 3))
                    return true;
        }
    }
    return false;
}

/* The length of the tag `<key>` or `</key>` at p, or 0. */
static size_t tag_at(const char *p, size_t n, const char *key, size_t key_len, bool *closes) {
    *closes = n > 1 && p[1] == '/';
    size_t from = 1 + *closes;
    return n >= from + key_len + 1 && *p == '<' && memcmp(p + from, key, key_len) == 0 &&
                   p[from + key_len] == '>'
               ? from + key_len + 1
               : 0;
}

/* Finds the next literal of the format at or behind *at. */
static bool next_literal(const sluice__markers *set, const char *p, size_t n, size_t *at,
                         const sluice__marker **m) {
    size_t from = *at, found, item;
    while (set && from < n &&
           sluice__markers_find(set, p + from, n - from, true, &found, &item) == SLUICE__YES) {
        *m = &set->items[item];
        *at = from + found;
        from = *at + (*m)->len;
        if ((*m)->role & SLUICE__D_LINE && *at && p[*at - 1] != '\n')
            continue;
        if (!is_word((*m)->text[(*m)->len - 1]) || from >= n ||
            !(is_word(p[from]) || p[from] == ':' || p[from] == '-'))
            return true;
    }
    return false;
}

/* Do the literals of the parameters leave something over in a raw value? Or does it begin or end
 * with a literal of the call whose partner is not in it? */
static bool is_unbalanced(const sluice__literals *l, const char *p, size_t n, const char *key,
                          size_t key_len) {
    enum { DEEPEST = 64, MOST = 256 };
    unsigned stack[DEEPEST], outer[MOST];
    size_t depth = 0, count = 0, tags = 0, at = 0;
    const sluice__marker *m;
    while (next_literal(l->set, p, n, &at, &m)) {
        unsigned pair = m->role / SLUICE__D_PAIR;
        bool closes = m->role & SLUICE__D_CLOSER;
        if (!(m->role & SLUICE__D_INNER)) {
            if (count < MOST)
                outer[count++] = m->role;
        } else if (m->role & SLUICE__D_QUOTE && depth && stack[depth - 1] == pair) {
            depth--;
        } else if (m->role & SLUICE__D_SINGLE) {
        } else if (!closes) {
            if (depth == DEEPEST)
                return true;
            stack[depth++] = pair;
        } else if (depth && stack[depth - 1] == pair) {
            depth--;
        } else {
            return true;
        }
        at += m->len;
    }
    if (depth)
        return true;
    for (size_t i = 0, len; l->tagged && i < n; i += len ? len : 1) {
        bool closes;
        len = tag_at(p + i, n - i, key, key_len, &closes);
        if (len && closes && !tags)
            return true;
        tags += len ? closes ? (size_t)-1 : 1 : 0;
    }
    if (tags)
        return true;
    if (!count)
        return false;
    size_t from = 0, to = n;
    while (from < to && is_white(p[from]))
        from++;
    while (to > from && is_white(p[to - 1]))
        to--;
    for (size_t i = 0; i < l->set->count; i++) {
        m = &l->set->items[i];
        if ((m->role & (SLUICE__D_INNER | SLUICE__D_SINGLE)) ||
            !(begins(p + from, to - from, m->text, m->len) ||
              ends(p + from, to - from, m->text, m->len)))
            continue;
        bool partner = false;
        for (size_t k = 0; k < count; k++)
            partner |= outer[k] / SLUICE__D_PAIR == m->role / SLUICE__D_PAIR &&
                       ((outer[k] ^ m->role) & SLUICE__D_CLOSER);
        if (!partner)
            return true;
    }
    return false;
}

/* Does a raw value begin or end with a part of a literal, or of a tag that is named after its key?
 */
static bool has_cut_edge(const sluice__literals *l, const char *p, size_t n, const char *key,
                         size_t key_len) {
    while (n && is_white(*p))
        p++, n--;
    while (n && is_white(p[n - 1]))
        n--;
    if (l->angles && n > 1 && *p == '>' && p[1] != ' ' && p[1] != '>' && p[1] != '=')
        return true;
    if (l->angles && n && (p[n - 1] == '<' || ends(p, n, "</", 2)))
        return true;
    if (l->tagged &&
        (ends(p, n, key, key_len) ? n > key_len + 1 && p[n - key_len - 1] == '/'
                                  : n > key_len && p[n - 1] == '>' && ends(p, n - 1, key, key_len)))
        return true;
    bool whole_begin = false, whole_end = false;
    for (size_t i = 0; l->set && i < l->set->count; i++) {
        const sluice__marker *m = &l->set->items[i];
        whole_begin |= begins(p, n, m->text, m->len);
        whole_end |= ends(p, n, m->text, m->len);
    }
    for (size_t i = 0; l->set && i < l->set->count; i++) {
        const sluice__marker *m = &l->set->items[i];
        if (m->role & SLUICE__D_SINGLE && m->role & SLUICE__D_QUOTE)
            continue; /* of a block that is spelt otherwise */
        /* what ends in : or = goes on with a name, and "key: " is also text */
        bool bracket = !is_word(m->text[m->len - 1]) && !strchr(":=", m->text[m->len - 1]);
        for (size_t k = LEAST; k < m->len; k++) {
            const char *rest = m->text + m->len - k;
            bool odd = !is_word(m->text[k - 1]) || k >= 6;
            if (!whole_end && (odd || *m->text == '<') && ends(p, n, m->text, k))
                return true;
            bool tag = k < n && is_word(p[1]) && is_word(m->text[k - 1]) &&
                       (is_word(p[k]) || strchr("> /=", p[k])); /* another one */
            if (!whole_begin && odd && m->role & SLUICE__D_INNER && begins(p, n, m->text, k) &&
                !tag)
                return true;
            if (bracket &&
                ((!whole_end && ends(p, n, rest, k)) || (!whole_begin && begins(p, n, rest, k))))
                return true;
        }
    }
    return false;
}

static bool is_sign(char c) { return c == ':' || c == ',' || c == '}' || c == ']'; }

static bool is_quote(char c) { return c == '"' || c == '\''; }

/* A key or a string of JSON that was repaired: signs or a lone quote at its edges. */
static bool has_json_debris(const char *p, size_t n) {
    while (n && is_white(*p))
        p++, n--;
    while (n && is_white(p[n - 1]))
        n--;
    return n > 1 ? is_sign(*p) || is_sign(p[n - 1]) || is_quote(*p) != is_quote(p[n - 1])
                 : n && (is_sign(*p) || is_quote(*p));
}

/* A path whose backslashes were not doubled: is every escape of the JSON string one that begins a
 * name as well, as in C:\new\table? */
static bool has_lost_backslash(const char *p, const char *end, const char *key, size_t key_len) {
    bool path = false, lost = false;
    for (size_t i = 0; i + 4 <= key_len; i++)
        path |= (key[i] | 32) == 'p' && (key[i + 1] | 32) == 'a' && (key[i + 2] | 32) == 't' &&
                (key[i + 3] | 32) == 'h';
    for (; path && p + 1 < end; p++)
        if (*p == '\\') {
            if (!strchr("bfnrt", *++p))
                return false;
            lost = true;
        }
    return lost;
}

/* Decodes the JSON string whose inside begins at p; returns what is behind it. NULL: no memory. */
static const char *decode(const sluice_allocator *a, const char *p, const char *end,
                          sluice__buffer *out) {
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    out->len = 0;
    while (p < end && *p != '"') {
        const char *from = p;
        while (p < end && *p != '"' && *p != '\\')
            p++;
        if (!sluice__buffer_add(a, out, from, (size_t)(p - from)))
            return NULL;
        if (p >= end || *p != '\\' || ++p >= end)
            continue;
        const char *at = strchr(plain, *p);
        char utf8[4];
        size_t n = 1;
        utf8[0] = at && *p ? meant[at - plain] : '?';
        if (*p == 'u' && end - p > 4) {
            unsigned code = 0;
            for (int i = 1; i <= 4; i++)
                code = code * 16 + (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
            p += 4;
            n = code < 128 ? 1 : code < 2048 ? 2 : 3; /* halves of a pair: no literal has them */
            if (n == 1)
                utf8[0] = (char)code;
            else if (n == 2)
                utf8[0] = (char)(0xC0 | code >> 6), utf8[1] = (char)(0x80 | (code & 63));
            else
                utf8[0] = (char)(0xE0 | code >> 12), utf8[1] = (char)(0x80 | (code >> 6 & 63)),
                utf8[2] = (char)(0x80 | (code & 63));
        }
        p++;
        if (!sluice__buffer_add(a, out, utf8, n))
            return NULL;
    }
    return p + (p < end);
}

/* ---- An envelope ---- */

typedef struct envelope { /* the keys of the arguments, and what they have */
    size_t keys, arguments, names, undeclared, inside; /* inside: declared keys, one level below */
    bool is_object, other_name;
} envelope;

static bool is_one_of(const char *const *list, const char *p, size_t n) {
    for (; *list; list++)
        if (strlen(*list) == n && memcmp(*list, p, n) == 0)
            return true;
    return false;
}

static const char *const arguments_keys[] = {"arguments", "parameters", "input", "args", NULL};
static const char *const name_keys[] = {"name", "tool", "function", NULL};

static void say(sluice__doubt *d, const char *what, const char *key, size_t len) {
    enum { MOST = 60 };
    if (!*d->message)
        snprintf(d->message, sizeof d->message, "%s: %.*s", what, (int)(len < MOST ? len : MOST),
                 key);
    if (len > MOST) /* no character is cut */
        d->message[strlen(d->message) - sluice__utf8_tail(d->message, strlen(d->message))] = 0;
}

bool sluice__doubt_call(const sluice_allocator *a, const sluice__suspect *call,
                        sluice__doubt *doubt) {
    const sluice__literals *l = call->literals;
    sluice__buffer text = {0}, key = {0};
    envelope env = {0};
    size_t depth = 0;
    bool lists = false, expects_key = false, good = true;
    *doubt = (sluice__doubt){0};
    if (!call->known && has_debris(l, call->name, call->name_len))
        say(doubt, "markup is left in the name", call->name, call->name_len);
    const char *p = call->arguments, *end = p + call->len;
    while (p < end && good) {
        char c = *p++;
        if (c == '{' || c == '[') {
            depth++;
            lists = c == '[' && (depth == 2 || lists);
            expects_key = c == '{' && (depth == 1 || (depth == 2 && env.keys == 1));
            env.is_object |= c == '{' && depth == 2;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == ',') {
            expects_key = depth == 1 || (depth == 2 && env.keys == 1 && env.is_object);
        } else if (c == '"' && expects_key && depth == 2) {
            p = decode(a, p, end, &text);
            if (!(good = p != NULL))
                break;
            expects_key = false;
            env.inside += is_declared(call->keys, text.data ? text.data : "", text.len);
        } else if (c == '"' && expects_key) {
            p = decode(a, p, end, &key);
            if (!(good = p != NULL))
                break;
            expects_key = false;
            const char *k = key.data ? key.data : "";
            bool known = is_declared(call->keys, k, key.len);
            env.keys++;
            env.undeclared += !known;
            env.arguments += !known && is_one_of(arguments_keys, k, key.len);
            env.names += !known && is_one_of(name_keys, k, key.len);
            if (!known && (has_debris(l, k, key.len) || hides_key(call, k, key.len)))
                say(doubt, "markup is left in a key", k, key.len);
            else if (!known && call->repaired && has_json_debris(k, key.len))
                say(doubt, "a sign is left in a key", k, key.len);
        } else if (c == '"') {
            const char *from = p;
            p = decode(a, p, end, &text);
            if (!(good = p != NULL))
                break;
            const char *v = text.data ? text.data : "", *k = key.data ? key.data : "";
            size_t before = strlen(doubt->message);
            if (l->raw && (depth == 1 || (depth == 2 && lists))) {
                if (is_unbalanced(l, v, text.len, k, key.len))
                    say(doubt, "markup is left in the value of", k, key.len);
                else if (has_cut_edge(l, v, text.len, k, key.len) ||
                         holds_header(call, v, text.len))
                    say(doubt, "part of a tag is left in the value of", k, key.len);
                doubt->lost |= *doubt->message && !before;
            }
            if (!l->raw && has_lost_backslash(from, p - 1, k, key.len))
                say(doubt, "a backslash of a path may be lost in the value of", k, key.len);
            if (call->repaired && has_json_debris(v, text.len))
                say(doubt, "a sign is left in the value of", k, key.len);
            if (depth == 1 && is_one_of(name_keys, k, key.len))
                env.other_name |=
                    text.len != call->name_len || memcmp(v, call->name, text.len) != 0;
        }
    }
    if (env.arguments == 1 && env.is_object && env.keys == env.arguments + env.names &&
        (call->keys || (env.names && !env.other_name)))
        say(doubt, "the arguments have the form of a call of their own", call->name,
            call->name_len);
    else if (env.keys == 1 && env.undeclared && env.is_object && env.inside)
        say(doubt, "all arguments are inside another one", call->name, call->name_len);
    sluice__buffer_release(a, &text);
    sluice__buffer_release(a, &key);
    return good;
}
