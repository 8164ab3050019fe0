/* Sources of scripts: the library itself, folders, memory. */
#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int checks, failures;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        checks++;                                                                                  \
        if (!(x)) {                                                                                \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #x,                            \
                    engine ? sluice_engine_error(engine) : "");                                    \
        }                                                                                          \
    } while (0)

static sluice_engine *engine;

/* Replaces the engine by one without syntaxes. */
static void renew(void) {
    sluice_engine_free(engine);
    engine = sluice_engine_new(NULL);
}

/* Returns whether `what` is in the JSON text of the list; if NULL, the number of loaded
 * syntaxes. */
static int listed(const char *what) {
    char *json;
    size_t len;
    if (sluice_list(engine, &json, &len) != SLUICE_OK)
        return -1;
    int count = 0;
    for (const char *p = json; (p = strstr(p, "\"name\": ")); p++)
        count++;
    int found = what && strstr(json, what);
    sluice_free(engine, json);
    return what ? found : count;
}

/* True if this syntax reads this text as one call of f. */
static int reads(const char *syntax, const char *text) {
    char *json;
    size_t len;
    if (sluice_parse(engine, syntax, NULL, NULL, text, strlen(text), &json, &len) != SLUICE_OK)
        return 0;
    int good = strstr(json, "\"name\": \"f\"") && strstr(json, "\"status\": \"complete\"");
    sluice_free(engine, json);
    return good;
}

static int load_text(const char *name, const char *text) {
    return sluice_engine_load_text(engine, name, text, strlen(text));
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static const char hermes_call[] = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";

#define HEAD "local s = require 'sluice.syntax'\nreturn s.syntax { api = 3, "
static const char other_hermes[] =
    HEAD "name = 'hermes', models = { 'Heard Of' },\n"
         "call = { '<<', s.json { name = 'name', args = 'arguments' }, '>>' } }";
static const char other_call[] = "<<{\"name\": \"f\", \"arguments\": {}}>>";

static void from_the_library(void) {
    renew();
    CHECK(listed(NULL) == 0);
    CHECK(!reads("hermes", hermes_call) && !reads("auto:hermes", hermes_call));
    CHECK(!reads("auto", hermes_call) && strstr(sluice_engine_error(engine), "is loaded"));
    CHECK(sluice_engine_load(engine, NULL) == SLUICE_OK);
    int all = listed(NULL);
    CHECK(all > 50);
    CHECK(reads("hermes", hermes_call));
    CHECK(sluice_engine_load(engine, NULL) == SLUICE_OK && listed(NULL) == all);
}

static void from_folders(const char *folder) {
    setenv("SLUICE_PATH", folder, 1);
    write_file(folder, "hermes.lua", other_hermes);
    renew();
    CHECK(sluice_engine_load(engine, NULL) == SLUICE_OK);
    CHECK(listed("Heard Of") && reads("hermes", other_call) && !reads("hermes", hermes_call));
    CHECK(listed(NULL) > 50);
    write_file(folder, "hermes.lua", "error 'cannot be read'");
    renew();
    CHECK(sluice_engine_load(engine, NULL) == SLUICE_E_SCRIPT);
    CHECK(strstr(sluice_engine_error(engine), "hermes.lua:1:"));
    CHECK(reads("hermes", hermes_call)); /* the library's own syntax stays */
    setenv("SLUICE_PATH", "/no/such/folder", 1);
    renew();
    CHECK(sluice_engine_load(engine, NULL) == SLUICE_E_NOT_FOUND);
    CHECK(strstr(sluice_engine_error(engine), "/no/such/folder") && listed(NULL) > 50);
    unsetenv("SLUICE_PATH");
    /* a file alone, with a parent from the library */
    char path[512];
    snprintf(path, sizeof path, "%s/hermes.lua", folder);
    remove(path);
    write_file(folder, "child.lua", "return inherit('hermes', { name = 'child' })");
    renew();
    snprintf(path, sizeof path, "%s/child.lua", folder);
    CHECK(sluice_engine_load(engine, path) == SLUICE_OK);
    CHECK(reads("child", hermes_call));
    remove(path);
}

static void from_memory(void) {
    renew();
    CHECK(load_text("mine", HEAD "name = 'mine', call = { '<<', s.json { name = 'name', "
                                 "args = 'arguments' }, '>>' } }") == SLUICE_OK);
    CHECK(listed(NULL) == 1 && reads("mine", other_call));
    CHECK(load_text("dialect", "return inherit('hermes', { name = 'dialect' })") == SLUICE_OK);
    CHECK(reads("dialect", hermes_call));
    CHECK(load_text("dialect", "return inherit('mine', { name = 'dialect' })") == SLUICE_OK);
    CHECK(reads("dialect", other_call));
    /* a changed parent changes its dialects */
    CHECK(load_text("mine", HEAD "name = 'mine', call = { '[[', s.json { name = 'name', "
                                 "args = 'arguments' }, ']]' } }") == SLUICE_OK);
    CHECK(reads("dialect", "[[{\"name\": \"f\", \"arguments\": {}}]]"));
    /* error messages name the script, and loaded syntaxes stay */
    CHECK(load_text("mine", "return absent.word") == SLUICE_E_SCRIPT);
    CHECK(strstr(sluice_engine_error(engine), "mine:1:"));
    CHECK(reads("dialect", "[[{\"name\": \"f\", \"arguments\": {}}]]"));
    CHECK(load_text("none", "return inherit('nobody', { name = 'none' })") == SLUICE_E_SCRIPT);
    CHECK(load_text("bytes", "\x1bLua") == SLUICE_E_SCRIPT);
    CHECK(sluice_engine_load_text(engine, "empty", NULL, 0) == SLUICE_E_SCRIPT);
    CHECK(sluice_engine_load_text(engine, NULL, "", 0) == SLUICE_E_ARGUMENT);
    CHECK(sluice_engine_load_text(NULL, "x", "", 0) == SLUICE_E_ARGUMENT);
    /* one that never ends costs no more than the rest of its response */
    CHECK(load_text("endless", HEAD "name = 'endless', call = { '<<', s.name(lpeg.Cmt(lpeg.C(1), "
                                    "function(_, i, name) while name == 'g' do end return i end)), "
                                    "'>>', s.args(), '<END>' } }") == SLUICE_OK);
    CHECK(reads("endless", "<<f>>{}<END><<g>>{}<END>"));
}

int main(void) {
    char folder[] = "/tmp/sluice-scripts-XXXXXX";
    unsetenv("SLUICE_PATH");
    from_the_library();
    from_memory();
    if (mkdtemp(folder)) {
        from_folders(folder);
        remove(folder);
    }
    sluice_engine_free(engine);
    printf("scripts: %d checks, %d failures\n", checks, failures);
    return failures != 0;
}
