/* A stream with a program written in C: the core without Lua. A block is "<<" NAME ">>"
 * {arguments}.
 */
#include "check.h"

#include "stream.h"

static sluice_allocator memory;
static int released;

static int types(sluice_stream *s, size_t of, view key, bool items, size_t *schema,
                 sluice__types *out) {
    (void)s, (void)of, (void)key, (void)items, (void)schema;
    *out = (sluice__types){.mask = SLUICE__ANY_TYPE};
    return 0;
}

static void new_id(const sluice_stream *s, char *id, size_t size) {
    (void)s;
    snprintf(id, size, "id");
}

static void release(sluice_stream *s) {
    sluice_allocator memory = sluice__libc_allocator();
    sluice__realloc(&memory, s, sizeof(sluice_stream), 0);
    released++;
}

static char got[4096];
static size_t got_len;
static int last;

static void say(const char *text, size_t n) {
    got_len += (size_t)snprintf(got + got_len, sizeof got - got_len, "%.*s", (int)n, text);
}

static void collect(sluice_stream *s) {
    static const char letters[] = "trbapeme";
    sluice_event e;
    while (sluice_stream_next(s, &e) == SLUICE_EVENT) {
        bool joins = (int)e.type == last && (e.type == SLUICE_TEXT || e.type == SLUICE_ARGUMENTS);
        char head[4] = {'|', letters[e.type], ' ', 0}, status[2] = {(char)('0' + e.status), 0};
        if (!joins)
            say(head, 3);
        if (e.type == SLUICE_CALL_BEGIN)
            say(e.name, strlen(e.name));
        else if (e.type == SLUICE_CALL_END)
            say(status, 1);
        else
            say(e.text, e.text_len);
        last = (int)e.type;
    }
}

int main(void) {
    enum { OPENER, CLOSER, NOTHING, SETS };
    memory = sluice__libc_allocator();
    sluice__literal opener = {"<<", 2, SLUICE__BLOCK, false}, closer = {">>", 2, 0, false};
    literals *sets[SETS] = {sluice__literals_new(&memory, &opener, 1),
                            sluice__literals_new(&memory, &closer, 1),
                            sluice__literals_new(&memory, NULL, 0)};
    sluice__format format = {.name = "angles",
                             .text = sets[OPENER],
                             .watched = sets[OPENER],
                             .reasoning = sets[NOTHING],
                             .closers = sets[NOTHING],
                             .fence = sets[NOTHING]};
    sluice__format_complete(&format);
    const uint16_t none = SLUICE__NONE;
    const sluice__ins code[] = {
        {SLUICE__I_literal, 0, OPENER, none, none},
        {SLUICE__I_name, 0, CLOSER, SLUICE__NO_PATTERN, none},
        {SLUICE__I_literal, 0, CLOSER, none, none},
        {SLUICE__I_arguments, 0, 0, none, none},
        {SLUICE__I_close, 0, none, none, none},
    };
    sluice__arguments_spec arguments = {.raw = SLUICE__NONE};
    uint16_t first[] = {0, SLUICE__NONE}, nowhere[] = {SLUICE__NONE};
    uint16_t *starts[] = {first, nowhere};
    const char *no_names[] = {NULL};
    const sluice__program program = {.format = &format,
                                     .code = code,
                                     .count = sizeof code / sizeof *code,
                                     .sets = sets,
                                     .arguments = &arguments,
                                     .starts = starts,
                                     .namespaces = no_names,
                                     .fixed_parameters = no_names,
                                     .encoded = sets[NOTHING],
                                     .nothing = sets[NOTHING]};
    const sluice__scripts scripts = {.types = types, .new_id = new_id, .release = release};
    const sluice__settings set = sluice__default_settings;
    sluice_stream *s = sluice__zeroed(&memory, sizeof *s);
    CHECK(s != NULL);
    sluice__stream_init(s, &memory, &program, NULL, &scripts, &set, false);

    const char *text = "Text < and <<f>> {\"a\": [1, 2]} more <<no\n>> <<g>>{\"b\": \"x";
    const char *want =
        "|t Text < and |b f|a {\"a\": [1, 2]}|e 0|t  more <<no\n>> |b g|a {\"b\": \"x\"}|"
        "e the text ends inside the call|e 2";
    for (size_t chunk = 1; chunk <= strlen(text); chunk++) {
        got_len = 0;
        last = -1;
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

    /* plain text is handed out of the caller's buffer */
    static char big[100000];
    memset(big, 'a', sizeof big);
    sluice_event e;
    sluice_stream_feed(s, big, sizeof big);
    size_t borrowed = 0;
    while (sluice_stream_next(s, &e) == SLUICE_EVENT)
        if (e.text >= big && e.text < big + sizeof big)
            borrowed += e.text_len;
    CHECK(borrowed == sizeof big);
    sluice_stream_free(s);
    CHECK(released == 1);
    for (int i = 0; i < SETS; i++)
        sluice__realloc(&memory, sets[i], sets[i]->size, 0);
    return report("stream");
}
