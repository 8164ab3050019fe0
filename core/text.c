/* Scanning of text and reasoning between blocks. */
#include "parts.h"
#include "ticks.h"
#include "utf8.h"

/* Limits `upto` so that text never ends inside an unfinished UTF-8 sequence. */
uint64_t sluice__whole_upto(const sluice_stream *s, uint64_t upto) {
    if (upto < sluice__visible(s) || sluice__at_end(s) || upto <= s->sent)
        return upto;
    return upto - sluice__utf8_tail(sluice__at(s, s->sent), sluice__minus(upto, s->sent));
}

bool sluice__line_start(const sluice_stream *s, uint64_t at) {
    if (at == s->pos && s->leading_space && s->mode != SLUICE__IN_BLOCK_MODE)
        return true;
    char before = at > s->window.base ? *sluice__at(s, at - 1) : s->window.before;
    return before == '\n' || at == 0;
}

bool sluice__is_idle(const sluice_stream *s, const sluice__marker *m) {
    enum {
        OTHER = SLUICE__REASON | SLUICE__REASON_END | SLUICE__TURN_END | SLUICE__NOISE |
                SLUICE__STRAY | SLUICE__LEADING | SLUICE__TICK
    };
    if (m->role & OTHER)
        return false;
    return s->broken ||
           (s->calls < s->set.max_calls ? s->lost_track
                                        : s->call_limit_reported || !(m->role & SLUICE__TOLD));
}

/* Finds the earliest visible literal of the set from `from` on; results as of sluice__markers_find.
 * Skips bytes that `clear` knows to be free of literals, and adds to it the bytes found free. */
sluice__match sluice__find_from(const sluice_stream *s, const sluice__markers *set, uint64_t from,
                                sluice__clear *clear, uint64_t *at, size_t *item) {
    uint64_t limit = sluice__visible(s);
    bool known = clear->set == set && clear->from <= from && from <= clear->upto;
    uint64_t start = known ? clear->upto : from;
    if (start > limit)
        start = limit; /* more was visible earlier */
    const char *p = start < limit ? sluice__at(s, start) : "";
    sluice__hits hits = {0, 0, 0};
    sluice__match m = SLUICE__NO;
    size_t n = sluice__minus(limit, start), next = 0, offset;
    do {
        m = sluice__markers_next(set, p, n, sluice__at_end(s), &hits, next, &offset, item);
        next = offset + 1;
    } while (m == SLUICE__YES && (sluice__is_idle(s, &set->items[*item]) ||
                                  sluice__is_plain(s, &set->items[*item], start + offset)));
    *at = start + offset;
    if (!known)
        *clear = (sluice__clear){set, from, *at};
    else if (*at > clear->upto)
        clear->upto = *at;
    return m;
}

bool sluice__line_indent(const sluice_stream *s, uint64_t at) {
    while (at > s->window.base) {
        char c = *sluice__at(s, --at);
        if (c != ' ' && c != '\t')
            return c == '\n';
    }
    return !s->window.inside;
}

/* Ends held white space: text follows. */
void sluice__leave_edge(sluice_stream *s) {
    s->leading_space = s->at_start = s->after_block = false;
    s->drop_after = NULL;
}

/* Does the position allow a block at this literal? */
static bool may_open(const sluice_stream *s, unsigned role, uint64_t at) {
    if (!(role & SLUICE__BLOCK) || s->broken)
        return false;
    if (role & SLUICE__AT_START)
        return s->leading_space && (s->at_start || (role & SLUICE__INDENT && s->after_block));
    if (role & SLUICE__AT_LINE)
        return (role & SLUICE__INDENT ? sluice__line_indent : sluice__line_start)(s, at) ||
               (role & SLUICE__INDENT && s->leading_space && s->after_block);
    return true;
}

/* Returns the roles that the literal may have here. `first`: only white space and blocks precede
 * it. */
