/*
 * The extension module sluice._sluice: engines, tools, streams and events over the public header.
 *
 * Threads: an engine belongs to one thread at a time. Most calls keep the GIL, which ensures that.
 * Long calls release it; `busy` then marks the engine as in use, and other threads wait for its
 * lock. Everything else (one engine per thread, names of models, JSON) is Python.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pythread.h>
#include <structmember.h>

#include <lua/engine.h> /* the public functions, and those for hosts that are built with the library */
#include <stdlib.h>
#include <string.h>

static PyTypeObject *event_type, *stream_type, *tools_type;
static PyObject *type_names[8], *status_names[3];

/* ---- Engine ------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD sluice_engine *engine;
    PyThread_type_lock lock;
    int busy; /* in use by a thread that has released the GIL */
} Engine;

/* Waits until no other thread uses the engine. The GIL is held before and after. */
static void enter(Engine *e) {
    while (e->busy) {
        Py_BEGIN_ALLOW_THREADS;
        PyThread_acquire_lock(e->lock, WAIT_LOCK);
        PyThread_release_lock(e->lock);
        Py_END_ALLOW_THREADS;
    }
}

/* Releases the GIL for a long call on the engine; `give_back` takes it again. */
static PyThreadState *release_gil(Engine *e) {
    enter(e);
    e->busy = 1;
    PyThread_acquire_lock(e->lock, WAIT_LOCK);
    return PyEval_SaveThread();
}

static void give_back(Engine *e, PyThreadState *state) {
    PyEval_RestoreThread(state);
    e->busy = 0;
    PyThread_release_lock(e->lock);
}

/* Raises the exception for a code, with the engine's message or, if it has none, `otherwise`. Its
 * class is that of the running interpreter: each has its own. */
static PyObject *fail(Engine *e, int code, const char *otherwise) {
    const char *message = e ? sluice_engine_error(e->engine) : "";
    message = *message ? message : otherwise;
    PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    PyObject *errors = text ? PyImport_ImportModule("sluice._errors") : NULL;
    if (errors)
        Py_XDECREF(PyObject_CallMethod(errors, "raise_error", "iO", code, text));
    Py_XDECREF(errors);
    Py_XDECREF(text);
    return NULL;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    static char *names[] = {"script_memory", "script_instructions", NULL};
    Py_ssize_t memory = 0;
    unsigned long long instructions = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|nK", names, &memory, &instructions))
        return NULL;
    Engine *e = (Engine *)PyType_GenericAlloc(type, 0);
    if (!e)
        return NULL;
    sluice_engine_options options = {.script_memory = (size_t)memory,
                                     .script_instructions = instructions};
    e->lock = PyThread_allocate_lock();
    e->engine = e->lock ? sluice_engine_new(&options) : NULL;
    if (!e->engine) {
        Py_DECREF(e);
        return PyErr_NoMemory();
    }
    return (PyObject *)e;
}

