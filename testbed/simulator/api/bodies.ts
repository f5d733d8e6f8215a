import type { JsonObject } from '../../base/json.js';
import { refusalAnswer, statusAnswer } from '../../base/http/answers.js';
import type { ResourceRequest } from './context.js';
import { decodeBody, fieldValidation } from './decoding/decode.js';
import type { JsonAnswer } from '../../base/http/request.js';

/** The body of a create or an update, or the reason why it cannot be decoded. */
export function decodedBody({
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
const UNKNOWN_FORMAT = statusAnswer(
  415,
  'UnsupportedMediaType',
  'the body of the request was in an unknown format - accepted media types include: ' +
    'application/json, application/yaml, application/vnd.kubernetes.protobuf',
);

/** Warnings in the header that kubectl prints (RFC 7234 section 5.5, code 299). */
export function withWarnings(answer: JsonAnswer, warnings: readonly string[]): JsonAnswer {
  if (warnings.length === 0 || answer.code >= 300) return answer;
  const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  return { ...answer, headers: { ...answer.headers, Warning: warning } };
}
