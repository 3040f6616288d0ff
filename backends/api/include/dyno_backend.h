/* The interface of dyno for translators in any language: a shared library exports one function, dyno_backend_entry,
 * which gives a table of functions. C99 and C++.
 *
 * `dyno translate --plugin ./mine.so` loads the library into a separate process and gives it lines. The bench itself
 * never loads the library: a crash ends that one process and is recorded.
 *
 * Three rules apply to all functions:
 * 1. Every text and every structure is borrowed for the call alone, in both directions: copy what you keep.
 * 2. A function that fails returns another value than DYNO_OK. last_error, called on the same thread, then gives the
 *    reason in one line with a remedy. No exception, panic or longjmp may leave a function.
 * 3. A structure begins with its size at compile time. Sizes and version must equal the host's: build the plugin
 *    with the header of the dyno that loads it.
 */
#ifndef DYNO_BACKEND_H
#define DYNO_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this file. It grows by one with each change. */
#define DYNO_BACKEND_VERSION 2u

#define DYNO_OK 0
#define DYNO_FAILED 1

/* The plugin's own types, opaque to the host. */
typedef struct dyno_model dyno_model;
typedef struct dyno_session dyno_session;

/* Bytes with their number. No NUL ends them; a NUL may be inside. */
typedef struct dyno_text {
    const char *data;
    size_t bytes;
} dyno_text;

/* Takes one text; `data` is the pointer that came with the function. */
typedef void (*dyno_take_text)(void *data, dyno_text text);

/* Request to open models. */
typedef struct dyno_opening {
    uint32_t size;           /* sizeof(dyno_opening) */
    uint32_t models;         /* number of models: 0 for a backend without models, several for an ensemble */
    const dyno_text *paths;  /* paths of the models */
    dyno_text settings;      /* a JSON object; refuse unknown settings by name */
} dyno_opening;

/* One answer to one line. */
typedef struct dyno_answer {
    uint32_t size;   /* sizeof(dyno_answer) */
    uint32_t rank;   /* 0 for the best answer of an n-best list */
    uint64_t line;   /* index into the lines of the call */
    dyno_text text;  /* UTF-8, without a line end */
    float score;     /* score of the ranking; NAN where the search computes none */
} dyno_answer;

/* Takes one answer; call it on the thread that called run, before run returns. */
typedef void (*dyno_take_answer)(void *data, const dyno_answer *answer);

/* The table of functions. Only breakdown may be NULL. */
typedef struct dyno_backend {
    uint32_t version;  /* DYNO_BACKEND_VERSION */
    uint32_t size;     /* sizeof(dyno_backend) */

    /* Gives one JSON object. If `model` is NULL, the object describes the backend:
     *   {"name": "mine", "about": "one line", "task": "translate"}          about and task are optional
     * Otherwise it describes the opened model:
     *   {"backend": "mine", "version": "1.0", "files": [{"path": "a.bin", "bytes": 7}]}
     * and, where known, "isa" (a name of the CPU flags), "precision" and "parameters". The sum of the files' sizes is
     * the size of the model. */
    int32_t (*describe)(const dyno_model *model, dyno_take_text take, void *data);

    /* Opens the models as one model, and writes it to `model`. */
    int32_t (*open)(const dyno_opening *opening, dyno_model **model);

    /* Makes the buffers of one worker. A model has a session for each worker; sessions may be opened and used at the
     * same time on different threads. One thread at a time uses a session. */
    int32_t (*open_session)(const dyno_model *model, dyno_session **session);

    /* Answers each of `lines` with exactly one answer of rank 0, in any order. Lines are bytes without line end; odd
     * lines (empty, over-long, invalid UTF-8) get an answer too. */
    int32_t (*run)(dyno_session *session, const dyno_text *lines, size_t count, dyno_take_answer take, void *data);

    /* May be NULL. Gives the time that all sessions spent in run, by part and in nanoseconds, as a JSON object, or null
     * without the setting "breakdown":
     *   {"components": {"encoder": 71000}, "operators": {"product": 52000}}
     * Components are tokenise, embed, encoder, attention, feedforward, decoder, output, search, pooling, detokenise and
     * other; operators product, attention, softmax, norm, activation, quantise and other. Both add up to the same whole;
     * the time that one of them lacks counts as other. If the host will call this function, the settings of open have
     * "breakdown": true. A backend with this function must accept the setting, and need not keep times without it. */
    int32_t (*breakdown)(const dyno_model *model, dyno_take_text take, void *data);

    /* Sessions are closed before their model. */
    void (*close_session)(dyno_session *session);
    void (*close)(dyno_model *model);

    /* Gives the reason why the last call on this thread failed. */
    void (*last_error)(dyno_take_text take, void *data);
} dyno_backend;

/* The exported function. `version` is the host's version; NULL refuses it. The table stays valid until the process
 * ends, because plugins are never unloaded. */
__attribute__((visibility("default"))) const dyno_backend *dyno_backend_entry(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