static void engine_dealloc(PyObject *self) {
    Engine *e = (Engine *)self;
    PyTypeObject *type = Py_TYPE(self);
    sluice_engine_free(e->engine);
    if (e->lock)
        PyThread_free_lock(e->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *engine_load(PyObject *self, PyObject *args) {
    Engine *e = (Engine *)self;
    const char *path;
    if (!PyArg_ParseTuple(args, "z", &path))
        return NULL;
    PyThreadState *state = release_gil(e);
    int code = sluice_engine_load(e->engine, path);
    give_back(e, state);
    if (code != SLUICE_OK)
        return fail(e, code, "the script cannot be loaded");
    Py_RETURN_NONE;
}

/* Converts the output of sluice_render and similar functions to a str. Frees it. */
static PyObject *handed_out(Engine *e, int code, char *out, size_t len) {
    if (code != SLUICE_OK)
        return fail(e, code, "the call failed");
    PyObject *text = PyUnicode_DecodeUTF8(out, (Py_ssize_t)len, "replace");
    sluice_free(e->engine, out);
    return text;
}

/* ---- Tools -------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD Engine *engine;
    sluice_tools *tools;
} Tools;

static void tools_dealloc(PyObject *self) {
    Tools *t = (Tools *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (t->engine) {
        enter(t->engine);
        sluice_tools_free(t->tools);
        Py_DECREF(t->engine);
    }
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *engine_tools(PyObject *self, PyObject *args) {
    Engine *e = (Engine *)self;
    const char *json;
    Py_ssize_t len;
    if (!PyArg_ParseTuple(args, "s#", &json, &len))
        return NULL;
    Tools *t = (Tools *)PyType_GenericAlloc(tools_type, 0);
    if (!t)
        return NULL;
    enter(e);
    t->tools = sluice_tools_new(e->engine, json, (size_t)len);
    if (!t->tools) {
        Py_DECREF(t);
        return fail(e, SLUICE_E_JSON, "the tools are not valid JSON");
    }
    Py_INCREF(e);
    t->engine = e;
    return (PyObject *)t;
}

/* Gets the tools of an argument that may be None. False: it raised. */
static int tools_of(Engine *e, PyObject *value, sluice_tools **tools) {
    *tools = NULL;
    if (!value || value == Py_None)
        return 1;
    if (!PyObject_TypeCheck(value, tools_type) || ((Tools *)value)->engine != e) {
        PyErr_SetString(PyExc_TypeError, "expected Tools of this engine, or None");
        return 0;
    }
    *tools = ((Tools *)value)->tools;
    return 1;
}

/* ---- The other directions ----------------------------------------------------------------- */

/* write(syntax, tools, target, options): a grammar; without a target the prompt */
static PyObject *engine_write(PyObject *self, PyObject *args) {
    Engine *e = (Engine *)self;
    const char *syntax, *target, *options;
    PyObject *given;
    sluice_tools *tools;
    char *out = NULL;
    size_t len = 0;
    if (!PyArg_ParseTuple(args, "sOzz", &syntax, &given, &target, &options) ||
        !tools_of(e, given, &tools))
        return NULL;
    PyThreadState *state = release_gil(e);
    int code = target ? sluice_grammar(e->engine, syntax, tools, target, options, &out, &len)
                      : sluice_prompt(e->engine, syntax, tools, options, &out, &len);
    give_back(e, state);
    return handed_out(e, code, out, len);
}

static PyObject *engine_tool(PyObject *self, PyObject *args) {
    Engine *e = (Engine *)self;
    const char *name, *argument;
    char *out = NULL;
    size_t len = 0;
    if (!PyArg_ParseTuple(args, "ss", &name, &argument))
        return NULL;
    PyThreadState *state = release_gil(e);
    int code = sluice_engine_ask(e->engine, name, argument, &out, &len);
    give_back(e, state);
    return handed_out(e, code, out, len);
}

/* ---- Events ------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD PyObject *type, *text, *message, *index, *name, *id, *key, *extra, *status,
        *valid, *code, *syntax, *block_start, *source;
    unsigned long long start, end;
} Event;

#define FIELD(name, doc)                                                                           \
    { #name, T_OBJECT, offsetof(Event, name), READONLY, doc }
static PyMemberDef event_members[] = {
    FIELD(type, "\"text\", \"reasoning\", \"call_begin\", \"arguments\", \"parameter\", "
                "\"call_end\", \"markup\" or \"error\""),
    {"start", T_ULONGLONG, offsetof(Event, start), READONLY, "first byte of the response, from 0"},
    {"end", T_ULONGLONG, offsetof(Event, end), READONLY, "byte after the last one"},
    FIELD(text, "the fragment"),
    FIELD(index, "the call, from 0"),
    FIELD(id, "the call's id"),
    FIELD(name, "the call's name"),
    FIELD(key, "the parameter's key"),
    FIELD(status, "\"complete\", \"recovered\" or \"incomplete\""),
    FIELD(valid, "whether the call may be run without asking; None without tools"),
    FIELD(extra, "further data besides name, id and arguments: JSON text of an object"),
    FIELD(code, "the error's code"),
    FIELD(message, "the error's message"),
    FIELD(syntax, "of call_begin with \"auto\": the syntax of the call"),
    FIELD(block_start, "of call_end: start of the call's bytes, which end at `end`"),
    FIELD(source, "of call_end, with the option `source`: these bytes, as the model wrote them"),
    {NULL, 0, 0, 0, NULL},
};
#undef FIELD

static void event_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    for (PyMemberDef *m = event_members; m->name; m++)
        if (m->type == T_OBJECT)
            Py_XDECREF(*(PyObject **)((char *)self + m->offset));
    PyObject_Free(self);
    Py_DECREF(type);
}

/* to_dict(): the members that apply, in the order of the command's JSON Lines. */
static PyObject *event_to_dict(PyObject *self, PyObject *none) {
    (void)none;
    PyObject *d = PyDict_New();
    for (PyMemberDef *m = event_members; d && m->name; m++) {
        if (strcmp(m->name, "block_start") == 0)
            continue;
        PyObject *value = PyObject_GetAttrString(self, m->name);
        int bad = !value || (value != Py_None && PyDict_SetItemString(d, m->name, value) < 0);
        Py_XDECREF(value);
        if (bad)
            Py_CLEAR(d);
    }
    return d;
}

static PyObject *event_repr(PyObject *self) {
    PyObject *d = event_to_dict(self, NULL);
    PyObject *text = d ? PyUnicode_FromFormat("Event(%R)", d) : NULL;
    Py_XDECREF(d);
    return text;
}

static PyMethodDef event_methods[] = {
    {"to_dict", event_to_dict, METH_NOARGS,
     "to_dict($self, /)\n--\n\nReturns the members that apply, as a dict."},
    {NULL, NULL, 0, NULL},
};

static PyObject *shared(PyObject *value) {
    Py_INCREF(value);
    return value;
}

static int set_string(PyObject **field, const char *s) {
    if (!s)
        return 1;
    *field = PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace");
    return *field != NULL;
}

/* An Event of a C event, or NULL if out of memory. */
static PyObject *make_event(const sluice_event *from) {
    Event *v = PyObject_New(Event, event_type);
    if (!v)
        return NULL;
    memset((char *)v + sizeof(PyObject), 0, sizeof *v - sizeof(PyObject));
    v->type = shared(type_names[from->type]);
    v->start = from->start;
    v->end = from->end;
    int good = 1;
    if (from->text) {
        PyObject *text = PyUnicode_DecodeUTF8(from->text, (Py_ssize_t)from->text_len, "replace");
        good = text != NULL;
        *(from->type == SLUICE_ERROR ? &v->message : &v->text) = text;
    }
    switch (from->type) {
    case SLUICE_TEXT:
    case SLUICE_REASONING:
    case SLUICE_MARKUP:
        break;
    case SLUICE_CALL_END:
        v->status = shared(status_names[from->status]);
        v->valid = from->no_tools ? NULL : shared(from->valid ? Py_True : Py_False);
        good = (v->block_start = PyLong_FromUnsignedLongLong(from->block_start)) != NULL;
        if (good && from->source)
            good = (v->source = PyUnicode_DecodeUTF8(from->source, (Py_ssize_t)from->source_len,
                                                     "replace")) != NULL;
        /* fall through */
    default:
        good = good && set_string(&v->name, from->name) && set_string(&v->id, from->id) &&
               set_string(&v->key, from->key) && set_string(&v->extra, from->extra) &&
               set_string(&v->code, from->code) && set_string(&v->syntax, from->syntax);
        if (good && from->index != SIZE_MAX)
            good = (v->index = PyLong_FromSize_t(from->index)) != NULL;
    }
    if (!good) {
        Py_DECREF(v);
        return NULL;
    }
    return (PyObject *)v;
}

/* ---- Streams ------------------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD Engine *engine;
    sluice_stream *stream;
    PyObject *half; /* a waiting first half of a surrogate pair, which ended a str; or NULL */
} Stream;

static PyTypeObject *engine_type, *stream_type;

/* Stream(engine, syntax, tools, options): `options` is JSON text, or None */
static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *engine, *given;
    const char *syntax, *json;
    sluice_tools *tools;
    sluice_stream_options options;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!sOz", engine_type, &engine, &syntax, &given, &json) ||
        !tools_of((Engine *)engine, given, &tools))
        return NULL;
    Engine *e = (Engine *)engine;
    Stream *s = (Stream *)PyType_GenericAlloc(type, 0);
    if (!s)
        return NULL;
    enter(e);
    if (sluice_engine_stream_options(e->engine, json, &options) == SLUICE_OK)
        s->stream = sluice_stream_new(e->engine, syntax, tools, &options);
    if (!s->stream) {
        Py_DECREF(s);
        return fail(e, sluice_engine_code(e->engine), "not enough memory");
    }
    Py_INCREF(e);
    s->engine = e;
    return (PyObject *)s;
}

