/* What closes a JSON text that was seen up to some byte. */
#include "closing.h"

enum { NOTHING, OPENED, COMMA, IN_KEY, AFTER_KEY, COLON, IN_STRING, SCALAR, AFTER_VALUE };

void sluice__closing_clear(sluice__closing *c) {
    c->open.len = 0;
    c->state = NOTHING;
    c->escape = 0;
}

static bool in_object(const sluice__closing *c) {
    return c->open.len && c->open.data[c->open.len - 1] == '{';
}

static void in_string(sluice__closing *c, char ch) {
    if (c->escape == 1)
        c->escape = ch == 'u' ? 2 : 0;
    else if (c->escape)
        c->escape = c->escape == 5 ? 0 : (uint8_t)(c->escape + 1);
    else if (ch == '\\')
        c->escape = 1;
    else if (ch == '"')
        c->state = c->state == IN_KEY ? AFTER_KEY : AFTER_VALUE;
}

bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n) {
    for (const char *end = p + n; p < end; p++) {
        if (c->state == IN_STRING || c->state == IN_KEY) {
            if (c->escape || *p == '"' || *p == '\\')
                in_string(c, *p);
            continue;
        }
        switch (*p) {
        case '"':
            c->state = in_object(c) && c->state != COLON ? IN_KEY : IN_STRING;
            break;
        case '{':
        case '[':
            if (!sluice__buffer_add(a, &c->open, p, 1))
                return false;
            c->state = OPENED;
            break;
        case '}':
        case ']':
            c->open.len -= c->open.len > 0;
            c->state = AFTER_VALUE;
            break;
        case ',':
            c->state = COMMA;
            break;
        case ':':
            c->state = COLON;
            break;
        case ' ':
        case '\t':
        case '\r':
        case '\n':
            c->state = c->state == SCALAR ? AFTER_VALUE : c->state;
            break;
        default:
            c->word = c->state == SCALAR ? c->word : *p;
            c->length = c->state == SCALAR ? (uint8_t)(c->length + (c->length < 255)) : 1;
            c->last = *p;
            c->state = SCALAR;
        }
    }
    return true;
}

/* Returns the missing rest of a scalar that may be cut. */
static const char *rest_of(const sluice__closing *c) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++)
        if (*words[i] == c->word)
            return words[i] + (c->length < strlen(words[i]) ? c->length : strlen(words[i]));
    return c->last >= '0' && c->last <= '9' ? "" : "0";
}

size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size) {
    const char *parts[3] = {"", "", ""};
    size_t len = 0;
    if (c->state == IN_KEY || c->state == IN_STRING) {
        /* a backslash is the shortest completion */
        parts[0] = c->escape > 1 ? &"fffd"[c->escape - 2] : c->escape ? "\\" : "";
        parts[1] = "\"";
    }
    parts[2] = c->state == NOTHING                           ? "{}"
               : c->state == COMMA && in_object(c)           ? "\"\":null"
               : c->state == COMMA || c->state == COLON      ? "null"
               : c->state == IN_KEY || c->state == AFTER_KEY ? ":null"
               : c->state == SCALAR                          ? rest_of(c)
                                                             : "";
    for (size_t k = 0; k < 3 + c->open.len; k++) {
        const char *p = k < 3                                            ? parts[k]
                        : c->open.data[c->open.len - 1 - (k - 3)] == '{' ? "}"
                                                                         : "]";
        for (; *p; p++, len++)
            if (len + 1 < size)
                buffer[len] = *p;
    }
    if (size)
        buffer[len < size ? len : size - 1] = 0;
    return len;
}
