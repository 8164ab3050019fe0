#include "answers.h"

enum { SLOTS = 64, BYTES = 224 };
enum { NOWHERE = UINT16_MAX };

typedef struct slot {
    uint32_t hash;
    uint16_t pattern;
    bool used, of_header, fits, has_id;
    uint16_t len, name_len, id_len, at; /* at: position of the name in the text, or NOWHERE */
    char bytes[BYTES];                  /* the text, the name, the id */
} slot;

struct sluice_answers {
    slot slots[SLOTS];
};
const size_t sluice_answers_size = sizeof(sluice_answers);

static uint64_t hash_of(unsigned pattern, const char *text, size_t len) {
    return sluice__hash_whole(text, len) ^ pattern;
}

static const slot *find(const sluice_answers *a, bool of_header, unsigned pattern, const char *text,
                        size_t len) {
    if (!a || len > BYTES)
        return NULL;
    uint64_t hash = hash_of(pattern, text, len);
    const slot *x = &a->slots[hash % SLOTS];
    bool same = x->used && x->of_header == of_header && x->pattern == pattern && x->len == len &&
                x->hash == (uint32_t)(hash >> 32) && memcmp(x->bytes, text, len) == 0;
    return same ? x : NULL;
}

/* Returns a slot for an answer of `more` bytes besides the text; NULL if it cannot be kept. */
static slot *place(sluice_answers *a, bool of_header, unsigned pattern, const char *text,
                   size_t len, size_t more) {
    if (!a || len > BYTES || more > BYTES - len)
        return NULL;
    uint64_t hash = hash_of(pattern, text, len);
    slot *x = &a->slots[hash % SLOTS];
    *x = (slot){.hash = (uint32_t)(hash >> 32),
                .pattern = (uint16_t)pattern,
                .used = true,
                .of_header = of_header,
                .len = (uint16_t)len};
    memcpy(x->bytes, text, len);
    return x;
}

int sluice_answers_fit(const sluice_answers *a, unsigned pattern, const char *text, size_t len) {
    const slot *x = find(a, false, pattern, text, len);
    return x ? x->fits : -1;
}

void sluice_answers_note_fit(sluice_answers *a, unsigned pattern, const char *text, size_t len,
                             bool fits) {
    slot *x = place(a, false, pattern, text, len, 0);
    if (x)
        x->fits = fits;
}

int sluice_answers_header(const sluice_answers *a, sluice_stream *s, sluice__run *m,
                          unsigned pattern, const char *text, size_t len) {
    const slot *x = find(a, true, pattern, text, len);
    if (!x)
        return -1;
    if (!x->fits)
        return 0;
    const char *name = x->bytes + x->len, *id = name + x->name_len;
    uint64_t at = x->at == NOWHERE ? 0 : s->result.start + x->at;
    uint64_t end = x->at == NOWHERE ? 0 : at + x->name_len;
    bool good = sluice__machine_name(m, s, name, x->name_len, at, end) &&
                sluice__machine_id(m, s, x->has_id ? id : NULL, x->id_len);
    return good ? 1 : -2;
}

void sluice_answers_note_header(sluice_answers *a, const sluice_stream *s, const sluice__run *m,
                                unsigned pattern, const char *text, size_t len, bool fits) {
    if (fits && m->pair_count)
        return;
    bool found = fits && m->name_end > m->name_start;
    size_t id_len = m->has_id ? m->id.len : 0;
    if (found && (m->name_start < s->result.start || m->name_start - s->result.start >= NOWHERE))
        return;
    slot *x = place(a, true, pattern, text, len, fits ? m->name.len + id_len : 0);
    if (!x)
        return;
    x->fits = fits;
    x->at = NOWHERE;
    if (!fits)
        return;
    if (found)
        x->at = (uint16_t)(m->name_start - s->result.start);
    x->name_len = (uint16_t)m->name.len;
    x->has_id = m->has_id;
    x->id_len = (uint16_t)id_len;
    memcpy(x->bytes + len, m->name.data, m->name.len);
    if (id_len)
        memcpy(x->bytes + len + m->name.len, m->id.data, id_len);
}
