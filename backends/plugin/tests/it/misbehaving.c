/* Plugins that break the contract. At load: compiled with one of the macros below. At work: what the settings say. */
#include "dyno_backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dyno_model {
    char mode[64];
    int silent;
};

struct dyno_session {
    const dyno_model *model;
};

static const char *reason = "the cat sat on it";

static void say(const char *text, dyno_take_text take, void *data)
{
    dyno_text said = {text, strlen(text)};
    take(data, said);
}

static void last_error(dyno_take_text take, void *data)
{
    say(reason, take, data);
}

static int is(const dyno_model *model, const char *mode)
{
    return strstr(model->mode, mode) != NULL;
}

static int32_t describe(const dyno_model *model, dyno_take_text take, void *data)
{
    if (model && is(model, "describe-odd"))
        say("{\"backend\": 1}", take, data);
    else if (model)
        say("{\"backend\": \"misbehaving\", \"version\": \"1\"}", take, data);
    else
        say(DESCRIPTION, take, data);
    return DYNO_OK;
}

static int32_t open_model(const dyno_opening *opening, dyno_model **result)
{
    dyno_model *model = calloc(1, sizeof *model);
    size_t bytes = opening->settings.bytes;
    memcpy(model->mode, opening->settings.data, bytes < 63 ? bytes : 63);
    if (is(model, "open-crash"))
        abort();
    if (is(model, "open-silent"))
        reason = "";
    if (is(model, "open-fail") || is(model, "open-silent"))
        return 7;
    if (!is(model, "open-nothing"))
        *result = model;
    return DYNO_OK;
}

static int32_t open_session(const dyno_model *model, dyno_session **result)
{
    if (is(model, "session-fail"))
        return DYNO_FAILED;
    if (is(model, "session-nothing"))
        return DYNO_OK;
    *result = calloc(1, sizeof **result);
    (*result)->model = model;
    return DYNO_OK;
}

static int32_t run(dyno_session *session, const dyno_text *lines, size_t count, dyno_take_answer take, void *data)
{
    size_t i;
    const dyno_model *model = session->model;
    for (i = 0; i < count; i++) {
        dyno_answer answer = {sizeof answer, 0, i, {NULL, 0}, NAN};
        answer.text = lines[i];
        if (is(model, "run-fail") && i == 1)
            return DYNO_FAILED;
        if (is(model, "run-crash") && i == 1)
            abort();
        if (is(model, "beyond"))
            answer.line = i + count;
        if (is(model, "huge"))
            answer.line = UINT64_MAX;
        if (is(model, "ranks"))
            answer.rank = 1;
        if (is(model, "answer-size"))
            answer.size -= 4;
        if (is(model, "nowhere"))
            answer.text.data = NULL;
        if (is(model, "latin"))
            answer.text.data = "\xe4\xf6", answer.text.bytes = 2;
        if (is(model, "scores"))
            answer.score = (float)i / 2;
        take(data, is(model, "no-answer") ? NULL : &answer);
        if (is(model, "twice"))
            take(data, &answer);
        if (is(model, "too-few"))
            return DYNO_OK;
        answer.rank = 1;
        if (is(model, "n-best"))
            take(data, &answer);
    }
    return DYNO_OK;
}

static int32_t breakdown(const dyno_model *model, dyno_take_text take, void *data)
{
    if (is(model, "breakdown-fail"))
        return DYNO_FAILED;
    if (is(model, "breakdown-odd"))
        return say("{\"components\": {\"search\": -7}}", take, data), DYNO_OK;
    if (is(model, "breakdown-huge"))
        return say("{\"operators\": {\"norm\": 9000000000000000000}}", take, data), DYNO_OK;
    if (is(model, "breakdown-names"))
        return say("{\"components\": {\"<b>\": 7}}", take, data), DYNO_OK;
    say(is(model, "breakdown-none") ? "null" : "{\"components\": {\"search\": 7}, \"operators\": {\"other\": 7}}", take, data);
    return DYNO_OK;
}

static void close_session(dyno_session *session)
{
    free(session);
}

static void close_model(dyno_model *model)
{
    free(model);
}

#ifndef ENTRY
#define ENTRY dyno_backend_entry
#endif

const dyno_backend *ENTRY(uint32_t version)
{
    static const dyno_backend table = {
        VERSION, SIZE, describe, open_model, open_session, RUN, breakdown, close_session, close_model, last_error,
    };
    return version && REFUSE ? NULL : &table;
}