/* wire(syntax, tools, options, from, to, model, body): the whole body in the other format. */
static PyObject *engine_wire(PyObject *self, PyObject *args) {
    Engine *e = (Engine *)self;
    const char *syntax, *json, *from, *to, *model, *body, *out;
    Py_ssize_t n;
    size_t len;
    PyObject *given, *result = NULL;
    sluice_stream_options options;
    sluice_tools *tools;
    if (!PyArg_ParseTuple(args, "sOzsszs#", &syntax, &given, &json, &from, &to, &model, &body,
                          &n) ||
        !tools_of(e, given, &tools))
        return NULL;
    enter(e);
    sluice_wire *wire = NULL;
    if (sluice_engine_stream_options(e->engine, json, &options) == SLUICE_OK)
        wire = sluice_wire_new(e->engine, syntax, tools, &options, from, to, model);
    if (!wire)
        return fail(e, sluice_engine_code(e->engine), "not enough memory");
    int code = sluice_wire_feed(wire, body, (size_t)n, &out, &len);
    result = code ? NULL : PyBytes_FromStringAndSize(out, (Py_ssize_t)len);
    if (result && !(code = sluice_wire_finish(wire, &out, &len)))
        PyBytes_ConcatAndDel(&result, PyBytes_FromStringAndSize(out, (Py_ssize_t)len));
    if (code) {
        Py_CLEAR(result);
        fail(e, code, "not enough memory");
    }
    sluice_wire_free(wire);
    return result;
}

