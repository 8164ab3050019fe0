#include "output.h"
#include "json/json.h"

#include <stdio.h>

bool sluice__json_string(const sluice_allocator *a, sluice__buffer *to, const char *p, size_t n) {
    bool failed = false;
    out o = {*to, a, &failed};
    sluice__put_string(&o, view_of(p, n));
    *to = o.b;
    return !failed;
}

static bool member(const sluice_allocator *a, sluice__buffer *out, const char *key, const char *p,
                   size_t n) {
    return sluice__buffer_text(a, out, ", \"") && sluice__buffer_text(a, out, key) &&
           sluice__buffer_text(a, out, "\": ") && sluice__json_string(a, out, p, n);
}

static bool string_member(const sluice_allocator *a, sluice__buffer *out, const char *key,
                          const char *s) {
    return !s || member(a, out, key, s, strlen(s));
}

static const char *const type_names[] = {"text",      "reasoning", "call_begin", "arguments",
                                         "parameter", "call_end",  "markup",     "error"};
static const char *const status_names[] = {"complete", "recovered", "incomplete"};

static bool status(const sluice_allocator *a, sluice__buffer *out, int status, int valid,
                   const char *unknown) {
    return string_member(a, out, "status", status_names[status]) &&
           sluice__buffer_text(a, out,
                               valid < 0 ? unknown
                               : valid   ? ", \"valid\": true"
                                         : ", \"valid\": false");
}

static bool source(const sluice_allocator *a, sluice__buffer *out, const sluice_event *e) {
    return !e->source || member(a, out, "source", e->source, e->source_len);
}

static int valid_of(const sluice_event *e) { return e->no_tools ? -1 : e->valid; }

bool sluice__json_event(const sluice_allocator *a, sluice__buffer *out, const sluice_event *e) {
    char head[128];
    snprintf(head, sizeof head, "{\"type\": \"%s\", \"start\": %llu, \"end\": %llu",
             type_names[e->type], (unsigned long long)e->start, (unsigned long long)e->end);
    if (!sluice__buffer_text(a, out, head))
        return false;
    if ((e->type >= SLUICE_CALL_BEGIN && e->type <= SLUICE_CALL_END) ||
        (e->type == SLUICE_ERROR && e->index != SIZE_MAX)) {
        snprintf(head, sizeof head, ", \"index\": %zu", e->index);
        if (!sluice__buffer_text(a, out, head))
            return false;
    }
    if (!string_member(a, out, "id", e->id) || !string_member(a, out, "name", e->name) ||
        !string_member(a, out, "key", e->key))
        return false;
    if (e->type == SLUICE_ERROR) {
        if (!string_member(a, out, "code", e->code) ||
            !member(a, out, "message", e->text ? e->text : "", e->text_len))
            return false;
    } else if (e->text && !member(a, out, "text", e->text, e->text_len)) {
        return false;
    }
    if (e->type == SLUICE_CALL_END &&
        !(status(a, out, (int)e->status, valid_of(e), "") && source(a, out, e)))
        return false;
    if (!string_member(a, out, "syntax", e->syntax))
        return false;
    if (e->extra &&
        !(sluice__buffer_text(a, out, ", \"extra\": ") && sluice__buffer_text(a, out, e->extra)))
        return false;
    return sluice__buffer_text(a, out, "}");
}

