#include "trace.h"

#include <stdio.h>

/* How a kind of bytes is called and looks; by the event's type. */
static const struct kind {
    const char *name, *colour, *css;
} kinds[] = {
    [SLUICE_TEXT] = {"text", "", ""},
    [SLUICE_REASONING] = {"reasoning", "\033[3;90m", "color: #777; font-style: italic"},
    [SLUICE_CALL_BEGIN] = {"name", "\033[1;32m", "color: #087f23; font-weight: bold"},
    [SLUICE_ARGUMENTS] = {"arguments", "\033[36m", "color: #00639b"},
    [SLUICE_PARAMETER] = {"", "", ""},
    [SLUICE_CALL_END] = {"", "", ""},
    [SLUICE_MARKUP] = {"markup", "\033[33m", "color: #a06800"},
    [SLUICE_ERROR] = {"error", "\033[1;31m", "color: #c00; font-weight: bold"},
};
static const int legend[] = {SLUICE_TEXT, SLUICE_REASONING, SLUICE_MARKUP, SLUICE_CALL_BEGIN,
                             SLUICE_ARGUMENTS};

bool sluice__trace_text(const sluice_allocator *a, sluice__trace *t, const char *p, size_t n) {
    return sluice__buffer_add(a, &t->text, p, n);
}

bool sluice__trace_event(const sluice_allocator *a, sluice__trace *t, const sluice_event *e) {
    if (!sluice__outcome_add(a, &t->outcome, e))
        return false;
    if (e->type == SLUICE_ERROR)
        return sluice__buffer_add(a, &t->errors, &e->start, sizeof e->start) &&
               sluice__buffer_text(a, &t->errors, e->code) &&
               sluice__buffer_text(a, &t->errors, ": ") &&
               sluice__buffer_add(a, &t->errors, e->text, e->text_len) &&
               sluice__buffer_add(a, &t->errors, "", 1);
    if (e->type == SLUICE_PARAMETER)
        return true;
    if (e->end >
        t->kinds.len) { /* a name may follow its arguments: what lies between is told later */
        size_t more = (size_t)e->end - t->kinds.len;
        if (!sluice__buffer_reserve(a, &t->kinds, more))
            return false;
        memset(t->kinds.data + t->kinds.len, SLUICE_MARKUP, more);
        t->kinds.len += more;
    }
    if (e->end > e->start)
        memset(t->kinds.data + e->start, e->type, (size_t)(e->end - e->start));
    return true;
}

/* The text as HTML shows it. */
static bool escaped(const sluice_allocator *a, sluice__buffer *out, const char *p, size_t n) {
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = p[i] == '<'   ? sluice__buffer_text(a, out, "&lt;")
               : p[i] == '>' ? sluice__buffer_text(a, out, "&gt;")
               : p[i] == '&' ? sluice__buffer_text(a, out, "&amp;")
                             : sluice__buffer_add(a, out, p + i, 1);
    return good;
}

/* In colours, anew on each line, so that a pager shows it; other control characters as ^X. */
static bool coloured(const sluice_allocator *a, sluice__buffer *out, const char *colour,
                     const char *p, size_t n) {
    bool good = sluice__buffer_text(a, out, colour);
    for (size_t i = 0; good && i < n; i++) {
        if (p[i] == '\n') {
            good = (!*colour || sluice__buffer_text(a, out, "\033[0m")) &&
                   sluice__buffer_text(a, out, "\n") &&
                   (i + 1 == n || sluice__buffer_text(a, out, colour));
        } else if ((unsigned char)p[i] < 32 && p[i] != '\t') {
            char caret[] = {'^', (char)(p[i] + 64), 0};
            good = sluice__buffer_text(a, out, caret);
        } else {
            good = sluice__buffer_add(a, out, p + i, 1);
        }
    }
    return good && (!*colour || sluice__buffer_text(a, out, "\033[0m"));
}

static bool piece(const sluice_allocator *a, sluice__look look, int kind, size_t start,
                  const char *p, size_t n, sluice__buffer *out) {
    char head[96];
    switch (look) {
    case SLUICE__LINES:
        snprintf(head, sizeof head, "%-9s %zu-%zu ", kinds[kind].name, start, start + n);
        return sluice__buffer_text(a, out, head) && sluice__json_string(a, out, p, n) &&
               sluice__buffer_text(a, out, "\n");
    case SLUICE__COLOURS:
        return coloured(a, out, kinds[kind].colour, p, n);
    default:
        snprintf(head, sizeof head, "<span class=%s title=\"%s %zu-%zu\">", kinds[kind].name,
                 kinds[kind].name, start, start + n);
        return sluice__buffer_text(a, out, head) && escaped(a, out, p, n) &&
               sluice__buffer_text(a, out, "</span>");
    }
}