static void stream_dealloc(PyObject *self) {
    Stream *s = (Stream *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (s->engine) {
        enter(s->engine);
        sluice_stream_free(s->stream);
        Py_DECREF(s->engine);
    }
    Py_XDECREF(s->half);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Appends all events that are ready to the list. */
static PyObject *drain(Stream *s, PyObject *list) {
    sluice_event event;
    while (list && sluice_stream_next(s->stream, &event) == SLUICE_EVENT) {
        PyObject *made = make_event(&event);
        if (!made || PyList_Append(list, made) < 0)
            Py_CLEAR(list);
        Py_XDECREF(made);
    }
    return list;
}

/* Converts a str with surrogates to bytes, after a waiting half: two halves of a pair become their
 * character, a half at the end waits for the next str, any other is one invalid byte. */
static PyObject *joined(Stream *s, PyObject *str) {
    PyObject *whole = s->half ? PyUnicode_Concat(s->half, str) : shared(str);
    Py_CLEAR(s->half);
    Py_ssize_t n = whole ? PyUnicode_GetLength(whole) : 0;
    Py_UCS4 last = n ? PyUnicode_ReadChar(whole, n - 1) : 0;
    if (last >= 0xd800 && last <= 0xdbff) {
        PyObject *before = PyUnicode_Substring(whole, 0, n - 1);
        s->half = PyUnicode_Substring(whole, n - 1, n);
        Py_DECREF(whole);
        whole = s->half ? before : NULL;
        if (!whole)
            Py_XDECREF(before);
    }
    PyObject *wide = whole ? PyUnicode_AsEncodedString(whole, "utf-16-le", "surrogatepass") : NULL;
    PyObject *good = wide ? PyUnicode_Decode(PyBytes_AsString(wide), PyBytes_Size(wide),
                                             "utf-16-le", "surrogatepass")
                          : NULL;
    for (Py_ssize_t i = good ? PyUnicode_GetLength(good) : 0; i-- > 0;)
        if (PyUnicode_ReadChar(good, i) >> 11 == 0xd800 >> 11)
            PyUnicode_WriteChar(good, i, 0xdcff); /* which escapes the byte FF */
    PyObject *bytes = good ? PyUnicode_AsEncodedString(good, "utf-8", "surrogateescape") : NULL;
    Py_XDECREF(whole);
    Py_XDECREF(wide);
    Py_XDECREF(good);
    return bytes;
}

/* Returns the argument of feed as bytes, a new reference. */
static PyObject *bytes_of(Stream *s, PyObject *data) {
    if (PyBytes_Check(data))
        return shared(data);
    if (PyUnicode_Check(data)) {
        PyObject *bytes = s->half ? NULL : PyUnicode_AsUTF8String(data);
        if (bytes || (!s->half && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)))
            return bytes;
        PyErr_Clear();
        return joined(s, data);
    }
    PyObject *view = PyMemoryView_FromObject(data);
    if (!view) {
        if (PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "a chunk must be a str or bytes, not %R", Py_TYPE(data));
        return NULL;
    }
    PyObject *bytes = PyBytes_FromObject(view);
    Py_DECREF(view);
    return bytes;
}

static PyObject *feed_bytes(Stream *s, PyObject *data, int special) {
    PyObject *bytes = bytes_of(s, data);
    if (!bytes)
        return NULL;
    const char *p = PyBytes_AsString(bytes);
    size_t n = (size_t)PyBytes_Size(bytes);
    enter(s->engine);
    int code =
        special ? sluice_stream_feed_special(s->stream, p, n) : sluice_stream_feed(s->stream, p, n);
    PyObject *list = code == SLUICE_OK ? drain(s, PyList_New(0)) : NULL;
    Py_DECREF(bytes);
    return code == SLUICE_OK
               ? list
               : fail(NULL, code, "the stream is finished: reset it before you feed it again");
}

/* Returns the events of a waiting half of a pair, if nothing continues it; NULL: it raised. */
static PyObject *feed_half(Stream *s) {
    if (!s->half)
        return PyList_New(0);
    Py_CLEAR(s->half);
    PyObject *bytes = PyBytes_FromString("\xff");
    PyObject *list = bytes ? feed_bytes(s, bytes, 0) : NULL;
    Py_XDECREF(bytes);
    return list;
}

static PyObject *feed(Stream *s, PyObject *data, int special) {
    if (!s->half || (PyUnicode_Check(data) && !special))
        return feed_bytes(s, data, special);
    PyObject *list = feed_half(s);
    PyObject *more = list ? feed_bytes(s, data, special) : NULL;
    PyObject *all = more ? PySequence_Concat(list, more) : NULL;
    Py_XDECREF(list);
    Py_XDECREF(more);
    return all;
}

static PyObject *stream_feed(PyObject *self, PyObject *data) {
    return data == Py_None ? PyList_New(0) : feed((Stream *)self, data, 0);
}

static PyObject *stream_finish(PyObject *self, PyObject *none) {
    (void)none;
    Stream *s = (Stream *)self;
    PyObject *list = feed_half(s);
    if (!list)
        return NULL;
    enter(s->engine);
    int code = sluice_stream_finish(s->stream);
    if (code == SLUICE_OK)
        return drain(s, list);
    Py_DECREF(list);
    return fail(NULL, code, "the stream is already finished");
}

/* reset([other]): each goes on in the place of the other */
static PyObject *stream_reset(PyObject *self, PyObject *args) {
    Stream *s = (Stream *)self, *other = s, kept = *s;
    if (!PyArg_ParseTuple(args, "|O!", stream_type, &other))
        return NULL;
    s->engine = other->engine, s->stream = other->stream;
    other->engine = kept.engine, other->stream = kept.stream;
    Py_CLEAR(s->half);
    enter(s->engine);
    int code = sluice_stream_reset(s->stream);
    if (code != SLUICE_OK)
        return fail(s->engine, code, "the stream cannot be reset");
    return shared(self);
}

static PyObject *stream_state(PyObject *self, PyObject *none) {
    static const char *const states[] = {"text", "reasoning", "possible_block", "call"};
    (void)none;
    Stream *s = (Stream *)self;
    const char *name = NULL;
    size_t held = 0;
    enter(s->engine);
    sluice_state state = sluice_stream_state(s->stream, &name, &held);
    return Py_BuildValue("(szn)", states[state], name, (Py_ssize_t)held);
}

static PyObject *stream_feed_special(PyObject *self, PyObject *data) {
    return feed((Stream *)self, data, 1);
}

static PyObject *stream_closing(PyObject *self, PyObject *none) {
    (void)none;
    Stream *s = (Stream *)self;
    enter(s->engine);
    size_t n = sluice_stream_closing(s->stream, NULL, 0);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n); /* with room for a NUL */
    if (!bytes)
        return NULL;
    sluice_stream_closing(s->stream, PyBytes_AsString(bytes), n + 1);
    PyObject *text = PyUnicode_FromEncodedObject(bytes, "utf-8", "replace");
    Py_DECREF(bytes);
    return text;
}

