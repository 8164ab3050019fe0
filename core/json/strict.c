/* Strict JSON by a table: state and class of a byte give the next state, or something to do. */
#include "json.h"

#include <stddef.h>

/* Further states; what is not in the table is 0, as in a lenient string. */
enum { KEY = IN_FULL_OBJECT + 1, COLON, ESCAPE, HEX1, HEX2, HEX3, HEX4, WORD };
enum { MINUS = WORD + 1, ZERO, DIGITS, POINT, FRACTION, E_, E_SIGN, EXPONENT, STATES };
/* The class of each byte, 32 of them a row: a byte of the class stands for all of it. 0 and 1:
 * digits; b: b and f; a: other hexadecimal digits; n: n, r and t; z: other letters; o: other signs;
 * c: control characters. Those above ASCII have the class 0: they stand only in strings. */
static const unsigned char class_of[256] = "ccccccccc  cc cccccccccccccccccc"
                                           " o\"oooooooo+,-./0111111111:ooooo"
                                           "oaaaaeazzzzzzzzzzzzzzzzzzzz{\\}oo"
                                           "oabaaebzzzzzzznzzznznuzzzzz{o}oo";

#define ROW(byte) byte byte byte byte byte byte byte byte byte byte byte byte byte byte byte byte
const uint8_t sluice__ends_plain[256] =                                /* 2: WHOLE_CHARACTERS */
    ROW("\1\1")                                                        /* control characters */
    "\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" /* " */
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0" /* \ */
    ROW("\0\0") ROW("\2\2") ROW("\2\2") ROW("\2\2") ROW("\2\2");

/* What to do, above the states; 0: it is odd. */
enum { OPENS = STATES, CLOSES, COMES, STRING_BEGINS, STRING_ENDS, SCALAR_ENDS };

#define ANY_HEX(next) ['0'] = next, ['1'] = next, ['a'] = next, ['b'] = next, ['e'] = next
#define ESCAPES(next, hex)                                                                         \
    ['"'] = next, ['\\'] = next, ['/'] = next, ['b'] = next, ['n'] = next, ['u'] = hex
#define BEGINS_VALUE                                                                               \
    ['"'] = STRING_BEGINS, ['{'] = OPENS, ['0'] = ZERO, ['1'] = DIGITS                             \
    , ['-'] = MINUS, ['b'] = WORD, ['n'] = WORD
#define ENDS(what) [' '] = what, [','] = what, ['}'] = what
#define LETTERS ['a'] = WORD, ['b'] = WORD, ['e'] = WORD, ['u'] = WORD, ['n'] = WORD, ['z'] = WORD
static const uint8_t table[STATES][128] = {
    [BEFORE_VALUE] = {[' '] = BEFORE_VALUE, BEGINS_VALUE},
    [IN_EMPTY_ARRAY] = {[' '] = IN_EMPTY_ARRAY, BEGINS_VALUE, ['}'] = CLOSES},
    [IN_EMPTY_OBJECT] = {[' '] = IN_EMPTY_OBJECT, ['"'] = IN_STRING, ['}'] = CLOSES},
    [KEY] = {[' '] = KEY, ['"'] = IN_STRING},
    [COLON] = {[' '] = COLON, [':'] = BEFORE_VALUE},
    [AFTER_VALUE] = {[' '] = AFTER_VALUE, [','] = COMES, ['}'] = CLOSES},
    [IN_STRING] = {['"'] = STRING_ENDS, ['\\'] = ESCAPE}, /* what is plain is passed over */
    [ESCAPE] = {ESCAPES(IN_STRING, HEX1)},
    [HEX1] = {ANY_HEX(HEX2)},
    [HEX2] = {ANY_HEX(HEX3)},
    [HEX3] = {ANY_HEX(HEX4)},
    [HEX4] = {ANY_HEX(IN_STRING)},
    [WORD] = {LETTERS, ENDS(SCALAR_ENDS)},
    [MINUS] = {['0'] = ZERO, ['1'] = DIGITS},
    [ZERO] = {['.'] = POINT, ['e'] = E_, ENDS(SCALAR_ENDS)},
    [DIGITS] = {['0'] = DIGITS, ['1'] = DIGITS, ['.'] = POINT, ['e'] = E_, ENDS(SCALAR_ENDS)},
    [POINT] = {['0'] = FRACTION, ['1'] = FRACTION},
    [FRACTION] = {['0'] = FRACTION, ['1'] = FRACTION, ['e'] = E_, ENDS(SCALAR_ENDS)},
    [E_] = {['0'] = EXPONENT, ['1'] = EXPONENT, ['+'] = E_SIGN, ['-'] = E_SIGN},
    [E_SIGN] = {['0'] = EXPONENT, ['1'] = EXPONENT},
    [EXPONENT] = {['0'] = EXPONENT, ['1'] = EXPONENT, ENDS(SCALAR_ENDS)},
};

