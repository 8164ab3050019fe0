/* Strict JSON by a table: state and class of a byte give the next state, or something to do. */
#include "json.h"

#include <stddef.h>

enum { /* states; 0: nothing here is strict JSON, and what is not in the table is 0 */
       NOT_STRICT,
       VALUE,
       VALUE_OR_END,
       KEY_OR_END,
       KEY,
       COLON,
       AFTER,
       STRING,
       QUOTED,
       ESCAPE,
       HEX1,
       HEX2,
       HEX3,
       HEX4,
       NAME,
       NAME_ESCAPE,
       NAME_HEX1,
       NAME_HEX2,
       NAME_HEX3,
       NAME_HEX4,
       WORD,
       MINUS,
       ZERO,
       DIGITS,
       POINT,
       FRACTION,
       E_,
       E_SIGN,
       EXPONENT,
       STATES
};
enum { /* classes of bytes */
       OTHER,
       SPACE,
       QUOTE,
       BACKSLASH,
       OPENER,
       CLOSER,
       COMMA,
       COLON_,
       NOUGHT,
       DIGIT,
       MINUS_,
       PLUS,
       DOT,
       E_LETTER,
       U_LETTER,
       HEX_ESCAPE, /* b f */
       HEX,        /* a c d A-F without E */
       ESCAPED,    /* n r t */
       LETTER,
       SLASH,
       CONTROL,
       HIGH,
       CLASSES
};

#define TIMES_4(x) x, x, x, x
#define TIMES_8(x) TIMES_4(x), TIMES_4(x)
#define TIMES_32(x) TIMES_8(x), TIMES_8(x), TIMES_8(x), TIMES_8(x)
#define HIGH_HALF(x) TIMES_32(x), TIMES_32(x), TIMES_32(x), TIMES_32(x)

static const uint8_t class_of[256] = {TIMES_8(CONTROL),
                                      CONTROL,
                                      SPACE,
                                      SPACE,
                                      CONTROL,
                                      CONTROL,
                                      SPACE,
                                      CONTROL,
                                      CONTROL, /* 0 */
                                      TIMES_8(CONTROL),
                                      TIMES_8(CONTROL), /* 16 */
                                      SPACE,
                                      OTHER,
                                      QUOTE,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      PLUS,
                                      COMMA,
                                      MINUS_,
                                      DOT,
                                      SLASH,
                                      NOUGHT,
                                      TIMES_8(DIGIT),
                                      DIGIT,
                                      COLON_,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER,
                                      OTHER, /* 32 */
                                      OTHER,
                                      TIMES_4(HEX),
                                      E_LETTER,
                                      HEX,
                                      LETTER,
                                      TIMES_8(LETTER), /* @ A-O */
                                      TIMES_8(LETTER),
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      OPENER,
                                      BACKSLASH,
                                      CLOSER,
                                      OTHER,
                                      OTHER, /* P-_ */
                                      OTHER,
                                      HEX,
                                      HEX_ESCAPE,
                                      HEX,
                                      HEX,
                                      E_LETTER,
                                      HEX_ESCAPE,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      ESCAPED,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      ESCAPED,
                                      LETTER,
                                      ESCAPED,
                                      U_LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      LETTER,
                                      OPENER,
                                      OTHER,
                                      CLOSER,
                                      OTHER,
                                      OTHER, /* ` a-z */
                                      HIGH_HALF(HIGH)};

const uint8_t sluice__ends_plain[256] = {TIMES_32(1),
                                         0,
                                         0,
                                         1,
                                         0,
                                         TIMES_4(0),
                                         TIMES_8(0),
                                         TIMES_8(0),
                                         TIMES_8(0), /* 0-63 */
                                         TIMES_8(0),
                                         TIMES_8(0),
                                         TIMES_8(0),
                                         TIMES_4(0),
                                         1,
                                         0,
                                         0,
                                         0, /* 64-95 */
                                         TIMES_8(0),
                                         TIMES_8(0),
                                         TIMES_8(0),
                                         TIMES_4(0),
                                         0,
                                         0,
                                         0,
                                         1, /* 96-127 */
                                         HIGH_HALF(WHOLE_CHARACTERS)};

enum { /* what to do, above the states */
       ODD = 0,
       OPENS = STATES,
       CLOSES,
       COMES,
       STRING_BEGINS,
       STRING_ENDS,
       SCALAR_ENDS,
       SEQUENCE,
       LINE_BREAK
};