static PyObject *stream_counts(PyObject *self, PyObject *none) {
    (void)none;
    const sluice_counts c = sluice_stream_counts(((Stream *)self)->stream);
    return Py_BuildValue("{s:n,s:n,s:n,s:n}", "valid", (Py_ssize_t)c.valid, "recovered",
                         (Py_ssize_t)c.recovered, "doubtful", (Py_ssize_t)c.doubtful, "leaked",
                         (Py_ssize_t)c.leaked);
}

/* ---- The module --------------------------------------------------------------------------- */

static PyMethodDef engine_methods[] = {
    {"load", engine_load, METH_VARARGS,
     "load(path or None): loads a script or a folder of scripts."},
    {"tools", engine_tools, METH_VARARGS, "tools(json): tool definitions, compiled."},
    {"write", engine_write, METH_VARARGS, "write(syntax, tools, target or None, options)"},
    {"tool", engine_tool, METH_VARARGS, "tool(name, argument): a tool for authors of scripts."},
    {"wire", engine_wire, METH_VARARGS, "wire(syntax, tools, options, from, to, model, body)"},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef stream_methods[] = {
    {"feed", stream_feed, METH_O,
     "feed($self, data, /)\n--\n\nFeeds bytes or a str; returns the events. None is nothing."},
    {"finish", stream_finish, METH_NOARGS,
     "finish($self, /)\n--\n\nEnds the response; returns its last events."},
    {"reset", stream_reset, METH_VARARGS,
     "reset($self, other=..., /)\n--\n\nPrepares for the next response. Returns the stream."},
    {"counts", stream_counts, METH_NOARGS,
     "counts($self, /)\n--\n\nReturns the calls that have ended: valid, recovered, doubtful; "
     "leaked: markup in the text."},
    {"state", stream_state, METH_NOARGS,
     "state($self, /)\n--\n\nReturns (state, name of the open call, bytes held)."},
    {"feed_special", stream_feed_special, METH_O,
     "feed_special($self, data, /)\n--\n\nFeeds one special token."},
    {"closing", stream_closing, METH_NOARGS,
     "closing($self, /)\n--\n\nReturns the text that closes the open call's arguments."},
    {NULL, NULL, 0, NULL},
};

static PyObject *error_hint(PyObject *self, PyObject *args) {
    (void)self;
    const char *code;
    return PyArg_ParseTuple(args, "s", &code) ? Py_BuildValue("z", sluice_error_hint(code)) : NULL;
}

static PyMethodDef module_methods[] = {
    {"error_hint", error_hint, METH_VARARGS, "error_hint(code): what a host may tell the model."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject *add_type(PyObject *module, const char *name, size_t size, unsigned flags,
                              PyType_Slot *slots) {
    PyType_Spec spec = {name, (int)size, 0, Py_TPFLAGS_DEFAULT | flags, slots};
    PyObject *type = PyType_FromSpec(&spec);
    if (type && PyModule_AddObject(module, strrchr(name, '.') + 1, shared(type)) < 0)
        Py_CLEAR(type);
    return (PyTypeObject *)type;
}

static int interned(PyObject **to, const char *const *names, int count) {
    while (count-- && (to[count] = PyUnicode_InternFromString(names[count])))
        ;
    return count < 0;
}

static int add_names(PyObject *module) {
    static const char *const types[] = {"text",      "reasoning", "call_begin", "arguments",
                                        "parameter", "call_end",  "markup",     "error"};
    static const char *const statuses[] = {"complete", "recovered", "incomplete"};
    if (!interned(type_names, types, 8) || !interned(status_names, statuses, 3))
        return 0;
    return PyModule_AddStringConstant(module, "version", sluice_version()) == 0;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_sluice", .m_size = -1,
                                        .m_methods = module_methods};

PyMODINIT_FUNC PyInit__sluice(void) {
    PyObject *m = PyModule_Create(&definition);
    if (!m)
        return NULL;
    PyType_Slot engine_slots[] = {{Py_tp_new, (void *)engine_new},
                                  {Py_tp_dealloc, (void *)engine_dealloc},
                                  {Py_tp_methods, engine_methods},
                                  {0, NULL}};
    PyType_Slot tools_slots[] = {{Py_tp_dealloc, (void *)tools_dealloc}, {0, NULL}};
    PyType_Slot stream_slots[] = {{Py_tp_new, (void *)stream_new},
                                  {Py_tp_dealloc, (void *)stream_dealloc},
                                  {Py_tp_methods, stream_methods},
                                  {0, NULL}};
    PyType_Slot event_slots[] = {{Py_tp_dealloc, (void *)event_dealloc},
                                 {Py_tp_members, event_members},
                                 {Py_tp_methods, event_methods},
                                 {Py_tp_repr, (void *)event_repr},
                                 {0, NULL}};
    engine_type = add_type(m, "sluice._sluice.Engine", sizeof(Engine), 0, engine_slots);
    tools_type = add_type(m, "sluice._sluice.Tools", sizeof(Tools), 0, tools_slots);
    stream_type =
        add_type(m, "sluice._sluice.Stream", sizeof(Stream), Py_TPFLAGS_BASETYPE, stream_slots);
    event_type = add_type(m, "sluice._sluice.Event", sizeof(Event), 0, event_slots);
    if (!engine_type || !tools_type || !stream_type || !event_type || !add_names(m)) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
