/*
 * Any bytes as a value: strict, lenient or Python's. What comes out, and where it stops, does not
 * hang on the cut; it is JSON, and read strictly it comes out as it is.
 *
 * Input: how it is read, how deep it may be, a seed for the cuts, then the text.
 */
#include "../../core/json/json.h"
#include "story.h"

enum { STRICT = 1, PYTHON = 2, ARGUMENTS = 4, OWN = 8, SHALLOW = 16 };

typedef struct value {
    heap heap;
    out json;
    json_end end;
    size_t at;
    const char *mended, *lost;
} value;

static void run(value *o, unsigned how, const char *text, size_t n, unsigned seed) {
    static const char own[] = "<|'|>";
    json j = {0};
    *o = (value){.heap = {sluice__libc_allocator(), false}};
    o->json = (out){.heap = &o->heap};
    if (how & ARGUMENTS) {
        sluice__json_begin(&j, true);
        sluice__json_begin_inside(&j, true);
        put_text(&o->json, "{");
    } else {
        sluice__json_begin(&j, how & PYTHON);
    }
    j.strict = how & STRICT;
    j.own_quote = how & OWN ? own : NULL;
    j.limit = how & SHALLOW ? 3 : j.limit;
    size_t upto = 0;
    for (;;) {
        size_t step = seed ? 1 + next_number(&seed) % 9 : n;
        upto = step > n - upto ? n : upto + step;
        char *piece = malloc(upto - o->at + 1); /* no more than has come */
        if (upto > o->at)
            memcpy(piece, text + o->at, upto - o->at);
        view v = {piece, piece + (upto - o->at)};
        o->end = sluice__json_go(&j, &v, upto < n ? SIZE_MAX : 0, &o->json);
        o->at += (size_t)(v.p - piece);
        free(piece);
        if (o->end != JSON_MORE || upto == n)
            break;
    }
    if (o->end != JSON_DONE)
        sluice__json_closing(&j, &o->json);
    o->mended = j.mended;
    o->lost = j.lost;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    const char *text = (const char *)data + 2, *why;
    size_t n = size - 2, wrong;
    value whole, cut, again;
    run(&whole, data[0], text, n, 0);
    run(&cut, data[0], text, n, data[1] + 1u);
    if (whole.end != cut.end || whole.at != cut.at)
        fail("where it stops depends on the cut", "a value");
    compare(&whole.json.b, &cut.json.b, "the JSON depends on the cut", "a value");
    if (whole.mended != cut.mended || whole.lost != cut.lost)
        fail("what is told depends on the cut", "a value");
    bool some = false;
    for (size_t i = 0; i < whole.json.b.len; i++)
        some |= !is_space(whole.json.b.data[i]);
    if (some) {
        if ((why = sluice__not_json(&whole.heap.alloc, out_view(&whole.json), &wrong))) {
            fprintf(stderr, "%.*s\n%s at %zu\n", (int)whole.json.b.len, whole.json.b.data, why,
                    wrong);
            fail("what comes out is no JSON", "a value");
        }
        run(&again, STRICT, whole.json.b.data, whole.json.b.len, 0);
        while (is_space(whole.json.b.data[whole.json.b.len - 1])) /* white space behind it */
            whole.json.b.len--;
        while (again.json.b.len && is_space(again.json.b.data[again.json.b.len - 1]))
            again.json.b.len--;
        compare(&whole.json.b, &again.json.b, "read again it is something else", "a value");
        sluice__buffer_release(&again.heap.alloc, &again.json.b);
    }
    sluice__buffer_release(&whole.heap.alloc, &whole.json.b);
    sluice__buffer_release(&cut.heap.alloc, &cut.json.b);
    return 0;
}