#define PLAIN(next)                                                                                \
    [OTHER] = next, [OPENER] = next, [CLOSER] = next, [COMMA] = next, [COLON_] = next,             \
    [NOUGHT] = next, [DIGIT] = next, [MINUS_] = next, [PLUS] = next, [DOT] = next,                 \
    [E_LETTER] = next, [U_LETTER] = next, [HEX_ESCAPE] = next, [HEX] = next, [ESCAPED] = next,     \
    [LETTER] = next, [SLASH] = next
#define ANY_HEX(next)                                                                              \
    [NOUGHT] = next, [DIGIT] = next, [HEX] = next, [HEX_ESCAPE] = next, [E_LETTER] = next
#define ESCAPES(next, hex)                                                                         \
    [QUOTE] = next, [BACKSLASH] = next, [SLASH] = next, [HEX_ESCAPE] = next, [ESCAPED] = next,     \
    [U_LETTER] = hex
#define BEGINS_VALUE                                                                               \
    [QUOTE] = STRING_BEGINS, [OPENER] = OPENS, [NOUGHT] = ZERO, [DIGIT] = DIGITS                   \
    , [MINUS_] = MINUS, [HEX_ESCAPE] = WORD, [ESCAPED] = WORD
#define ENDS(what) [SPACE] = what, [COMMA] = what, [CLOSER] = what
#define LETTERS                                                                                    \
    [HEX] = WORD, [HEX_ESCAPE] = WORD, [E_LETTER] = WORD, [U_LETTER] = WORD, [ESCAPED] = WORD,     \
    [LETTER] = WORD
static const uint8_t table[STATES][CLASSES] = {
    [VALUE] = {[SPACE] = VALUE, BEGINS_VALUE},
    [VALUE_OR_END] = {[SPACE] = VALUE_OR_END, BEGINS_VALUE, [CLOSER] = CLOSES},
    [KEY_OR_END] = {[SPACE] = KEY_OR_END, [QUOTE] = NAME, [CLOSER] = CLOSES},
    [KEY] = {[SPACE] = KEY, [QUOTE] = NAME},
    [COLON] = {[SPACE] = COLON, [COLON_] = VALUE},
    [AFTER] = {[SPACE] = AFTER, [COMMA] = COMES, [CLOSER] = CLOSES},
    [STRING] = {PLAIN(STRING), [QUOTE] = QUOTED, [BACKSLASH] = ESCAPE, [SPACE] = LINE_BREAK,
                [HIGH] = SEQUENCE},
    [QUOTED] = {[SPACE] = QUOTED, [COMMA] = STRING_ENDS, [CLOSER] = STRING_ENDS},
    [ESCAPE] = {ESCAPES(STRING, HEX1)},
    [HEX1] = {ANY_HEX(HEX2)},
    [HEX2] = {ANY_HEX(HEX3)},
    [HEX3] = {ANY_HEX(HEX4)},
    [HEX4] = {ANY_HEX(STRING)},
    [NAME] = {PLAIN(NAME), [QUOTE] = COLON, [BACKSLASH] = NAME_ESCAPE, [SPACE] = LINE_BREAK,
              [HIGH] = SEQUENCE},
    [NAME_ESCAPE] = {ESCAPES(NAME, NAME_HEX1)},
    [NAME_HEX1] = {ANY_HEX(NAME_HEX2)},
    [NAME_HEX2] = {ANY_HEX(NAME_HEX3)},
    [NAME_HEX3] = {ANY_HEX(NAME_HEX4)},
    [NAME_HEX4] = {ANY_HEX(NAME)},
    [WORD] = {LETTERS, ENDS(SCALAR_ENDS)},
    [MINUS] = {[NOUGHT] = ZERO, [DIGIT] = DIGITS},
    [ZERO] = {[DOT] = POINT, [E_LETTER] = E_, ENDS(SCALAR_ENDS)},
    [DIGITS] =
        {[NOUGHT] = DIGITS, [DIGIT] = DIGITS, [DOT] = POINT, [E_LETTER] = E_, ENDS(SCALAR_ENDS)},
    [POINT] = {[NOUGHT] = FRACTION, [DIGIT] = FRACTION},
    [FRACTION] = {[NOUGHT] = FRACTION, [DIGIT] = FRACTION, [E_LETTER] = E_, ENDS(SCALAR_ENDS)},
    [E_] = {[NOUGHT] = EXPONENT, [DIGIT] = EXPONENT, [PLUS] = E_SIGN, [MINUS_] = E_SIGN},
    [E_SIGN] = {[NOUGHT] = EXPONENT, [DIGIT] = EXPONENT},
    [EXPONENT] = {[NOUGHT] = EXPONENT, [DIGIT] = EXPONENT, ENDS(SCALAR_ENDS)},
};
static const uint8_t state_at[JSON_PLACES] = {VALUE, VALUE_OR_END, KEY_OR_END,
                                              AFTER, STRING,       NOT_STRICT};

