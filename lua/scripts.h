/* The index of the embedded scripts. */
#ifndef SLUICE_SCRIPTS_H
#define SLUICE_SCRIPTS_H

/* What `auto` needs of each script until it is chosen: a line of JSON each. Defined in index.c; in
 * cmake/index.c, which makes it, it is empty. */
extern const char sluice_script_index[];

#endif