static unsigned parts(const sluice_stream *s, const sluice__marker *m, uint64_t at, bool first) {
    unsigned role = m->role, part = role & (SLUICE__TURN_END | SLUICE__NOISE);
    if (role & SLUICE__STRAY && s->leading_space && s->after_block)
        part |= SLUICE__STRAY;
    if (role & SLUICE__LEADING && s->leading_space && s->at_start)
        part |= SLUICE__NOISE;
    if (role & SLUICE__REASON) {
        bool open =
            s->set.reasoning_opens == SLUICE__ANYWHERE || (s->leading_space && s->at_start) ||
            (s->set.reasoning_opens == SLUICE__LINE && (first || sluice__line_indent(s, at)));
        if (open)
            part |= SLUICE__REASON;
    }
    if (role & SLUICE__REASON_END && !(role & (SLUICE__NOISE | SLUICE__TURN_END)) &&
        s->mode == SLUICE__IN_TEXT_MODE && !s->calls && !s->reasoned && !s->set.start_text)
        part |= SLUICE__REASON_END;
    if (sluice__more_calls(s) && may_open(s, role, at))
        part |= SLUICE__BLOCK;
    return part;
}

/* Drops the white space that the last closer of reasoning removes from the text after it. */
static bool drop_after(sluice_stream *s, uint64_t upto) {
    uint64_t at = s->sent;
    for (const char *p = s->drop_after; p && *p && at < upto; p++) {
        char c = *sluice__at(s, at);
        if (c == '\r' && *p == '\n' && at + 1 < upto)
            at++;
        else if (c != *p)
            break;
        at++;
    }
    return sluice__gap(s, at);
}

/* Returns the end of the run of copies of the literal's first character that begins at `at`; 0: not
 * known yet. */
static uint64_t run_end(sluice_stream *s, const sluice__marker *m, uint64_t at) {
    int unit = sluice__utf8_sequence(m->text, m->len);
    size_t n = unit > 0 ? (size_t)unit : 1;
    uint64_t most = at + s->set.limit_held;
    if (s->run.from <= at && at < s->run.upto && sluice__minus(at, s->run.from) % n == 0)
        at = s->run.upto; /* continue from the known part of the run */
    else
        s->run.from = at;
    for (; sluice__minus(sluice__visible(s), at) >= n; at += n)
        if (at > most || memcmp(sluice__at(s, at), m->text, n) != 0) {
            s->run.upto = at;
            return at;
        }
    s->run.upto = at;
    if (at == sluice__visible(s)
            ? sluice__at_end(s)
            : sluice__at_end(s) ||
                  memcmp(sluice__at(s, at), m->text, sluice__minus(sluice__visible(s), at)) != 0)
        return at;
    return 0;
}

/* Reports an opener of a call in inline code. */
static bool tell_quoted(sluice_stream *s, uint64_t at, unsigned part, const sluice__marker *m) {
    static const char message[] = "it is in inline code";
    return !(part & SLUICE__BLOCK && m->role & SLUICE__TOLD) ||
           (sluice__send(s, SLUICE_TEXT, at) &&
            sluice__error_at(s, at, sluice__code("not_a_call"), message, sizeof message - 1));
}

/* Reports an opener after the last allowed call, once per response. */
static bool tell_call_limit(sluice_stream *s, uint64_t at, const sluice__marker *m) {
    static const char message[] = "max_calls reached; the call is reported as text";
    if (s->calls < s->set.max_calls || s->call_limit_reported || s->ticks ||
        !(m->role & SLUICE__TOLD) || !may_open(s, m->role, at))
        return true;
    s->call_limit_reported = true;
    return sluice__send(s, SLUICE_TEXT, at) &&
           sluice__error_at(s, at, sluice__code("call_limit"), message, sizeof message - 1);
}

/* Returns the end of the text without a special token that the end of the response cut. */
static uint64_t without_cut_token(const sluice_stream *s, uint64_t limit) {
    const sluice__markers *set = s->format->cut_tokens ? s->format->special : NULL;
    size_t best = 2;
    for (size_t i = 0; set && i < set->count; i++)
        for (size_t n = set->items[i].len - 1; n > best; n--)
            if (sluice__minus(limit, s->sent) >= n &&
                memcmp(sluice__at(s, limit - n), set->items[i].text, n) == 0)
                best = n;
    return best > 2 ? limit - best : limit;
}

