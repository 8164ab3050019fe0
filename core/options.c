/* The stream options: their values, defaults and resolution. */
#include "program.h"
#include "utf8.h"

void sluice__settings_default(sluice__settings *set) {
    memset(set, 0, sizeof *set);
    set->repairs = true;
    set->validation = true;
    set->max_calls = SIZE_MAX;
    set->limit_name = 256;
    set->limit_header = 4096;
    set->limit_value = 1 << 20;
    set->limit_held = 1 << 20;
    set->limit_depth = 128;
}

/* Returns the index of `value` in `names` (separated by '|'); -1 if it is not there. */
static int choice(const char *value, const char *names) {
    size_t n = strlen(value);
    for (int i = 0;; i++) {
        size_t k = strcspn(names, "|");
        if (k == n && memcmp(names, value, n) == 0)
            return i;
        if (!names[k])
            return -1;
        names += k + 1;
    }
}

const char *sluice__settings_from(const sluice__format *f, const sluice_stream_options *o,
                                  sluice__settings *set) {
    int c;
    *set = f->defaults;
    if (!o)
        return NULL;
    if (o->calls) {
        if ((c = choice(o->calls, "streamed|whole")) < 0)
            return "the option 'calls' must be \"streamed\" or \"whole\"";
        set->whole = c == 1;
    }
    if (o->start) {
        if ((c = choice(o->start, "text|reasoning")) < 0)
            return "the option 'start' must be \"text\" or \"reasoning\"";
        set->start_reasoning = c == 1;
        set->start_text = c == 0;
    }
    if (o->calls_in_reasoning) {
        if ((c = choice(o->calls_in_reasoning, "hold|call|text")) < 0)
            return "the option 'calls_in_reasoning' must be \"hold\", \"call\" or \"text\"";
        set->calls_in_reasoning = (uint8_t)c;
    }
    if (o->reasoning_opens) {
        if ((c = choice(o->reasoning_opens, "line|start|anywhere")) < 0)
            return "the option 'reasoning_opens' must be \"line\", \"start\" or \"anywhere\"";
        set->reasoning_opens = (uint8_t)c;
    }
    if (o->fences) {
        if ((c = choice(o->fences, "script|text|call")) < 0)
            return "the option 'fences' must be \"script\", \"text\" or \"call\"";
        set->fences = (uint8_t)c;
    }
    if (o->unknown_tools) {
        if ((c = choice(o->unknown_tools, "forward|text")) < 0)
            return "the option 'unknown_tools' must be \"forward\" or \"text\"";
        set->unknown_as_text = c == 1;
    }
    if (o->types) {
        if ((c = choice(o->types, "written|schema")) < 0)
            return "the option 'types' must be \"written\" or \"schema\"";
        set->types = c == 1;
    }
    if (o->special) {
        if ((c = choice(o->special, "text|tokens")) < 0)
            return "the option 'special' must be \"text\" or \"tokens\"";
        set->tokens = c == 1;
    }
    set->source = o->source != 0;
    set->strict |= o->strict != 0;
    if (o->no_repairs || o->strict)
        set->repairs = false;
    if (o->no_validation)
        set->validation = false;
    set->parameters = o->parameters != 0;
    set->markup = o->markup != 0;
    if (o->max_calls)
        set->max_calls = o->max_calls;
    if (o->limit_name)
        set->limit_name = o->limit_name;
    if (o->limit_header)
        set->limit_header = o->limit_header;
    if (o->limit_value)
        set->limit_value = o->limit_value;
    if (o->limit_held)
        set->limit_held = o->limit_held;
    if (o->limit_depth)
        set->limit_depth = o->limit_depth;
    return NULL;
}
