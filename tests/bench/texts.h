/* Texts for the benchmarks: written here, not read from files. */
#ifndef TEXTS_H
#define TEXTS_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Repeats `piece` until `n` bytes are filled; a last character may be cut. */
static inline size_t repeat(char *out, size_t n, const char *piece) {
    size_t k = strlen(piece);
    for (size_t i = 0; i < n; i++)
        out[i] = piece[i % k];
    return n;
}

/* Text without a call, dense with beginnings of markers. */
static const struct {
    const char *name, *piece;
} dense_texts[] = {
    {"html",
     "<table class=\"data\">\n  <thead>\n    <tr><th>Name</th><th>Total</th></tr>\n  </thead>\n"
     "  <tbody>\n    <tr><td><a href=\"/x?y=1&amp;z=2\">first</a></td><td>12.50</td></tr>\n"
     "    <tr><td><span class=\"t\">second</span></td><td><b>7</b></td></tr>\n  </tbody>\n"
     "</table>\n<div id=\"app\"><p>Some <em>text</em> in a <code>paragraph</code>.</p><br/>"
     "<input type=\"text\" name=\"q\"/></div>\n"},
    {"jsx",
     "export function Row({ item, onPick }) {\n  return (\n    <Tooltip title={item.name}>\n"
     "      <td onClick={() => onPick(item.id)} className={[\"row\", item.tone].join(\" \")}>"
     "{item.parts.map((p) => <Part key={p.id} {...p} />)}</td>\n    </Tooltip>\n  );\n}\n"},
    {"xml",
     "<?xml version=\"1.0\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title>\n"
     "<entry><id>urn:1</id><function name=\"f\"/><param>1</param><tool/><updated>2024-01-01"
     "</updated></entry>\n<entry><id>urn:2</id><arg_value/><think-tank/></entry></feed>\n"},
    {"spans",
     "<span class=\"k\">return</span> <span class=\"n\">x</span><span class=\"p\">;</span>\n"},
    {"svg", "<path d=\"M0 0h24v24H0z\" fill=\"none\"/><circle cx=\"12\" cy=\"12\" "
            "r=\"3\"/><g><rect/></g>\n"},
    {"cpp",
     "template <typename T, size_t N> std::array<std::pair<T, std::vector<T>>, N> f("
     "const std::map<std::string, T> &m) {\n  for (auto &[k, v] : m) if (v < N && k[0] << 2) "
     "std::cout << k << \" \" << v << '\\n';\n  return {};\n}\n"},
    {"table", "| name | kind | total |\n|------|:----:|------:|\n| `a|b` | [x](y) | 12 |\n"
              "| **c** | <br> | 7 |\n"},
};

/* Text of other scripts. */
static const struct {
    const char *name, *piece;
} wide_texts[] = {
    {"chinese", "这个函数从左到右读取列表，并保留到目前为止最大的元素；空列表返回空值。"},
    {"japanese", "この関数はリストを左から右へ読み、最大の要素を保持します。"},
    {"emoji", "😀🎉✨🚀👍🏽💡🔥📦🧪🎯"},
};

/* Elements of JSON arrays ('%' becomes a digit), and their schema: only types, or also keywords
 * that are checked while arguments are read. */