/* Finds the end of the markup that begins with this literal at `at`. NO: it is not a tag. */
static sluice__match noise_upto(const sluice_stream *s, const sluice__marker *m, uint64_t at,
                                uint64_t *upto) {
    uint64_t limit = sluice__visible(s), most = at + s->set.limit_name, p = at + m->len;
    *upto = p;
    if (!(m->role & SLUICE__NOISE_TAG))
        return SLUICE__YES;
    for (; p < limit && p < most; p++) {
        char c = *sluice__at(s, p);
        if (c == '\n' || c == '<')
            return SLUICE__NO;
        if (c == '>') {
            *upto = p + 1;
            return SLUICE__YES;
        }
    }
    return p < most && !sluice__at_end(s) ? SLUICE__WAIT : SLUICE__NO;
}

/* No marker precedes `at`: sends the bytes before `upto`, or all of them at the end of the text. */
static int pass_rest(sluice_stream *s, sluice_event_type type, uint64_t upto, uint64_t at,
                     uint64_t limit, bool end) {
    upto = sluice__whole_upto(s, end ? without_cut_token(s, limit) : upto);
    if (!sluice__send(s, type, upto) || (end && !sluice__gap(s, limit)))
        return SLUICE__NOMEM;
    s->pos = end ? limit : upto;
    s->scan = at;
    if (!end)
        return SLUICE__MORE;
    s->done = true;
    return SLUICE__AGAIN;
}

/* Handles a literal at `at` that has a role in text. */
static sluice__step in_text(sluice_stream *s, uint64_t at, size_t item, unsigned part) {
    const sluice__marker *m = &s->text->items[item];
    uint64_t upto = at + m->len;
    if (s->leading_space && part != SLUICE__BLOCK) { /* white space next to markup is markup too */
        if (!sluice__gap(s, at))
            return SLUICE__NOMEM;
    } else if (!s->leading_space && !sluice__send(s, SLUICE_TEXT, at)) {
        return SLUICE__NOMEM;
    }
    s->pos = at;
    if (part & SLUICE__BLOCK) {
        return sluice__open_block(s, at, item);
    }
    static const char unopened[] = "a closing tag of reasoning that was never opened was left out";
    bool closer = part & SLUICE__REASON_END && !(part & SLUICE__REASON);
    if (closer &&
        !sluice__error_at(s, at, sluice__code("unopened_reasoning"), unopened, sizeof unopened - 1))
        return SLUICE__NOMEM;
    if (part & SLUICE__NOISE)
        noise_upto(s, m, at, &upto);
    if (!sluice__gap(s, upto))
        return SLUICE__NOMEM;
    s->pos = s->scan = upto;
    s->reasoned |= (part & (SLUICE__REASON | SLUICE__REASON_END)) != 0;
    if (closer) {
        s->leading_space = s->after_block = s->at_start = true;
        s->drop_after = s->format->pairs[m->role / SLUICE__PAIR % SLUICE__PAIRS].after;
    } else if (part & SLUICE__REASON) {
        s->mode = SLUICE__IN_REASON_MODE;
        s->pair = (uint8_t)(m->role / SLUICE__PAIR);
        s->reasoning_begun = true;
    } else if (part & SLUICE__TURN_END) {
        s->leading_space = s->after_block = true;
    }
    return SLUICE__AGAIN;
}

/* Kept in one piece: a single scan, in which the next literal decides what happens to the text
 * before it. */
