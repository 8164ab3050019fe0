/* The stream options: their values, defaults and resolution. */
#include "program.h"
#include "utf8.h"

#include <stddef.h>

const sluice__settings sluice__default_settings = {.repairs = true,
                                                   .validation = true,
                                                   .max_calls = UINT32_MAX,
                                                   .limit_name = 256,
                                                   .limit_header = 4096,
                                                   .limit_value = 1 << 20,
                                                   .limit_held = 1 << 20,
                                                   .limit_depth = 128};

/* Returns the index of `value` in `names` (separated by '|'); -1 if it is not there. */
static int choice(const char *value, const char *names) {
    size_t n = strlen(value);
    for (int i = 0; *names; i++) {
        size_t k = strcspn(names, "|");
        if (k == n && memcmp(names, value, n) == 0)
            return i;
        names += k + (names[k] == '|');
    }
    return -1;
}

/* The options that are words: each becomes its number in the list, in one byte. */
#define WORD(OPTION, SETTING, NAMES)                                                               \
    {                                                                                              \
        offsetof(sluice_stream_options, OPTION), offsetof(sluice__settings, SETTING), NAMES,       \
            "the option '" #OPTION "' must be one of " NAMES                                       \
    }
static const struct {
    size_t from, to;
    const char *names, *wrong;
} words[] = {
    WORD(calls, whole, "streamed|whole"),
    WORD(start, start_reasoning, "text|reasoning"),
    WORD(calls_in_reasoning, calls_in_reasoning, "hold|call|text"),
    WORD(reasoning_opens, reasoning_opens, "line|start|anywhere"),
    WORD(fences, fences, "script|text|call"),
    WORD(unknown_tools, unknown_as_text, "forward|text"),
    WORD(types, types, "written|schema"),
    WORD(special, tokens, "text|tokens"),
};

static void limit(uint32_t *setting, size_t option) {
    *setting = option > UINT32_MAX ? UINT32_MAX : option ? (uint32_t)option : *setting;
}

const char *sluice__settings_from(const sluice__format *f, const sluice_stream_options *o,
                                  sluice__settings *set) {
    *set = f->defaults;
    if (!o)
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word;
        memcpy(&word, (const char *)o + words[i].from, sizeof word);
        int number = word ? choice(word, words[i].names) : 0;
        if (number < 0)
            return words[i].wrong;
        if (word)
            ((uint8_t *)set)[words[i].to] = (uint8_t)number;
    }
    if (o->start)
        set->start_text = !set->start_reasoning;
    set->source = o->source != 0;
    set->strict |= o->strict != 0;
    set->repairs &= !o->no_repairs && !o->strict;
    set->validation &= !o->no_validation;
    set->parameters = o->parameters != 0;
    set->markup = o->markup != 0;
    limit(&set->max_calls, o->max_calls);
    limit(&set->limit_name, o->limit_name);
    limit(&set->limit_header, o->limit_header);
    limit(&set->limit_value, o->limit_value);
    limit(&set->limit_held, o->limit_held);
    limit(&set->limit_depth, o->limit_depth);
    return o->limit_depth > JSON_DEPTH ? "the option 'limit_depth' must be at most 1024" : NULL;
}
