/* The index that cmake/index.c made of the embedded scripts. */
#include "scripts.h"

const char sluice_script_index[] = {
#include "embedded_index.h"
    0};
