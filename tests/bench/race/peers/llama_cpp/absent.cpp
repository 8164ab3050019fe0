// What the chat parser takes from the rest of llama.cpp, which is not built here: a few functions on strings, and functions on models, which are
// never called, since the templates are given as texts.
#include "common.h"
#include "llama.h"

#include <cstdlib>

std::string string_join(const std::vector<std::string> & values, const std::string & separator) {
    std::string out;
    for (size_t i = 0; i < values.size(); i++) {
        out += (i ? separator : "") + values[i];
    }
    return out;
}

std::string string_repeat(const std::string & text, size_t n) {
    std::string out;
    while (n-- > 0) {
        out += text;
    }
    return out;
}

void string_replace_all(std::string & text, const std::string & search, const std::string & with) {
    for (size_t at = 0; !search.empty() && (at = text.find(search, at)) != std::string::npos; at += with.size()) {
        text.replace(at, search.size(), with);
    }
}

std::vector<std::string> string_split(const std::string & text, const std::string & delimiter) {
    std::vector<std::string> out;
    size_t                   from = 0;
    for (size_t at; (at = text.find(delimiter, from)) != std::string::npos; from = at + delimiter.size()) {
        out.push_back(text.substr(from, at - from));
    }
    out.push_back(text.substr(from));
    return out;
}

bool tty_can_use_colors() {
    return false;
}

std::string common_token_to_piece(const llama_vocab *, llama_token, bool) {
    abort();
}

std::vector<llama_token> common_tokenize(const llama_vocab *, const std::string &, bool, bool) {
    abort();
}

extern "C" {
void ggml_abort(const char *, int, const char *, ...) {
    abort();
}

int32_t llama_chat_apply_template(const char *, const llama_chat_message *, size_t, bool, char *, int32_t) {
    abort();
}

const char * llama_model_chat_template(const llama_model *, const char *) {
    abort();
}

const llama_vocab * llama_model_get_vocab(const llama_model *) {
    abort();
}

llama_token llama_vocab_bos(const llama_vocab *) {
    abort();
}

llama_token llama_vocab_eos(const llama_vocab *) {
    abort();
}

bool llama_vocab_get_add_bos(const llama_vocab *) {
    abort();
}

bool llama_vocab_get_add_eos(const llama_vocab *) {
    abort();
}
}
