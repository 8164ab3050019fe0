#include "inside.h"

void sluice__reader_init(sluice__reader *r, const sluice_allocator *a, const sluice__sink *sink,
                         uint32_t flags, sluice__top top, const char *quote, size_t quote_len,
                         size_t depth_limit) {
    memset(r, 0, sizeof *r);
    r->alloc = a;
    r->sink = sink;
    r->flags = flags;
    r->top = top;
    r->quote = quote;
    r->quote_len = quote_len;
    r->depth_limit = depth_limit ? depth_limit : 128;
    if (r->depth_limit > SLUICE__DEPTH_MAX)
        r->depth_limit = SLUICE__DEPTH_MAX;
    r->look_limit = LOOK_MAX;
    r->state = VALUE;
    r->holding = true;
}

void sluice__reader_again(sluice__reader *r, const sluice_allocator *a, const sluice__sink *sink,
                          uint32_t flags, sluice__top top, const char *quote, size_t quote_len,
                          size_t depth_limit) {
    sluice__buffer pending = r->pending, word = r->word, deep = r->deep;
    uint64_t vain = r->vain;
    sluice__reader_init(r, a, sink, flags, top, quote, quote_len, depth_limit);
    r->pending = pending;
    r->word = word;
    r->deep = deep;
    r->vain = vain;
    r->pending.len = r->word.len = r->deep.len = 0;
}

void sluice__reader_release(sluice__reader *r) {
    sluice__buffer_release(r->alloc, &r->pending);
    sluice__buffer_release(r->alloc, &r->word);
    sluice__buffer_release(r->alloc, &r->deep);
}

