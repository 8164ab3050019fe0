/* The value reader on the stream's window, shared by op.c, op_arguments.c, op_speech.c and
 * own_quotes.c. */
#ifndef SLUICE_READING_H
#define SLUICE_READING_H

#include "parts.h"

/* Prepares the stream's reader for the value at op.at. False if out of memory. */
bool sluice__begin_reader(sluice_stream *s, const sluice__sink *sink, uint32_t flags,
                          sluice__top top, const char *quote, size_t quote_len);
uint32_t sluice__as_set(const sluice_stream *s, uint32_t flags, size_t quote_len);
sluice__reading sluice__read_on(sluice_stream *s);

/* own_quotes.c: the same for a format with its own quotes */
sluice__reading sluice__read_own(sluice_stream *s);

/* Finds the literal of the format at p; `*end`: its end. `closers`: only one that may follow
 * arguments, or that ends more than them. */
sluice__match sluice__literal_at(sluice_stream *s, uint64_t p, bool closers, uint64_t *end);

#endif
