/*
 * Strings of arguments, straight through: most of a call is a string that lies in the caller's
 * chunk while nothing is held. Such a chunk becomes an event without the queue, the window's buffer
 * or the reader. Whatever needs a look goes the usual way.
 */
#include "stream.h"

/* ---- May the next chunk flow? -------------------------------------------------------------- */

/* Bytes that a raw value passes as they are: none that may begin a literal, none that JSON escapes,
 * none beyond ASCII. */
static void set_passes(sluice_stream *s, const sluice__markers *set) {
    memset(s->passes, 0, sizeof s->passes);
    for (unsigned c = 0x20; c < 0x80; c++)
        if (c != '"' && c != '\\' && c != 0x7F && !set->prints.first[c])
            s->passes[c / 8] |= (uint8_t)(1u << c % 8);
    s->passes_of = set;
}

static bool raw_flows(sluice_stream *s) {
    const sluice__op *op = &s->op;
    if (op->mode != SLUICE__STREAMED || !op->opened || op->one_line || op->trim || op->quoted ||
        op->as || op->escaper.part_len || op->at != s->sent || op->from != s->sent)
        return false;
    const sluice__markers *set = op->quoting ? op->quoting->marks : op->set;
    if (s->passes_of != set)
        set_passes(s, set);
    return true;
}

static bool json_flows(const sluice_stream *s) {
    return !s->op.quoted && !s->op.value && s->op.at == s->sent && s->pos == s->sent &&
           sluice__reader_in_string(&s->reader);
}

void sluice__flow_begin(sluice_stream *s) {
    s->flow = SLUICE__NO_FLOW;
    if (s->mode != SLUICE__IN_BLOCK_MODE || !s->step || !s->call.open || sluice__staged(s) ||
        s->set.parameters || s->set.source || s->finished || s->window.own.len ||
        s->sent != s->window.base)
        return;
    if (sluice__is_reading_value(s) && raw_flows(s))
        s->flow = SLUICE__RAW_FLOWS;
    else if (sluice__is_reading_arguments(s) && json_flows(s))
        s->flow = SLUICE__JSON_FLOWS;
}

/* ---- The chunk ----------------------------------------------------------------------------- */

/* Do all bytes pass, but for some that JSON escapes (*escapes: how many)? The last is no blank,
 * which a closer behind it might take. */
static bool raw_passes(const sluice_stream *s, const unsigned char *p, size_t n, size_t *escapes) {
    for (size_t i = 0; i < n; i++) {
        if (s->passes[p[i] / 8] & 1u << p[i] % 8)
            continue;
        if ((p[i] != '\n' && p[i] != '\t' && p[i] != '"' && p[i] != '\\') ||
            s->passes_of->prints.first[p[i]])
            return false;
        ++*escapes;
    }
    return !sluice__is_space((char)p[n - 1]);
}

/* The chunk with its escapes, in the scratch buffer, which is free while nothing is queued. */
static bool escape(sluice_stream *s, const char *p, size_t n) {
    s->scratch.len = 0;
    if (!sluice__buffer_reserve(&s->alloc, &s->scratch, 2 * n))
        return false;
    char *to = s->scratch.data;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (c == '\n' || c == '\t' || c == '"' || c == '\\') {
            *to++ = '\\';
            c = c == '\n' ? 'n' : c == '\t' ? 't' : c;
        }
        *to++ = c;
    }
    s->scratch.len = (size_t)(to - s->scratch.data);
    return true;
}

/* Do all bytes pass? Short escapes do, where they are whole. */
static bool json_passes(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\\') {
            if (++i == n || !p[i] || !strchr("\"\\/bfnrt", p[i]))
                return false;
        } else if (p[i] < 0x20 || p[i] >= 0x7F || p[i] == '"') {
            return false;
        }
    }
    return true;
}

bool sluice__flow(sluice_stream *s, sluice_event *event) {
    enum { MOST = 64 }; /* larger chunks are read in runs anyway */
    sluice__window *w = &s->window;
    const unsigned char *p = (const unsigned char *)w->data;
    size_t n = w->len, len = n, escapes = 0;
    const char *text = w->data;
    if (n > MOST ||
        !(s->flow == SLUICE__RAW_FLOWS ? raw_passes(s, p, n, &escapes) : json_passes(p, n)))
        return false;
    if (escapes) {
        if (!escape(s, text, n))
            return false;
        text = s->scratch.data;
        len = s->scratch.len;
    }
    if (s->call.kept && !sluice__keep_arguments(s, text, len))
        return false;
    *event = (sluice_event){.type = SLUICE_ARGUMENTS,
                            .text = text,
                            .text_len = len,
                            .start = w->base,
                            .end = w->base + n,
                            .index = s->calls};
    sluice__window_pass(w, n);
    s->sent = s->op.at = event->end;
    if (s->flow == SLUICE__RAW_FLOWS)
        s->op.from = s->sent;
    else
        s->pos = s->sent;
    return true;
}
