import { isObject, type JsonObject } from '../store/json.js';
import { badRequestAnswer, refusalAnswer, statusAnswer } from './answers.js';
import type { ResourceRequest } from './context.js';
import { decodeBody, fieldValidation } from './decoding/decode.js';
import type { JsonAnswer } from './request.js';

/** The JSON body as an object; null when it is not one. */
export function jsonBody(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function notAnObject(): JsonAnswer {
  return badRequestAnswer('the body of the request is not a JSON object');
}

/** The body of a create or an update, or the reason why it cannot be decoded. */
export function decoded({
  route,
  query,
  body,
  method,
  contentType,
}: ResourceRequest):
  { readonly object: JsonObject; readonly warnings: readonly string[] } | JsonAnswer {
  if (!/^(application\/json\b.*)?$/.test(contentType)) return UNKNOWN_FORMAT;
  const options = method === 'POST' ? 'CreateOptions' : 'UpdateOptions';
  const validation = fieldValidation(query, options);
  if (typeof validation !== 'string') return refusalAnswer(validation);
  const read = decodeBody(body, route.entry, validation);
  return read.ok ? read : refusalAnswer(read.refused);
}

/** The real server also accepts YAML and protobuf. */
const UNKNOWN_FORMAT = statusAnswer({
  code: 415,
  reason: 'UnsupportedMediaType',
  message:
    'the body of the request was in an unknown format - accepted media types include: ' +
    'application/json, application/yaml, application/vnd.kubernetes.protobuf',
});

/** Warnings in the header that kubectl prints (RFC 7234 section 5.5, code 299). */
export function withWarnings(answer: JsonAnswer, warnings: readonly string[]): JsonAnswer {
  if (warnings.length === 0 || answer.code >= 300) return answer;
  const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  return { ...answer, headers: { ...answer.headers, Warning: warning } };
}