sluice__step sluice__step_text(sluice_stream *s) {
    const sluice__format *f = s->format;
    bool end = sluice__at_end(s);
    uint64_t limit = sluice__visible(s), at;
    size_t item;
    uint64_t run = 0;
    if (s->leading_space) {
        uint64_t q = s->scan > s->pos ? s->scan : s->pos, most = s->pos + s->set.limit_held;
        while (q < limit && q < most && sluice__is_space(*sluice__at(s, q)))
            q++;
        s->scan = q;
        if (q == limit && q < most && !end) {
            s->standby = (sluice__standby){.set = s->text, .blanks = true};
            return SLUICE__MORE;
        }
        if (q < limit && q < most) {
            sluice__match m = SLUICE__YES;
            item = s->opener;
            if (q != s->opener_at)
                m = sluice__match_here(s, s->text, q, &item);
            if (m == SLUICE__WAIT)
                return SLUICE__MORE;
            unsigned part = m == SLUICE__YES ? parts(s, &s->text->items[item], q, true) : 0;
            if (part & SLUICE__BLOCK && s->text->items[item].role & SLUICE__ALONE) {
                run = run_end(s, &s->text->items[item], q);
                if (!run)
                    return SLUICE__MORE;
                if (sluice__minus(run, q) % s->text->items[item].len == 0)
                    run = 0;
                else
                    part = 0;
            }
            if (part & SLUICE__NOISE) {
                m = noise_upto(s, &s->text->items[item], q, &at);
                if (m == SLUICE__WAIT)
                    return SLUICE__MORE;
                part &= m == SLUICE__NO ? ~(unsigned)SLUICE__NOISE : ~0u;
            }
            if (part & SLUICE__BLOCK && s->ticks)
                part = 0; /* it follows inline code: examined below */
            if (part)
                return in_text(s, q, item, part);
            unsigned char c = (unsigned char)*sluice__at(s, q);
            if (f->bare[c / 8] & 1 << c % 8 && (s->at_start || f->bare_at_line) && !s->broken &&
                sluice__more_calls(s))
                return sluice__open_block(s, q, SIZE_MAX);
        } else if (q == limit && end) {
            bool good = s->after_block || f->start_trim ? sluice__gap(s, q)
                                                        : sluice__send(s, SLUICE_TEXT, q);
            s->pos = q;
            s->done = true;
            return sluice__told(good);
        }
        if (s->at_start && f->start_trim ? !sluice__gap(s, q) : !drop_after(s, q))
            return SLUICE__NOMEM;
        sluice__leave_edge(s);
        s->pos = s->sent;
        s->scan = run > q ? run : q;
    }
    uint64_t unread = s->scan; /* no backtick was looked for from here on */
    for (;;) {
        uint64_t from = s->scan;
        sluice__match m = sluice__find_from(s, s->text, from, &s->no_literal, &at, &item);
        if (f->bare_at_line) { /* a line before that literal may begin a block without a marker */
            uint64_t q = from;
            while (q < at) {
                unsigned char c = (unsigned char)*sluice__at(s, q);
                if (f->bare[c / 8] & 1 << c % 8 && sluice__line_start(s, q) && !s->broken &&
                    sluice__more_calls(s)) {
                    sluice__read_ticks(s, unread, q);
                    if (!sluice__send(s, SLUICE_TEXT, q))
                        return SLUICE__NOMEM;
                    return sluice__open_block(s, q, SIZE_MAX);
                }
                const char *next = memchr(sluice__at(s, q), '\n', sluice__minus(at, q));
                q = next ? q + (uint64_t)(next - sluice__at(s, q)) + 1 : at;
            }
        }
        if (m == SLUICE__YES) {
            unsigned part = parts(s, &s->text->items[item], at, false);
            bool ticks = s->text->items[item].text[0] == '`';
            if (ticks || part || s->calls >= s->set.max_calls) {
                sluice__read_ticks(s, unread, at);
                unread = at + 1;
            }
            if (part & SLUICE__BLOCK && s->text->items[item].role & SLUICE__ALONE) {
                run = run_end(s, &s->text->items[item], at);
                if (!run || sluice__minus(run, at) % s->text->items[item].len) {
                    if (!sluice__send(s, SLUICE_TEXT, at))
                        return SLUICE__NOMEM;
                    s->pos = at;
                    s->scan = run ? run : at;
                    if (!run)
                        return SLUICE__MORE;
                    continue;
                }
            }
            if (ticks && !part) { /* text so far */
                if (!sluice__pass_ticks(s, at, &s->scan)) {
                    if (!sluice__send(s, SLUICE_TEXT, at))
                        return SLUICE__NOMEM;
                    s->pos = s->scan = at;
                    return SLUICE__MORE;
                }
                unread = s->scan;
                continue;
            }
            if (part & (SLUICE__BLOCK | SLUICE__REASON | SLUICE__REASON_END)) {
                sluice__match quoted = sluice__in_code(s, at + s->text->items[item].len);
                if (quoted == SLUICE__WAIT) {
                    if (!sluice__send(s, SLUICE_TEXT, at))
                        return SLUICE__NOMEM;
                    s->pos = s->scan = at;
                    return SLUICE__MORE;
                }
                if (quoted == SLUICE__YES && !tell_quoted(s, at, part, &s->text->items[item]))
                    return SLUICE__NOMEM;
                if (quoted == SLUICE__YES)
                    part &= SLUICE__TURN_END | SLUICE__NOISE;
            }
            if (part & SLUICE__NOISE) {
                uint64_t upto;
                m = noise_upto(s, &s->text->items[item], at, &upto);
                if (m == SLUICE__WAIT) {
                    if (!sluice__send(s, SLUICE_TEXT, at))
                        return SLUICE__NOMEM;
                    s->pos = s->scan = at;
                    return SLUICE__MORE;
                }
                part &= m == SLUICE__NO ? ~(unsigned)SLUICE__NOISE : ~0u;
            }
            if (part)
                return in_text(s, at, item, part);
            if (!tell_call_limit(s, at, &s->text->items[item]))
                return SLUICE__NOMEM;
            if (s->text->items[item].role & SLUICE__REASON)
                s->reasoned = true; /* an opener that is text: so is its closer */
            s->scan = at + 1;
            continue;
        }
        sluice__read_ticks(s, unread, at);
        return pass_rest(s, SLUICE_TEXT, at, at, limit, end);
    }
}

