/* Error codes of events. */
#include "codes.h"

#include <string.h>

static const char *const codes[] = {
#define X(name) #name,
    SLUICE__CODES(X)
#undef X
};

const char *sluice__code(const char *name) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i], name) == 0)
            return codes[i];
    return NULL;
}
