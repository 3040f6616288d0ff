/* A translator in C: looks each word up in a list. A plugin small enough to be read at one sitting.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I backends/api/include backends/plugin/examples/glossary/glossary.c -o glossary.so
 *   dyno translate --plugin ./glossary.so --model words.tsv
 *
 * Its model is a text file with a word, a tab and its translation in each line. Words without a translation stay.
 */
#include "dyno_backend.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *word, *translation;
} entry;

struct dyno_model {
    char *path, *text; /* the file, with NULs where tabs and line ends were */
    size_t bytes, count;
    entry *entries; /* sorted by word */
};

struct dyno_session {
    const dyno_model *model;
    char *word, *answer; /* grown to the longest line, then reused */
    size_t capacity, used;
};

/* The last error belongs to a thread, not to the plugin. */
static __thread char reason[512];

static int32_t failed(const char *what, const char *why)
{
    snprintf(reason, sizeof reason, "%s: %s", what, why);
    return DYNO_FAILED;
}

static void last_error(dyno_take_text take, void *data)
{
    dyno_text text = {reason, strlen(reason)};
    take(data, text);
}

/* ---- the model -------------------------------------------------------------------------------------------------- */

static int by_word(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->word, ((const entry *)b)->word);
}

static void close_model(dyno_model *model)
{
    if (model) {
        free(model->path);
        free(model->text);
        free(model->entries);
    }
    free(model);
}

static char *copy(const char *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (text) {
        memcpy(text, data, bytes);
        text[bytes] = 0;
    }
    return text;
}

/* The whole file, with a NUL after it; NULL and errno where it can't be had. */
static char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)length + 1);
    if (text && fread(text, 1, (size_t)length, file) != (size_t)length) {
        free(text);
        text = NULL;
    }
    if (text)
        text[*bytes = (size_t)length] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Cuts the text into entries; a line without a tab is a fault of the file. */
static int32_t read_entries(dyno_model *model)
{
    size_t lines = 1;
    char *line, *end;
    for (line = model->text; *line; line++)
        lines += *line == '\n';
    model->entries = malloc(lines * sizeof(entry));
    if (!model->entries)
        return failed(model->path, "no memory for it");
    for (line = model->text; *line; line = end) {
        char *tab = line + strcspn(line, "\t\n");
        if (*tab != '\t')
            return failed(model->path, "a line has no tab; write a word, a tab and its translation");
        end = tab + strcspn(tab, "\n");
        if (*end)
            *end++ = 0;
        *tab = 0;
        model->entries[model->count].word = line;
        model->entries[model->count++].translation = tab + 1;
    }
    qsort(model->entries, model->count, sizeof(entry), by_word);
    return DYNO_OK;
}

static int32_t open_model(const dyno_opening *opening, dyno_model **result)
{
    dyno_model *model;
    if (opening->size != sizeof *opening)
        return failed("glossary", "the host has another interface; build both from one source");
    if (opening->settings.bytes != 2) /* {} */
        return failed("glossary", "it knows no settings; leave them out");
    if (opening->models != 1)
        return failed("glossary", "it takes one model, a file of words");
    model = calloc(1, sizeof *model);
    if (!model || !(model->path = copy(opening->paths[0].data, opening->paths[0].bytes))) {
        close_model(model);
        return failed("glossary", "no memory");
    }
    if (!(model->text = read_file(model->path, &model->bytes)))
        failed(model->path, strerror(errno));
    else if (read_entries(model) == DYNO_OK) {
        *result = model;
        return DYNO_OK;
    }
    close_model(model);
    return DYNO_FAILED;
}

/* Hands over `text` as a JSON string would stand in quotes; returns how many bytes went to `to`. */
static size_t escape(const char *text, char *to)
{
    size_t n = 0;
    for (; *text; text++)
        n += (size_t)sprintf(to + n, *text == '"' || *text == '\\' || (unsigned char)*text < 32 ? "\\u%04x" : "%c", *text);
    return n;
}