/* Returns how many bytes before `upto` may be white space that a closer drops. */
uint64_t sluice__tail_of(const sluice_stream *s, uint64_t from, uint64_t upto, const char *trail) {
    size_t n = trail ? strlen(trail) : 0;
    for (size_t k = n; k > 0; k--) { /* the longest end of the text that is a start of `trail` */
        if (sluice__minus(upto, from) < k)
            continue;
        if (memcmp(sluice__at(s, upto - k), trail, k) == 0)
            return k + (sluice__minus(upto, from) > k && trail[0] == '\n' &&
                        *sluice__at(s, upto - k - 1) == '\r');
    }
    if (n && trail[0] == '\n' && upto > from && *sluice__at(s, upto - 1) == '\r')
        return 1;
    return 0;
}

/* Returns the end of the text before a closer that drops `trail`. */
uint64_t sluice__without_tail(const sluice_stream *s, uint64_t from, uint64_t upto,
                              const char *trail) {
    size_t n = trail ? strlen(trail) : 0;
    uint64_t at = upto;
    for (size_t k = n; k > 0; k--) {
        if (at == from || *sluice__at(s, at - 1) != trail[k - 1])
            return upto;
        at--;
        if (trail[k - 1] == '\n' && at > from && *sluice__at(s, at - 1) == '\r')
            at--;
    }
    return at;
}