bool sluice__outcome_add(const sluice_allocator *a, sluice__outcome *o, const sluice_event *e) {
    char number[96];
    switch (e->type) {
    case SLUICE_TEXT:
        o->has_content = true;
        return sluice__buffer_add(a, &o->content, e->text, e->text_len);
    case SLUICE_REASONING:
        o->has_reasoning = true;
        return sluice__buffer_add(a, &o->reasoning, e->text, e->text_len);
    case SLUICE_CALL_BEGIN: /* the id comes with the end: the object {"arguments" stays open until
                               then */
        snprintf(number, sizeof number, "%s{\"index\": %zu", o->calls.len ? ", " : "", e->index);
        o->open = true;
        o->cut = false;
        return sluice__buffer_text(a, &o->calls, number) &&
               string_member(a, &o->calls, "name", e->name) &&
               string_member(a, &o->calls, "syntax", e->syntax) &&
               sluice__buffer_text(a, &o->calls, ", \"arguments\": ");
    case SLUICE_ARGUMENTS: {
        size_t from = o->calls.len;
        if (!sluice__buffer_add(a, &o->calls, e->text, e->text_len))
            return false;
        for (size_t i = from; i < o->calls.len; i++) /* between tokens; strings contain none */
            if (o->calls.data[i] == '\n' || o->calls.data[i] == '\r')
                o->calls.data[i] = ' ';
        return true;
    }
    case SLUICE_CALL_END: {
        o->open = false;
        snprintf(number, sizeof number, ", \"start\": %llu, \"end\": %llu",
                 (unsigned long long)e->block_start, (unsigned long long)e->end);
        if (!string_member(a, &o->calls, "id", e->id))
            return false;
        const sluice__outcome_end end = {o->calls.len, (int)e->status, valid_of(e)};
        if (e->status == SLUICE_INCOMPLETE && !o->cut && e->index > o->doubtful)
            o->doubtful = e->index;
        return sluice__buffer_add(a, &o->ends, (const char *)&end, sizeof end) &&
               source(a, &o->calls, e) && sluice__buffer_text(a, &o->calls, number) &&
               (!e->extra || (sluice__buffer_text(a, &o->calls, ", \"extra\": ") &&
                              sluice__buffer_text(a, &o->calls, e->extra))) &&
               sluice__buffer_text(a, &o->calls, "}");
    }
    case SLUICE_ERROR:
        o->cut |= strcmp(e->code, "unfinished_call") == 0;
        if (e->index != SIZE_MAX && e->index < o->ends.len / sizeof(sluice__outcome_end) &&
            e->index >= o->doubtful)
            o->doubtful = e->index + 1; /* found out behind it */
        if (e->index == SIZE_MAX)
            snprintf(number, sizeof number, ", \"offset\": %llu}", (unsigned long long)e->start);
        else
            snprintf(number, sizeof number, ", \"offset\": %llu, \"index\": %zu}",
                     (unsigned long long)e->start, e->index);
        return sluice__buffer_text(a, &o->errors,
                                   o->errors.len ? ", {\"code\": \"" : "{\"code\": \"") &&
               sluice__buffer_text(a, &o->errors, e->code) &&
               sluice__buffer_text(a, &o->errors, "\"") &&
               member(a, &o->errors, "message", e->text, e->text_len) &&
               sluice__buffer_text(a, &o->errors, number);
    case SLUICE_PARAMETER:
    case SLUICE_MARKUP:
        break;
    }
    return true;
}

static bool nullable(const sluice_allocator *a, sluice__buffer *out, const sluice__buffer *b,
                     bool there) {
    return there ? sluice__json_string(a, out, b->data ? b->data : "", b->len)
                 : sluice__buffer_text(a, out, "null");
}

/* Writes the calls with their statuses. */
static bool put_calls(const sluice_allocator *a, const sluice__outcome *o, sluice__buffer *out) {
    size_t from = 0;
    for (size_t i = 0; i < o->ends.len / sizeof(sluice__outcome_end); i++) {
        sluice__outcome_end end;
        memcpy(&end, o->ends.data + i * sizeof end, sizeof end);
        bool doubtful = i < o->doubtful;
        if (!sluice__buffer_add(a, out, o->calls.data + from, end.at - from) ||
            !status(a, out, doubtful ? SLUICE_INCOMPLETE : end.status,
                    doubtful && end.valid > 0 ? 0 : end.valid, ", \"valid\": null"))
            return false;
        from = end.at;
    }
    return sluice__buffer_add(a, out, o->calls.data + from, o->calls.len - from);
}

bool sluice__outcome_json(const sluice_allocator *a, const sluice__outcome *o,
                          sluice__buffer *out) {
    return sluice__buffer_text(a, out, "\"content\": ") &&
           nullable(a, out, &o->content, o->has_content) &&
           sluice__buffer_text(a, out, ", \"reasoning\": ") &&
           nullable(a, out, &o->reasoning, o->has_reasoning) &&
           sluice__buffer_text(a, out, ", \"calls\": [") && put_calls(a, o, out) &&
           (!o->open || sluice__buffer_text(a, out, "}")) &&
           sluice__buffer_text(a, out, "], \"errors\": [") &&
           sluice__buffer_add(a, out, o->errors.data, o->errors.len) &&
           sluice__buffer_text(a, out, "]");
}

void sluice__outcome_release(const sluice_allocator *a, sluice__outcome *o) {
    sluice__buffer_release(a, &o->content);
    sluice__buffer_release(a, &o->reasoning);
    sluice__buffer_release(a, &o->calls);
    sluice__buffer_release(a, &o->ends);
    sluice__buffer_release(a, &o->errors);
    *o = (sluice__outcome){0};
}