static const struct {
    const char *name, *piece, *schema;
} json_texts[] = {
    {"integers", "%, %%%, 1%%%%, -%%, 2%%%%%%, ", "{\"type\": \"integer\"}"},
    {"floats", "%.5, -%%.%%%%, 1.%%%e-%, %%%.0, ", "{\"type\": \"number\"}"},
    {"short strings", "\"a%\", \"bread\", \"\", \"Oslo %%\", ", "{\"type\": \"string\"}"},
    {"nested", "{\"a\": {\"b\": [{\"c\": [%, {\"d\": {}}]}]}}, [[[%], []]], ",
     "{\"type\": [\"object\", \"array\"], \"properties\": {\"a\": {\"type\": \"object\"}}, "
     "\"items\": {\"type\": \"array\"}}"},
    {"records",
     "{\"id\": 1%%%, \"name\": \"user%%\", \"tags\": [\"x\", \"y%\"], \"on\": true, \"rate\": "
     "%.25, \"note\": null},\n  ",
     "{\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"integer\"}, \"name\": "
     "{\"type\": "
     "\"string\"}, \"tags\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, \"on\": "
     "{\"type\": \"boolean\"}, \"rate\": {\"type\": \"number\"}, \"note\": {\"type\": [\"string\", "
     "\"null\"]}}, \"required\": [\"id\", \"name\"], \"additionalProperties\": false}"},
    {"escapes", "\"line %\\n\\tsays \\\"yes\\\" \\\\o/ \\u00e9\\n\", ", "{\"type\": \"string\"}"},
    {"choices", "\"red\", \"green\", \"blue\", \"blue\", ",
     "{\"type\": \"string\", \"enum\": [\"red\", \"green\", \"blue\"]}"},
    {"optional members",
     "{\"name\": \"user%%\", \"id\": 1%%%, \"note\": null, \"rate\": %.25},\n  ",
     "{\"type\": \"object\", \"properties\": {\"name\": {\"anyOf\": [{\"type\": \"string\"}, "
     "{\"type\": "
     "\"null\"}]}, \"id\": {\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"null\"}]}, \"note\": "
     "{\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"null\"}]}, \"rate\": {\"anyOf\": "
     "[{\"type\": "
     "\"number\"}, {\"type\": \"null\"}]}}, \"required\": [\"id\"]}"},
    {"bounded integers", "%, %%%, 1%%%%, %%, 2%%%%%%, ",
     "{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 100000000}"},
    {"patterns", "\"a%\", \"bread\", \"rice-%\", \"Oslo %%\", ",
     "{\"type\": \"string\", \"pattern\": \"^[A-Za-z]+([ -]?[0-9]*)$\"}"},
    {"utf8", "\"这个函数%从左到右读取列表，naïve 😀\", ", "{\"type\": \"string\"}"},
};

/* Makes a JSON array of these elements, about `n` bytes long. */
static inline size_t array_of(char *out, size_t n, const char *piece) {
    size_t len = 0, k = strlen(piece);
    unsigned seed = 1;
    out[len++] = '[';
    while (len + k + 2 < n)
        for (size_t i = 0; i < k; i++) {
            seed = seed * 1103515245u + 12345u;
            out[len++] = piece[i] == '%' ? (char)('1' + (seed >> 16) % 9) : piece[i];
        }
    while (out[len - 1] != ',')
        len--;
    out[len - 1] = ']';
    return len;
}

/* Returns the elements of this name, or NULL. */
static inline const char *piece_of(const char *name) {
    for (size_t i = 0; i < sizeof json_texts / sizeof *json_texts; i++)
        if (strcmp(name, json_texts[i].name) == 0)
            return json_texts[i].piece;
    return NULL;
}

/* Returns the schema of the elements of this name; else one that accepts everything. */
static inline const char *schema_of(const char *name) {
    for (size_t i = 0; i < sizeof json_texts / sizeof *json_texts; i++)
        if (strcmp(name, json_texts[i].name) == 0)
            return json_texts[i].schema;
    return "{}";
}

/* Returns the text of this name, or NULL. */
static inline const char *text_of(const char *name) {
    for (size_t i = 0; i < sizeof dense_texts / sizeof *dense_texts; i++)
        if (strcmp(name, dense_texts[i].name) == 0)
            return dense_texts[i].piece;
    for (size_t i = 0; i < sizeof wide_texts / sizeof *wide_texts; i++)
        if (strcmp(name, wide_texts[i].name) == 0)
            return wide_texts[i].piece;
    return NULL;
}

#endif
