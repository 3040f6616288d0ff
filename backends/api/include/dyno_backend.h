/* The way into dyno for a translator in any language: a shared library that exports one function,
 * dyno_backend_entry, which gives a table of functions. C99 and C++.
 *
 * `dyno translate --plugin ./mine.so` loads it into a process of its own and gives it lines. The bench never loads
 * it: whatever happens inside costs this one process, and is recorded.
 *
 * Three rules hold throughout:
 * 1. Every text and every structure is lent for the time of the call alone, in both directions: copy what you keep.
 * 2. A function that fails returns anything but DYNO_OK, and last_error, asked on the same thread, says why in one
 *    line that names what to do. No exception, panic or longjmp leaves a function.
 * 3. A structure begins with its own size as its maker knew it; sizes and version must be the host's own. There is
 *    no half compatible: build against the header of the dyno that loads you.
 */
#ifndef DYNO_BACKEND_H
#define DYNO_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The meaning of everything in this file. It grows by one with each change. */
#define DYNO_BACKEND_VERSION 2u

#define DYNO_OK 0
#define DYNO_FAILED 1

/* Yours alone: the host hands them back and never looks inside. */
typedef struct dyno_model dyno_model;
typedef struct dyno_session dyno_session;

/* Bytes with their number. No NUL ends them, and one may be inside. */
typedef struct dyno_text {
    const char *data;
    size_t bytes;
} dyno_text;

/* Takes one text; `data` is what came beside the function. */
typedef void (*dyno_take_text)(void *data, dyno_text text);

/* What to open. */
typedef struct dyno_opening {
    uint32_t size;           /* sizeof(dyno_opening) */
    uint32_t models;         /* how many: 0 for a backend without models, several for an ensemble */
    const dyno_text *paths;  /* of the models */
    dyno_text settings;      /* a JSON object; refuse by name what you don't know */
} dyno_opening;

/* One answer to one line. */
typedef struct dyno_answer {
    uint32_t size;   /* sizeof(dyno_answer) */
    uint32_t rank;   /* 0 for the best; n-best lists go on counting */
    uint64_t line;   /* index into the lines of the call */
    dyno_text text;  /* UTF-8, without a line end */
    float score;     /* by which it was ranked; NAN where the search computes none */
} dyno_answer;

/* Takes one answer; call it on the thread that called run, before run returns. */
typedef void (*dyno_take_answer)(void *data, const dyno_answer *answer);

/* The table. Every function but breakdown must be there. */
typedef struct dyno_backend {
    uint32_t version;  /* DYNO_BACKEND_VERSION */
    uint32_t size;     /* sizeof(dyno_backend) */

    /* Hands over one JSON object. Of the backend itself, where `model` is NULL:
     *   {"name": "mine", "about": "one line", "task": "translate"}          about and task may be left out
     * Of an opened model:
     *   {"backend": "mine", "version": "1.0", "files": [{"path": "a.bin", "bytes": 7}]}
     * and, where known, "isa" (as in the CPU flags), "precision" and "parameters". The sizes of the files make up the
     * size of the model. */
    int32_t (*describe)(const dyno_model *model, dyno_take_text take, void *data);

    /* Opens the models as one and writes the result to `model`. */
    int32_t (*open)(const dyno_opening *opening, dyno_model **model);

    /* Makes the working memory of one worker. A model has as many sessions as there are workers; they may be opened
     * and used at the same time on different threads. One session is used by one thread at a time. */
    int32_t (*open_session)(const dyno_model *model, dyno_session **session);

    /* Answers each of `lines` (bytes as they came, without line end; odd ones too: empty, over-long, no UTF-8) with
     * exactly one answer of rank 0, in any order. */
    int32_t (*run)(dyno_session *session, const dyno_text *lines, size_t count, dyno_take_answer take, void *data);

    /* May be NULL. Hands over where the time went that all sessions spent in run, in nanoseconds, as a JSON object, or
     * null where nobody watched:
     *   {"components": {"encoder": 71000}, "operators": {"product": 52000}}
     * Components are tokenise, embed, encoder, attention, decoder, output, search, detokenise and other; operators
     * product, attention, softmax, norm, activation, quantise and other. Both add up to the same whole; what one of
     * them lacks is counted as other. Where somebody will ask, the settings of open have "breakdown": true, which a
     * backend with this function must accept; without it nobody need watch. */
    int32_t (*breakdown)(const dyno_model *model, dyno_take_text take, void *data);

    /* Sessions are closed before their model. */
    void (*close_session)(dyno_session *session);
    void (*close)(dyno_model *model);

    /* Hands over why the last call on this thread failed. */
    void (*last_error)(dyno_take_text take, void *data);
} dyno_backend;

/* What a plugin exports. `version` is the host's; NULL refuses it. The table stays valid until the process ends:
 * plugins are never unloaded. */
__attribute__((visibility("default"))) const dyno_backend *dyno_backend_entry(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