void sluice__json_begin(json *j, bool python) {
    memset(j, 0, offsetof(json, open));
    j->place = BEFORE_VALUE;
    j->python = python;
    j->limit = j->limit ? j->limit : JSON_DEPTH;
}

void sluice__json_begin_inside(json *j, bool arguments) {
    j->arguments = arguments;
    json_push(j, '{');
    j->place = IN_EMPTY_OBJECT;
}

/* Is the word that ends at `end` one of JSON's? */
static bool known_word(const char *from, const char *end) {
    const char *p = end;
    while (p > from && is_word_byte(p[-1]))
        p--;
    view w = {p, end};
    return view_is(w, "true") || view_is(w, "null") || view_is(w, "false");
}

json_end sluice__json_read(json *j, view v, bool ends, size_t *sure) {
    const char *p = v.p + j->ahead, *sent = v.p; /* sent: the sure point */
    unsigned state = j->ahead ? j->state : j->place;
    json_end end = JSON_MORE;
    *sure = 0;
    if (j->place == AFTER_VALUE && !j->depth)
        return JSON_DONE;
    if (j->place <= IN_EMPTY_OBJECT && json_top(j) == '=')
        state = IN_LENIENT_STRING; /* nothing there is strict JSON */
    while (p < v.end) {
        if (state == IN_STRING) { /* most bytes stand here */
            int n;
            p = past_plain((view){p, v.end}, &n);
            sent = j->place == IN_STRING ? p : sent; /* else it is a key */
            if (p == v.end || n == 0)
                break;
        }
        unsigned next = table[state][class_of[(unsigned char)*p]];
        if (next - 1u < STATES - 1u) {
            state = next;
            p++;
            if (state == j->place)
                sent = p; /* behind an escape, or white space */
            continue;
        }
        uint8_t place = AFTER_VALUE;
        switch (next) {
        case OPENS:
            if (j->depth >= j->limit)
                goto odd;
            json_push(j, *p);
            place = *p++ == '[' ? IN_EMPTY_ARRAY : IN_EMPTY_OBJECT;
            break;
        case STRING_BEGINS:
            p++;
            j->quote = "\"";
            place = IN_STRING;
            break;
        case COMES:
            if (json_top(j) != '[' && json_top(j) != '{')
                goto odd;
            state = json_top(j) == '[' ? BEFORE_VALUE : KEY;
            p++;
            continue;
        case STRING_ENDS:
            p++;
            if (j->place == IN_STRING)
                break;
            state = COLON;
            continue;
        case SCALAR_ENDS: /* and the same byte again */
            if (state == WORD && !known_word(sent, p))
                goto odd;
            break;
        case CLOSES:
            if (json_top(j) != (*p == ']' ? '[' : '{'))
                goto odd;
            p++;
            j->depth--;
            break;
        default:
        odd:
            end = JSON_ODD;
            goto out;
        }
        sent = p; /* a value begins, or ends */
        state = j->place = place;
        if (place == AFTER_VALUE && !j->depth) {
            end = JSON_DONE;
            break;
        }
    }
    if (end == JSON_MORE && ends && !j->depth && p == v.end && table[state][' '] == SCALAR_ENDS &&
        (state != WORD || known_word(sent, p))) {
        sent = p;
        state = j->place = AFTER_VALUE;
        end = JSON_DONE;
    }
out:
    *sure = (size_t)(sent - v.p);
    j->ahead = (uint32_t)(p - sent);
    j->state = (uint8_t)state;
    return end;
}

void sluice__json_closing(const json *j, out *o) {
    if (in_string(j))
        put(o, "\"", 1);
    for (unsigned i = j->depth; i-- > 0;)
        put(o, strchr("[(g", json_bracket(j, i)) ? "]" : "}", 1);
}