static int32_t describe(const dyno_model *model, dyno_take_text take, void *data)
{
    dyno_text text;
    char *json;
    if (!model) {
        text.data = "{\"name\": \"glossary\", \"about\": \"translates word by word, from a list\"}";
        text.bytes = strlen(text.data);
        take(data, text);
        return DYNO_OK;
    }
    json = malloc(6 * strlen(model->path) + 200); /* \uXXXX for each byte, and what stands around */
    if (!json)
        return failed("glossary", "no memory");
    text.data = json;
    text.bytes = (size_t)sprintf(json, "{\"backend\": \"glossary\", \"version\": \"1.0\", \"files\": [{\"path\": \"");
    text.bytes += escape(model->path, json + text.bytes);
    text.bytes += (size_t)sprintf(json + text.bytes, "\", \"bytes\": %lu}]}", (unsigned long)model->bytes);
    take(data, text);
    free(json);
    return DYNO_OK;
}

/* ---- a session -------------------------------------------------------------------------------------------------- */

static int32_t open_session(const dyno_model *model, dyno_session **result)
{
    dyno_session *session = calloc(1, sizeof *session);
    if (!session)
        return failed("glossary", "no memory");
    session->model = model;
    *result = session;
    return DYNO_OK;
}

static void close_session(dyno_session *session)
{
    free(session->word);
    free(session->answer);
    free(session);
}

static int append(dyno_session *session, const char *data, size_t bytes)
{
    if (session->used + bytes > session->capacity) {
        size_t capacity = 2 * (session->used + bytes);
        char *grown = realloc(session->answer, capacity);
        if (!grown)
            return 0;
        session->answer = grown;
        session->capacity = capacity;
    }
    memcpy(session->answer + session->used, data, bytes);
    session->used += bytes;
    return 1;
}

/* How many bytes the character at `text` has; 0 where it is no UTF-8 (RFC 3629, section 4). */
static size_t character(const unsigned char *text, size_t left)
{
    size_t bytes = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 0;
    size_t i;
    if (bytes > left)
        return 0;
    for (i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return bytes;
}

/* Answers must be UTF-8, lines need not be: what isn't becomes U+FFFD. */
static int append_valid(dyno_session *session, const char *data, size_t bytes)
{
    size_t length;
    for (; bytes; data += length, bytes -= length) {
        size_t valid = character((const unsigned char *)data, bytes);
        if (!(valid ? append(session, data, valid) : append(session, "\xef\xbf\xbd", 3)))
            return 0;
        length = valid ? valid : 1;
    }
    return 1;
}

static int translate_word(dyno_session *session, const char *data, size_t bytes)
{
    const dyno_model *model = session->model;
    char *word = realloc(session->word, bytes + 1);
    entry key, *found;
    if (!word)
        return 0;
    session->word = word;
    memcpy(word, data, bytes);
    word[bytes] = 0;
    key.word = word;
    found = memchr(word, 0, bytes) ? NULL : bsearch(&key, model->entries, model->count, sizeof key, by_word);
    if (found)
        return append_valid(session, found->translation, strlen(found->translation));
    return append_valid(session, data, bytes);
}

static int translate_line(dyno_session *session, dyno_text line)
{
    size_t begin = 0, end;
    session->used = 0;
    while (begin < line.bytes) {
        for (end = begin; end < line.bytes && line.data[end] != ' '; end++)
            ;
        if (!translate_word(session, line.data + begin, end - begin) || (end < line.bytes && !append(session, " ", 1)))
            return 0;
        begin = end + 1;
    }
    return 1;
}

static int32_t run(dyno_session *session, const dyno_text *lines, size_t count, dyno_take_answer take, void *data)
{
    size_t i;
    for (i = 0; i < count; i++) {
        dyno_answer answer = {sizeof answer, 0, i, {NULL, 0}, NAN};
        if (!translate_line(session, lines[i]))
            return failed("glossary", "no memory");
        answer.text.data = session->answer;
        answer.text.bytes = session->used;
        take(data, &answer);
    }
    return DYNO_OK;
}

const dyno_backend *dyno_backend_entry(uint32_t version)
{
    static const dyno_backend table = {
        DYNO_BACKEND_VERSION, sizeof table, describe, open_model, open_session, run,
        NULL, /* no breakdown: there is one thing it does */
        close_session, close_model, last_error,
    };
    return version == DYNO_BACKEND_VERSION ? &table : NULL;
}