/* Kept in one piece, like the scan of text. */
sluice__step sluice__step_reasoning(sluice_stream *s) {
    const sluice__format *f = s->format;
    const sluice__pair *pair = &f->pairs[s->pair];
    bool end = sluice__at_end(s);
    uint64_t limit = sluice__visible(s), at;
    size_t item;
    if (s->reasoning_begun) { /* drop `lead`; a second opener is markup */
        uint64_t q = s->scan > s->pos ? s->scan : s->pos, most = s->pos + s->set.limit_held;
        while (q < limit && q < most && sluice__is_space(*sluice__at(s, q)))
            q++;
        s->scan = q;
        if (q == limit && q < most && !end)
            return SLUICE__MORE;
        sluice__match m =
            q == limit || q == most ? SLUICE__NO : sluice__match_here(s, f->reasoning, q, &item);
        if (m == SLUICE__WAIT)
            return SLUICE__MORE;
        if (m == SLUICE__YES && f->reasoning->items[item].role & SLUICE__REASON) {
            s->pos = s->scan = q + f->reasoning->items[item].len;
            return sluice__told(sluice__gap(s, s->pos));
        }
        s->reasoning_begun = false;
        at = s->sent;
        for (const char *p = pair->lead; p && *p && at < q; p++, at++) {
            if (*sluice__at(s, at) == '\r' && *p == '\n')
                at++;
            if (at >= q || *sluice__at(s, at) != *p)
                break;
        }
        if (!sluice__gap(s, at))
            return SLUICE__NOMEM;
        s->pos = s->scan = at;
    }
    for (;;) {
        uint64_t from = s->scan;
        sluice__match m = sluice__find_from(s, f->reasoning, from, &s->no_literal, &at, &item);
        if (m == SLUICE__YES) {
            const sluice__marker *found = &f->reasoning->items[item];
            if (found->role & SLUICE__REASON_END) {
                uint64_t upto = sluice__without_tail(s, s->sent, at, pair->trail);
                if (!sluice__send(s, SLUICE_REASONING, upto))
                    return SLUICE__NOMEM;
                s->pos = s->scan = at + found->len;
                s->mode = SLUICE__IN_TEXT_MODE;
                s->leading_space = s->after_block = true;
                s->at_start = s->calls == 0;
                s->drop_after = f->pairs[found->role / SLUICE__PAIR % SLUICE__PAIRS].after;
                return sluice__told(sluice__gap(s, s->pos));
            }
            unsigned part =
                parts(s, found, at, false) & (SLUICE__BLOCK | SLUICE__TURN_END | SLUICE__NOISE);
            if (s->set.calls_in_reasoning == SLUICE__KEEP)
                part &= ~(unsigned)SLUICE__BLOCK;
            uint64_t behind = at + found->len;
            if (part & SLUICE__NOISE) {
                m = noise_upto(s, found, at, &behind);
                if (m == SLUICE__WAIT) {
                    if (!sluice__send(s, SLUICE_REASONING, at))
                        return SLUICE__NOMEM;
                    s->pos = s->scan = at;
                    return SLUICE__MORE;
                }
                part &= m == SLUICE__NO ? ~(unsigned)SLUICE__NOISE : ~0u;
            }
            if (part & SLUICE__BLOCK && found->role & SLUICE__ALONE) {
                uint64_t run = run_end(s, found, at);
                if (!run) {
                    if (!sluice__send(s, SLUICE_REASONING, at))
                        return SLUICE__NOMEM;
                    s->pos = s->scan = at;
                    return SLUICE__MORE;
                }
                if (sluice__minus(run, at) % found->len) {
                    s->scan = run;
                    continue;
                }
            }
            if (!part) {
                s->scan = at + 1;
                continue;
            }
            uint64_t upto =
                part & SLUICE__BLOCK ? at : sluice__without_tail(s, s->sent, at, pair->trail);
            if (!sluice__send(s, SLUICE_REASONING, upto))
                return SLUICE__NOMEM;
            s->pos = s->scan = at;
            if (part & SLUICE__BLOCK)
                return sluice__open_block(s, at, item);
            s->pos = s->scan = behind;
            return sluice__told(sluice__gap(s, s->pos));
        }
        uint64_t upto = end ? at : at - sluice__tail_of(s, s->sent, at, pair->trail);
        return pass_rest(s, SLUICE_REASONING, upto, at, limit, end);
    }
}
