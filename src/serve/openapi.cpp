// openapi.cpp -- the description of the API for programs, OpenAPI 3.1. The options are those of adaptive_fields().
#include <algorithm>
#include <string>
#include <string_view>

#include "api.hpp"
#include "json_text.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/version.hpp"

namespace sluice::serve {

namespace {

constexpr std::string_view kOpenApi = R"json({
"openapi": "3.1.0",
"info": {"title": "Sluice", "version": "@VERSION@", "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
  "description": "Named models that predict each row before they learn from it, and select the few inputs that matter. Where the server has a token, every path but / and /healthz needs it: Authorization: Bearer TOKEN."},
"paths": {
"/healthz": {"get": {"operationId": "health", "summary": "Whether the server works", "responses": {
  "200": {"description": "It does; degraded where a model could not be opened", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}}, @OFTEN@}}},
"/metrics": {"get": {"operationId": "metrics", "summary": "Counts for Prometheus", "responses": {
  "200": {"description": "Text of version 0.0.4", "content": {"text/plain": {"schema": {"type": "string"}}}}, @OFTEN@}}},
"/v1/openapi.json": {"get": {"operationId": "openapi", "summary": "This description", "responses": {
  "200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}, @OFTEN@}}},
"/v1/models": {
  "get": {"operationId": "listModels", "summary": "All models", "responses": {
    "200": {"description": "In the order of their names", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ModelList"}}}}, @OFTEN@}},
  "post": {"operationId": "createModel", "summary": "Create a model, with its name in the body",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewModel"}}}},
    "responses": {@CREATED@, @OFTEN@}}},
"/v1/models/{name}": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "put": {"operationId": "putModel", "summary": "Create a model; changes nothing where it exists with the same settings",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Spec"}}}},
    "responses": {@CREATED@, @OFTEN@}},
  "get": {"operationId": "getState", "summary": "Rows, errors, events and settings of a model", "responses": {
    "200": {"description": "The state after the last rows that were answered", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/State"}}}}, @OFTEN@}},
  "delete": {"operationId": "deleteModel", "summary": "Delete a model and its files", "responses": {
    "204": {"description": "It is gone"}, @OFTEN@}}},
"/v1/models/{name}/rows": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "post": {"operationId": "postRows", "summary": "Predict each row, then learn from it",
    "description": "A batch is learnt as a whole or, where a row cannot be read, refused as a whole (unless the model was created with on_bad_row skip). With --state it is on the disk before it is answered. The first batch names the columns.",
    "parameters": [{"name": "seq", "in": "query", "required": false, "description": "The client's number of the batch: 1, 2, 3 and so on. One that was accepted before is answered again and not learnt again.", "schema": {"type": "integer", "minimum": 1, "maximum": 9007199254740991}}],
    "requestBody": {"required": true, "content": {
      "application/x-ndjson": {"schema": {"type": "string", "minLength": 1}, "example": "{\"a\":1,\"b\":2,\"y\":3}\n"},
      "application/json": {"schema": {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}, "example": {"a": 1, "b": 2, "y": 3}},
      "text/csv": {"schema": {"type": "string", "minLength": 1}, "example": "a,b,y\n1,2,3\n"}}},
    "responses": {
      "200": {"description": "What was predicted before each row was learnt", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RowsAnswer"}}}}, @OFTEN@}}},
"/v1/models/{name}/selected": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "get": {"operationId": "getSelected", "summary": "The inputs that predict now", "responses": {
    "200": {"description": "The most important first", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Selected"}}}}, @OFTEN@}}},
"/v1/models/{name}/coefficients": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "get": {"operationId": "getCoefficients", "summary": "The model as one linear model, in the units of the data", "responses": {
    "200": {"description": "Coefficients that are not zero; 409 before the first row", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Coefficients"}}}}, @OFTEN@}}},
"/v1/models/{name}/history": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "get": {"operationId": "getHistory", "summary": "All rows so far, down-sampled, or the latest ones one by one", "parameters": [{"$ref": "#/components/parameters/span"}], "responses": {
    "200": {"description": "At most 4096 bins of rows; 409 before the first row", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/History"}}}}, @OFTEN@}}},
"/v1/models/{name}/file": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "get": {"operationId": "getFile", "summary": "The model file, for sluice inspect, predict and stream --resume --from-here", "responses": {
    "200": {"description": "409 before the first row", "content": {"application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}}}, @OFTEN@}}},
"/v1/models/{name}/events": {
  "parameters": [{"$ref": "#/components/parameters/name"}],
  "get": {"operationId": "getEvents", "summary": "Updates and events while they happen", "parameters": [{"$ref": "#/components/parameters/span"}],
    "description": "Server-sent events: state (once), update (what is selected, and in \"history\" what has come since the row \"since\", or null: read the history again; those that a client is too slow for are merged), event (drift, suspect, column_vanished and so on), lag (how many were merged and dropped), end.", "responses": {
    "200": {"description": "Does not end before the model does", "content": {"text/event-stream": {"schema": {"type": "string"}}}}, @OFTEN@}}}
},
"components": {
"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
"parameters": {"span": {"name": "span", "in": "query", "required": false, "schema": {"enum": ["whole", "latest"], "default": "whole"}}, "name": {"name": "name", "in": "path", "required": true, "schema": {"$ref": "#/components/schemas/Name"}}},
"responses": {
  "Refused": {"description": "Refused: the sentence says what is wrong and what to do", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}},
  "TryLater": {"description": "The disk does not work, or the model could not be opened", "headers": {"Retry-After": {"schema": {"type": "string"}}}, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}},
"schemas": {
  "Name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"},
  "Error": {"type": "object", "required": ["error"], "properties": {"error": {"type": "object", "required": ["kind", "message"], "properties": {
    "kind": {"type": "string"}, "message": {"type": "string"}, "remedy": {"type": "string"},
    "line": {"type": "integer"}, "byte": {"type": "integer"}, "column": {"type": "string"}, "value": {"type": "string"}, "reason": {"type": "string"}}}}},
  "Health": {"type": "object", "required": ["status", "models", "damaged", "durable"], "properties": {"status": {"enum": ["ok", "degraded"]}, "models": {"type": "integer"}, "damaged": {"type": "integer"}, "durable": {"type": "boolean"}}},
  "ModelList": {"type": "object", "required": ["models"], "properties": {"models": {"type": "array", "items": {"type": "object", "required": ["name", "rows", "inputs", "names", "targets", "problem"], "properties": {
    "name": {"$ref": "#/components/schemas/Name"}, "rows": {"type": "integer"}, "inputs": {"type": "integer"}, "names": {"type": "integer"}, "targets": {"type": "array", "items": {"type": "string"}}, "problem": {"type": ["string", "null"]}}}}}},
  "Words": {"description": "Columns: names, numbers from 1, from:to, or patterns with * and ?", "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
  "Lags": {"oneOf": [{"type": "string", "description": "0:15 or 0,1,5"}, {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 100000}}]},
  "Options": {"type": "object", "additionalProperties": false, "properties": {@OPTIONS@}},
  "Spec": {"type": "object", "required": ["targets"], "additionalProperties": false, "properties": {@SPEC@}},
  "NewModel": {"type": "object", "required": ["name", "targets"], "additionalProperties": false, "properties": {"name": {"$ref": "#/components/schemas/Name"}, @SPEC@}},
  "State": {"type": "object", "required": ["name", "rows", "learned", "skipped", "batches", "seq", "durable", "inputs", "names", "targets", "events", "errors", "spec"], "properties": {
    "name": {"$ref": "#/components/schemas/Name"}, "rows": {"type": "integer"}, "learned": {"type": "integer"}, "skipped": {"type": "integer"}, "batches": {"type": "integer"},
    "seq": {"type": "integer", "description": "The last sequence number; 0: none"}, "durable": {"type": "boolean"}, "inputs": {"type": "integer"}, "names": {"type": "integer"},
    "targets": {"type": "array", "items": {"type": "string"}}, "mean_turnover": {"type": ["number", "null"]}, "vanished_columns": {"type": "integer"}, "ignored_fields": {"type": "integer"}, "memory_bytes": {"type": "integer"},
    "events": {"type": "object", "additionalProperties": {"type": "integer"}}, "errors": {"type": "object"}, "spec": {"type": "object"}}},
  "Numbers": {"type": "object", "description": "By target", "additionalProperties": {"type": ["number", "null"]}},
  "RowsAnswer": {"type": "object", "required": ["seq", "repeated", "durable", "first_row", "rows", "skipped", "answers"], "properties": {
    "seq": {"type": ["integer", "null"]}, "repeated": {"type": "boolean"}, "durable": {"type": "boolean"},
    "first_row": {"type": ["integer", "null"]}, "rows": {"type": ["integer", "null"]}, "skipped": {"type": ["integer", "null"]},
    "answers": {"description": "null where a batch is repeated and its answer is no longer kept", "type": ["array", "null"], "items": {"type": "object", "required": ["row", "outcome"], "properties": {
      "row": {"type": ["integer", "null"]}, "time": {"type": "string"}, "outcome": {"type": "string"},
      "predicted": {"$ref": "#/components/schemas/Numbers"}, "low": {"$ref": "#/components/schemas/Numbers"}, "high": {"$ref": "#/components/schemas/Numbers"},
      "observed": {"$ref": "#/components/schemas/Numbers"}, "forecast": {"$ref": "#/components/schemas/Numbers"}, "forecast_low": {"$ref": "#/components/schemas/Numbers"}, "forecast_high": {"$ref": "#/components/schemas/Numbers"},
      "events": {"type": "array", "items": {"type": "object"}}, "error": {"type": "object"}}}}}},
  "Selected": {"type": "object", "required": ["rows", "selected"], "properties": {"rows": {"type": "integer"}, "selected": {"type": "array", "items": {"type": "object", "required": ["name", "contribution", "gain"], "properties": {
    "name": {"type": "string"}, "contribution": {"type": ["number", "null"]}, "gain": {"type": ["number", "null"]}}}}}},
  "Coefficients": {"type": "object", "required": ["rows", "intercept", "coefficients"], "properties": {"rows": {"type": "integer"}, "intercept": {"$ref": "#/components/schemas/Numbers"},
    "coefficients": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Numbers"}}}},
  "Series": {"type": "array", "description": "A number for each bin; null where there is none", "items": {"type": ["number", "null"]}},
  "Range": {"type": "object", "required": ["mean"], "description": "Where a bin has several rows, also the smallest and the largest value", "properties": {"mean": {"$ref": "#/components/schemas/Series"}, "min": {"$ref": "#/components/schemas/Series"}, "max": {"$ref": "#/components/schemas/Series"}}},
  "History": {"type": "object", "required": ["version", "revision", "since", "rows", "first_row", "last_row", "rows_per_bin", "bins", "bin_rows", "time", "tuned", "targets", "variables", "now", "events"], "properties": {
    "version": {"const": 1}, "revision": {"type": "integer"}, "since": {"type": "integer", "description": "0: everything"}, "rows": {"type": "integer"}, "first_row": {"type": "integer"}, "last_row": {"type": "integer"},
    "rows_per_bin": {"type": "integer", "description": "Bin i begins with row first_row + i * rows_per_bin"}, "bins": {"type": "integer"}, "bin_rows": {"type": "array", "items": {"type": "integer"}},
    "time": {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["none", "date", "number", "text"]}, "values": {"type": "array"}}},
    "tuned": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Range"}},
    "targets": {"type": "array", "items": {"type": "object", "required": ["name", "predicted", "observed", "scored", "squares"], "properties": {"name": {"type": "string"}, "predicted": {"$ref": "#/components/schemas/Range"}, "observed": {"$ref": "#/components/schemas/Range"},
      "low": {"$ref": "#/components/schemas/Series"}, "high": {"$ref": "#/components/schemas/Series"}, "scored": {"type": "array", "items": {"type": "integer"}}, "squares": {"$ref": "#/components/schemas/Series"}}}},
    "variables": {"type": "array", "items": {"type": "object", "required": ["id", "name", "rows", "tracks"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "rows": {"type": "integer"},
      "tracks": {"type": "array", "items": {"type": "object", "required": ["component", "stays"], "properties": {"component": {"type": "integer"}, "stays": {"type": "array", "description": "from, to, entries, rows; and so on", "items": {"type": "integer"}}}}}}}},
    "now": {"type": "array", "description": "Of the last row: id, weight, gain; and so on", "items": {"type": ["number", "null"]}}, "events": {"type": "array", "items": {"type": "object"}}}}
}}}
)json";

constexpr std::string_view kOften =
    R"json("4XX": {"$ref": "#/components/responses/Refused"}, "503": {"$ref": "#/components/responses/TryLater"})json";

constexpr std::string_view kCreated = R"json(
      "200": {"description": "It was there already, with the same settings", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/State"}}}},
      "201": {"description": "It is new", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/State"}}}})json";

constexpr std::string_view kSpecFields =
    R"json("targets": {"$ref": "#/components/schemas/Words", "description": "Columns to predict"},
    "inputs": {"$ref": "#/components/schemas/Words", "description": "Columns to predict from; left out: every other column"},
    "ignore": {"$ref": "#/components/schemas/Words"}, "time": {"type": ["string", "null"], "description": "Column that goes to the answers unchanged"},
    "lags": {"$ref": "#/components/schemas/Lags"}, "target_lags": {"$ref": "#/components/schemas/Lags"},
    "horizon": {"type": "integer", "minimum": 0, "maximum": 1000000}, "interval": {"type": ["number", "null"], "minimum": 0.1, "maximum": 0.999},
    "warmup": {"type": "integer", "minimum": 0, "maximum": 1000000000}, "on_bad_row": {"enum": ["stop", "skip"]}, "missing": {"$ref": "#/components/schemas/Words"},
    "decimal": {"enum": [".", ","]}, "delimiter": {"type": ["string", "null"], "minLength": 1, "maxLength": 1}, "strict_columns": {"type": "boolean"},
    "paper": {"type": "boolean", "description": "Settings of the paper; options come after"}, "options": {"$ref": "#/components/schemas/Options"})json";

std::string option_properties() {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    for (const AdaptiveField& field : adaptive_fields()) {
        json.key(field.name)
            .begin_object()
            .key("type")
            .encoded(R"(["string","number","boolean","array","null"])")
            .member("description", std::string(field.help) + " Values: " + std::string(field.values))
            .end_object();
    }
    return out;
}

void replace_all(std::string& text, std::string_view mark, std::string_view by) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
        text.replace(at, mark.size(), by);
    }
}

}  // namespace

const std::string& openapi_json() {
    static const std::string text = [] {
        std::string out(kOpenApi);
        replace_all(out, "@SPEC@", kSpecFields);
        replace_all(out, "@CREATED@", kCreated);
        replace_all(out, "@OFTEN@", kOften);
        replace_all(out, "@OPTIONS@", option_properties());
        replace_all(out, "@VERSION@", SLUICE_VERSION);
        return out;
    }();
    return text;
}

}  // namespace sluice::serve