void sluice__json_begin(json *j, bool python) {
    uint16_t limit = j->limit;
    memset(j, 0, offsetof(json, open));
    j->python = python;
    j->limit = limit ? limit : JSON_DEPTH;
}

void sluice__json_begin_arguments(json *j) {
    sluice__json_begin(j, true);
    j->arguments = true;
    json_push(j, '=');
    j->place = IN_EMPTY_OBJECT;
}

/* Is the word that ends at `end` one of JSON's? */
static bool known_word(const char *from, const char *end) {
    const char *p = end;
    while (p > from && p[-1] >= 'a' && p[-1] <= 'z')
        p--;
    view w = {p, end};
    return view_is(w, "true") || view_is(w, "null") || view_is(w, "false");
}

json_end sluice__json_read(json *j, view v, size_t *sure) {
    const char *p = v.p + j->ahead, *sent = v.p; /* sent: the sure point */
    unsigned state = j->ahead ? j->state : state_at[j->place];
    json_end end = JSON_MORE;
    if (j->place <= IN_EMPTY_OBJECT && json_top(j) == '=')
        state = NOT_STRICT;
    while (p < v.end) {
        if (state == STRING) { /* most bytes stand here */
            while (p < v.end && !sluice__ends_plain[(unsigned char)*p])
                p++;
            sent = p;
            if (p == v.end)
                break;
        }
        unsigned next = table[state][class_of[(unsigned char)*p]];
        if (next - 1u < STATES - 1u) {
            state = next;
            p++;
            if (state == STRING)
                sent = p; /* behind an escape */
            continue;
        }
        switch (next) {
        case OPENS:
            if (j->depth >= j->limit)
                goto odd;
            json_push(j, *p);
            j->place = *p == '[' ? IN_EMPTY_ARRAY : IN_EMPTY_OBJECT;
            state = state_at[j->place];
            sent = ++p;
            continue;
        case SCALAR_ENDS:
            if (state == WORD && !known_word(sent, p))
                goto odd;
            /* fall through */
        case STRING_ENDS:
            sent = p;
            j->kind = next == STRING_ENDS ? 's' : 'w';
            j->quote = '"';
            j->place = AFTER_VALUE;
            state = AFTER;
            if (!j->depth) {
                end = JSON_DONE;
                goto out;
            }
            continue; /* with the same byte */
        case CLOSES:
            if (json_top(j) != (*p == ']' ? '[' : '{'))
                goto odd;
            sent = ++p;
            j->kind = 'w';
            j->place = AFTER_VALUE;
            state = AFTER;
            if (--j->depth == 0) {
                end = JSON_DONE;
                goto out;
            }
            continue;
        case COMES:
            if (json_top(j) != '[' && json_top(j) != '{')
                goto odd;
            state = json_top(j) == '[' ? VALUE : KEY;
            p++;
            continue;
        case STRING_BEGINS:
            sent = ++p;
            j->place = IN_STRING;
            state = STRING;
            continue;
        case LINE_BREAK: /* a space is plain; its kin are not */
            if (*p != ' ')
                goto odd;
            p++;
            if (state == STRING)
                sent = p;
            continue;
        case SEQUENCE: {
            int n = utf8_len((view){p, v.end});
            if (n < 0)
                goto odd;
            if (n == 0)
                goto out;
            p += n;
            if (state == STRING)
                sent = p;
            continue;
        }
        }
    odd:
        end = JSON_ODD;
        break;
    }
out:
    *sure = (size_t)(sent - v.p);
    j->looked = j->looked > *sure ? j->looked - (uint32_t)*sure : 0;
    j->ahead = end == JSON_MORE ? (uint32_t)(p - sent) : 0;
    j->odd = end == JSON_ODD ? (uint32_t)(p - sent) : 0;
    j->state = (uint8_t)state;
    return end;
}

void sluice__json_closing(const json *j, out *o) {
    if (in_string(j))
        put(o, "\"", 1);
    for (unsigned i = j->depth; i-- > 0;)
        if (json_bracket(j, i) != 'g')
            put(o, strchr("[(", json_bracket(j, i)) ? "]" : "}", 1);
}
