/* A stream with a syntax written in C: the core without Lua. A block is "<<" NAME ">>" {arguments}.
 */
#include "check.h"

#include "parts.h"

static sluice_allocator heap;
static sluice__markers *openers, *none, *closer;
static int stage, dropped;
static char name[64];
static size_t name_len;

static sluice__verdict go_on(void *user, sluice_stream *s) {
    (void)user;
    for (;;) {
        int r = 0;
        bool good;
        switch (stage++) {
        case 0:
            r = sluice__op_accept(s, openers, true, true);
            break;
        case 1:
            r = sluice__op_upto(s, closer, 16, true, false);
            break;
        case 2:
            if (!s->result.ok || s->result.end == s->result.start)
                return SLUICE__REJECTED;
            name_len = (size_t)(s->result.end - s->result.start);
            memcpy(name, sluice__at(s, s->result.start), name_len);
            r = sluice__op_accept(s, closer, false, true);
            break;
        case 3:
            r = sluice__op_begin(s, name, name_len, "", 0, 2, 2, NULL, NULL);
            break;
        case 4:
            r = sluice__op_arguments(s, SLUICE__LENIENT, SLUICE__TOP_OBJECT, NULL, 0, false);
            break;
        default:
            if (!s->result.ok)
                sluice__lower(s, SLUICE_INCOMPLETE);
            return sluice__end_call(s, NULL, 0, NULL, 0, &good) ? SLUICE__CLOSED : SLUICE__FAILED;
        }
        if (r == 0)
            return SLUICE__AWAITS;
    }
}

static sluice__verdict open_block(void *user, sluice_stream *s, size_t item) {
    (void)item;
    stage = 0;
    return go_on(user, s);
}

static void drop(void *user, sluice_stream *s) {
    (void)user, (void)s;
    dropped++;
}

static void new_id(void *user, char *id, size_t size) {
    (void)user;
    snprintf(id, size, "id");
}

static char got[4096];
static size_t got_len;

static void collect(sluice_stream *s) {
    static const char letters[] = "trbapeme";
    sluice_event e;
    while (sluice_stream_next(s, &e) == SLUICE_EVENT) {
        static int last = -1;
        if (got_len == 0)
            last = -1;
        bool joins = (int)e.type == last && (e.type == SLUICE_TEXT || e.type == SLUICE_ARGUMENTS);
        if (!joins)
            got_len +=
                (size_t)snprintf(got + got_len, sizeof got - got_len, "|%c ", letters[e.type]);
        if (e.type == SLUICE_CALL_BEGIN)
            got_len += (size_t)snprintf(got + got_len, sizeof got - got_len, "%s", e.name);
        else if (e.type == SLUICE_CALL_END)
            got_len +=
                (size_t)snprintf(got + got_len, sizeof got - got_len, "%s %d", e.id, e.status);
        else
            got_len += (size_t)snprintf(got + got_len, sizeof got - got_len, "%.*s",
                                        (int)e.text_len, e.text);
        last = (int)e.type;
    }
}

int main(void) {
    heap = sluice__libc_allocator();
    sluice__marker items[] = {{"<<", 2, SLUICE__BLOCK, false}}, ends[] = {{">>", 2, 0, false}};
    openers = sluice__markers_new(&heap, items, 1);
    closer = sluice__markers_new(&heap, ends, 1);
    none = sluice__markers_new(&heap, NULL, 0);
    sluice__format format = {.text = openers, .reasoning = none, .closers = none, .fence = none};
    sluice__settings set;
    sluice__settings_default(&set);
    const sluice__syntax syntax = {open_block, go_on, drop, new_id, NULL};
    sluice_stream *s = sluice__stream_new(&heap, &format, &syntax, NULL, &set);
    CHECK(sizeof *s < 4096);

    const char *text = "Text < and <<f>> {\"a\": [1, 2]} more <<no\n>> <<g>>{\"b\": \"x";
    const char *want =
        "|t Text < and |b f|a {\"a\": [1, 2]}|e id 0|t  more <<no\n>> |b g|a {\"b\": \"x\"}|"
        "e the text ends inside the call|e id 2";
    for (size_t chunk = 1; chunk <= strlen(text); chunk++) {
        got_len = 0;
        for (size_t i = 0; i < strlen(text); i += chunk) {
            size_t n = strlen(text) - i < chunk ? strlen(text) - i : chunk;
            CHECK(sluice_stream_feed(s, text + i, n) == SLUICE_OK);
            collect(s);
        }
        sluice_stream_finish(s);
        collect(s);
        CHECK_TEXT(got, got_len, want);
        CHECK(sluice_stream_feed(s, "x", 1) == SLUICE_E_MISUSE);
        sluice_stream_reset(s);
    }
    CHECK(dropped > 0);

    /* plain text is handed out of the caller's buffer, even after a held byte */
    static char big[100000];
    memset(big, 'a', sizeof big);
    big[0] = 'b';
    sluice_event e;
    sluice_stream_feed(s, "x<", 2);
    collect(s);
    sluice_stream_feed(s, big, sizeof big);
    size_t borrowed = 0;
    while (sluice_stream_next(s, &e) == SLUICE_EVENT)
        if (e.text >= big && e.text < big + sizeof big)
            borrowed += e.text_len;
    CHECK(borrowed > sizeof big - 1024);
    sluice_stream_free(s);
    sluice__markers_free(&heap, openers);
    sluice__markers_free(&heap, closer);
    sluice__markers_free(&heap, none);
    return report("stream");
}
