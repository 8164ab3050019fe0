// llama.cpp: its chat parser, as its server uses it: the text so far is parsed after each chunk, and compared with what was sent.
// usage: race FOLDER_OF_TEMPLATES
#include "chat.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

using json = nlohmann::ordered_json;
using timer = std::chrono::steady_clock;

static const std::map<std::string, std::string> templates = {
    {"hermes", "Qwen-Qwen2.5-7B-Instruct.jinja"},     {"qwen3_coder", "Qwen3-Coder.jinja"},
    {"glm47", "GLM-4.7-Flash.jinja"},                 {"kimi_k2", "moonshotai-Kimi-K2.jinja"},
    {"llama3_json", "meta-llama-Llama-3.1-8B-Instruct.jinja"}, {"deepseek_v31", "deepseek-ai-DeepSeek-V3.1.jinja"},
};

// Microseconds of processor time so far: a loaded machine does not change it.
static double processor_time() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static json error(const std::string & text) {
    return json{{"error", text}};
}

static json run(const std::string & folder, const json & response) {
    auto found = templates.find(response["family"].get<std::string>());
    if (found == templates.end()) {
        return json{{"skip", true}};
    }
    std::ifstream file(folder + "/" + found->second);
    if (!file) {
        return error("there is no template " + found->second);
    }
    std::stringstream source;
    source << file.rdbuf();
    // what the server does once for a request: the template makes the prompt and the parser
    auto made = common_chat_templates_init(nullptr, source.str());
    common_chat_templates_inputs inputs;
    common_chat_msg              user;
    user.role           = "user";
    user.content        = "Hello.";
    inputs.messages     = {user};
    inputs.parallel_tool_calls = true;
    inputs.enable_thinking     = false;
    for (const auto & tool : response["tools"]) {
        const auto & f = tool["function"];
        inputs.tools.push_back({f["name"].get<std::string>(), f["description"].get<std::string>(), f["parameters"].dump()});
    }
    auto                      params = common_chat_templates_apply(made.get(), inputs);
    common_chat_parser_params parser(params);
    parser.parser.load(params.parser);

    auto            begin = timer::now();
    double          best  = 1e12;
    common_chat_msg message;
    do {
        double          start = processor_time();
        std::string     text;
        common_chat_msg sent;
        size_t          pieces = 0;
        for (const auto & chunk : response["chunks"]) {
            text += chunk.get_ref<const std::string &>();
            auto now = common_chat_parse(text, true, parser);
            if (!now.empty()) {
                pieces += common_chat_msg_diff::compute_diffs(sent, now).size();
                sent = now;
            }
        }
        message = common_chat_parse(text, false, parser);
        pieces += common_chat_msg_diff::compute_diffs(sent, message).size();
        best = std::min(best, processor_time() - start);
    } while (timer::now() - begin < std::chrono::milliseconds(200));
    json out = {{"us", best}, {"text", message.content}, {"calls", json::array()}};
    for (const auto & call : message.tool_calls) {
        out["calls"].push_back({{"name", call.name}, {"arguments", call.arguments}});
    }
    return out;
}

int main(int, char ** argv) {
    std::string line;
    while (std::getline(std::cin, line)) {
        json out;
        try {
            out = run(argv[1], json::parse(line));
        } catch (const std::exception & e) {
            out = error(e.what());
        }
        std::cout << out.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    }
}
