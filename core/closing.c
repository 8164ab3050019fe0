/* What closes the arguments that were handed out. */
#include "closing.h"

void sluice__closing_clear(sluice__closing *c) {
    c->open.len = 0;
    c->begun = c->quoted = false;
}

bool sluice__closing_add(const sluice_allocator *a, sluice__closing *c, const char *p, size_t n) {
    c->begun |= n > 0;
    for (const char *end = p + n; p < end; p++) {
        if (*p == '"')
            c->quoted = !c->quoted;
        else if (c->quoted)
            p += *p == '\\';
        else if (*p == '}' || *p == ']')
            c->open.len -= c->open.len > 0;
        else if ((*p == '{' || *p == '[') &&
                 !sluice__buffer_add(a, &c->open, *p == '{' ? "}" : "]", 1))
            return false;
    }
    return true;
}

size_t sluice__closing_write(const sluice__closing *c, char *buffer, size_t size) {
    size_t begin = c->begun ? c->quoted : 2, len = begin + c->open.len;
    for (size_t k = 0; k < len && k + 1 < size; k++)
        buffer[k] = k >= begin ? c->open.data[len - 1 - k] : c->begun ? '"' : "{}"[k];
    if (size)
        buffer[len < size ? len : size - 1] = 0;
    return len;
}