bool sluice__reader_untouched(const sluice__reader *r) {
    return r->state == VALUE && r->depth == 0 && !r->top_level_done && r->pending.len == 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef going state_function(sluice__reader *r, char c);

static state_function *const states[] = {[VALUE] = sluice__reading_value,
                                         [KEY] = sluice__reading_key,
                                         [AFTER] = sluice__reading_after,
                                         [COLON] = sluice__reading_colon,
                                         [STRING] = sluice__reading_string,
                                         [ESCAPE] = sluice__reading_escape,
                                         [HEX] = sluice__reading_hex,
                                         [SEQUENCE] = sluice__reading_sequence,
                                         [OPENING] = sluice__reading_opening,
                                         [OPENING_2] = sluice__reading_opening_2,
                                         [TRIPLE] = sluice__reading_triple,
                                         [OWN_OPEN] = sluice__reading_own_open,
                                         [OWN_CLOSE] = sluice__reading_own_close,
                                         [CLOSED] = sluice__reading_closed,
                                         [WORD] = sluice__reading_word,
                                         [SLASH] = sluice__reading_slash,
                                         [LINE] = sluice__reading_line,
                                         [BLOCK] = sluice__reading_block,
                                         [BLOCK_END] = sluice__reading_block_end,
                                         [OUTSIDE] = sluice__reading_outside};

/* Reads until the input is used up, the value is complete, or a byte is refused. */
static going read_all(sluice__reader *r) {
    if (r->top == SLUICE__TOP_KWARGS && r->depth == 0 && !r->top_level_done &&
        !open_container(r, KWARGS, "{", 1, false))
        return NO_MEMORY;
    while (r->i < r->n && r->state != DONE) {
        if (r->state <= AFTER) {
            going going = sluice__reading_quick(r);
            if (going != GOES_ON)
                return going;
            if (r->i >= r->n || r->state == DONE)
                break;
        }
        going going = states[r->state](r, r->in[r->i]);
        if (going != GOES_ON)
            return going;
    }
    return GOES_ON;
}

/* Handles the end of the text: it ends a word, and a string that could have been joined. */
static going end_text(sluice__reader *r) {
    if (r->depth)
        return GOES_ON;
    if (r->state == WORD) {
        bool bare;
        going going = end_word(r, &bare);
        if (going != GOES_ON)
            return going;
        value_done(r);
    }
    return memory(r->state != CLOSED || end_string(r, false, NULL));
}

sluice__reading sluice__reader_feed(sluice__reader *r, const char *in, size_t n, bool end,
                                    size_t *used) {
    r->problem = NULL;
    r->in = in;
    r->n = n;
    r->ended = end;
    r->i = r->run = r->at = 0;
    going going = read_all(r);
    if (going == LOOKS_ON)
        going = GOES_ON;
    if (going == GOES_ON && !flush(r))
        going = NO_MEMORY;
    if (going == GOES_ON && r->state != DONE && end)
        going = end_text(r);
    *used = r->i;
    r->past += r->i;
    if (going == REFUSED && !flush(r))
        going = NO_MEMORY;
    if (going == NO_MEMORY || !sluice__reader_flush(r)) {
        r->sure_len = 0;
        return SLUICE__READ_NOMEM;
    }
    if (going == REFUSED)
        return SLUICE__READ_STOP;
    return r->state == DONE ? SLUICE__READ_DONE : SLUICE__READ_MORE;
}

/* ---- Closing --------------------------------------------------------------------------------- */

/* True if the value is cut; false if only white space follows it. */
static bool is_inside(const sluice__reader *r) {
    if (r->state == AFTER || r->state == CLOSED)
        return false;
    if (r->state != KEY && r->state != VALUE)
        return true;
    if (r->had_comma)
        return true;
    for (size_t i = 0; i < r->pending.len; i++)
        if (!is_space(r->pending.data[i]))
            return true;
    return false;
}

/* Ends the string in which the text was cut. */
static bool close_string(sluice__reader *r) {
    switch ((enum state)r->state) {
    case SEQUENCE:
        return replaced(r) && end_string(r, false, NULL);
    case TRIPLE:
        for (; r->triple > 1; r->triple--)
            if (!out_char(r, (unsigned char)r->delimiter))
                return false;
        return end_string(r, false, NULL);
    case OPENING:
    case OPENING_2:
        if (r->back != CLOSED && !begin_string(r, r->delimiter, false, NULL))
            return false;
        return end_string(r, false, NULL);
    case STRING:
    case ESCAPE:
    case HEX:
    case OWN_CLOSE:
        return end_string(r, false, NULL);
    default:
        return true;
    }
}

bool sluice__reader_close(sluice__reader *r) {
    r->cut = false;
    if (r->state == DONE)
        return true;
    bool inside = is_inside(r);
    /* a list or object among the values, or an empty one */
    bool unclosed = r->depth > 1 || (r->depth && r->state == KEY);
    if (r->state == CLOSED && !end_string(r, false, NULL))
        return false;
    if (inside && !r->in_key && !close_string(r))
        return false;
    r->pending.len = 0;
    if (r->let_go) { /* the key was output: give it a value */
        if ((r->in_key && r->state != COLON && !out(r, "\"", 1, false)) ||
            (r->in_key && !out(r, ":", 1, false)) || !out(r, "null", 4, false))
            return false;
        r->let_go = false;
    }
    while (r->depth) {
        r->holding = true;
        if (top_of(r) == GROUP)
            r->depth--, r->groups--;
        else if (!close_container(r, false, NULL))
            return false;
    }
    r->pending.len = 0;
    if (r->flags & SLUICE__TOTAL && !r->top_level_done) {
        r->holding = false;
        r->top_level_done = true;
        if (!out(r, "null", 4, false))
            return false;
    }
    r->state = DONE;
    r->cut = inside || unclosed;
    return true;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static bool ignore(void *user, const char *p, size_t n, bool source) {
    (void)user, (void)p, (void)n, (void)source;
    return true;
}

bool sluice__is_json(const sluice_allocator *a, const char *p, size_t n, const char **why,
                     size_t *at) {
    sluice__sink sink = {NULL, ignore, NULL, 0, false, NULL, NULL};
    sluice__reader r;
    size_t used;
    sluice__reader_init(&r, a, &sink, 0, SLUICE__TOP_ANY, NULL, 0, SLUICE__DEPTH_MAX);
    r.lazy = true;
    sluice__reading what = sluice__reader_feed(&r, p, n, true, &used);
    *why = what == SLUICE__READ_STOP && r.problem ? r.problem : "the text ends inside the value";
    sluice__reader_release(&r);
    *at = used;
    if (what != SLUICE__READ_DONE)
        return false;
    while (used < n && is_space(p[used]))
        used++;
    *why = "text after the value";
    *at = used;
    return used == n;
}

bool sluice__reader_in_plain_text(const sluice__reader *r) {
    return r->state == STRING && !r->raw_string && !r->formatted && !r->triple &&
           r->delimiter == '"' && !r->part_len && !r->high;
}

bool sluice__reader_in_string(const sluice__reader *r) {
    return sluice__reader_in_plain_text(r) && !r->in_key && r->begins == NO_DRIVE &&
           !r->pending.len && !r->sure_len && !r->holding && !(r->quote_len && r->quote_at);
}

bool sluice__reader_in_other_quotes(const sluice__reader *r) {
    return r->delimiter && r->state >= STRING && r->state <= TRIPLE;
}