static bool mistake(const sluice_allocator *a, sluice__look look, uint64_t at, const char *said,
                    sluice__buffer *out) {
    char head[64];
    switch (look) {
    case SLUICE__LINES:
        snprintf(head, sizeof head, "error     %llu ", (unsigned long long)at);
        return sluice__buffer_text(a, out, head) && sluice__buffer_text(a, out, said) &&
               sluice__buffer_text(a, out, "\n");
    case SLUICE__COLOURS:
        return sluice__buffer_text(a, out, kinds[SLUICE_ERROR].colour) &&
               sluice__buffer_text(a, out, "[") && sluice__buffer_text(a, out, said) &&
               sluice__buffer_text(a, out, "]\033[0m");
    default:
        return sluice__buffer_text(a, out, "<span class=error>[") &&
               escaped(a, out, said, strlen(said)) && sluice__buffer_text(a, out, "]</span>");
    }
}

static bool begin_page(const sluice_allocator *a, const char *title, sluice__buffer *out) {
    bool good =
        sluice__buffer_text(a, out, "<!doctype html>\n<meta charset=utf-8>\n<title>") &&
        escaped(a, out, title, strlen(title)) &&
        sluice__buffer_text(a, out,
                            "</title>\n<style>\nbody { font: 15px sans-serif; margin: 2em }\npre { "
                            "white-space: pre-wrap; border: 1px solid #ccc; padding: 1em }\n");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (*kinds[i].css)
            good = good && sluice__buffer_text(a, out, ".") &&
                   sluice__buffer_text(a, out, kinds[i].name) &&
                   sluice__buffer_text(a, out, " { ") &&
                   sluice__buffer_text(a, out, kinds[i].css) && sluice__buffer_text(a, out, " }\n");
    return good && sluice__buffer_text(a, out, "</style>\n<pre>");
}

/* What the colours mean, and what came out. */
static bool end(const sluice_allocator *a, const sluice__trace *t, sluice__look look,
                sluice__buffer *out) {
    bool page = look == SLUICE__PAGE,
         good = sluice__buffer_text(a, out, page ? "</pre>\n<p>" : "\n");
    sluice__buffer result = {0};
    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++) {
        const struct kind *k = &kinds[legend[i]];
        if (page)
            good = good && sluice__buffer_text(a, out, "<span class=") &&
                   sluice__buffer_text(a, out, k->name) && sluice__buffer_text(a, out, ">") &&
                   sluice__buffer_text(a, out, k->name) && sluice__buffer_text(a, out, "</span> ");
        else
            good = good && coloured(a, out, k->colour, k->name, strlen(k->name)) &&
                   sluice__buffer_text(a, out, "  ");
    }
    good = good && sluice__buffer_text(a, out, page ? "</p>\n<pre>" : "\n") &&
           sluice__buffer_add(a, &result, "{", 1) &&
           sluice__outcome_json(a, &t->outcome, &result) &&
           sluice__buffer_add(a, &result, "}", 1) &&
           (page ? escaped(a, out, result.data, result.len)
                 : sluice__buffer_add(a, out, result.data, result.len)) &&
           sluice__buffer_text(a, out, page ? "</pre>\n" : "\n");
    sluice__buffer_release(a, &result);
    return good;
}

bool sluice__trace_show(const sluice_allocator *a, const sluice__trace *t, sluice__look look,
                        const char *title, sluice__buffer *out) {
    bool good = look != SLUICE__PAGE || begin_page(a, title, out);
    size_t n = t->kinds.len < t->text.len ? t->kinds.len : t->text.len, i = 0, error = 0;
    for (;;) {
        uint64_t stop = n;
        while (good && error < t->errors.len) { /* those that stand here, and where the next does */
            const char *said = t->errors.data + error + sizeof stop;
            memcpy(&stop, t->errors.data + error, sizeof stop);
            if (stop > i && i < n)
                break;
            good = mistake(a, look, stop, said, out);
            error += sizeof stop + strlen(said) + 1;
            stop = n;
        }
        if (!good || i == n)
            break;
        size_t from = i;
        int kind = t->kinds.data[from];
        while (i < n && t->kinds.data[i] == kind && (i == from || i < stop))
            i++;
        good = piece(a, look, kind, from, t->text.data + from, i - from, out);
    }
    return good && (look == SLUICE__LINES || end(a, t, look, out));
}

void sluice__trace_release(const sluice_allocator *a, sluice__trace *t) {
    sluice__buffer *buffers[] = {&t->text, &t->kinds, &t->errors};
    for (int i = 0; i < 3; i++)
        sluice__buffer_release(a, buffers[i]);
    sluice__outcome_release(a, &t->outcome);
}
