/* Elements inside a parameter: built as a tree, and written as JSON. */
#include "stream.h"

bool sluice__tree_open(const sluice_stream *s) { (void)s; return false; }
bool sluice__tree_encloses(const sluice_stream *s, view key) { (void)s, (void)key; return false; }
void sluice__tree_release(sluice_stream *s) { (void)s; }
void sluice__tree_drop(sluice_stream *s) { (void)s; }
went sluice__tree_begin(sluice_stream *s, const sluice__elements *e) { (void)s, (void)e; return FAIL; }
bool sluice__tree_may_begin(const sluice_stream *s) { (void)s; return false; }
void sluice__tree_member(sluice_stream *s) { (void)s; }
void sluice__tree_add_leaf(sluice_stream *s, view text, bool cut) { (void)s, (void)text, (void)cut; }
void sluice__tree_add_built(sluice_stream *s) { (void)s; }
const out *sluice__tree_result(const sluice_stream *s) { (void)s; return NULL; }
went sluice__op_elements(sluice_stream *s, const sluice__ins *i) { (void)s, (void)i; return FAIL; }
