import { isObject, type JsonObject } from '../json.js';
import { badRequestAnswer } from './answers.js';
import type { JsonAnswer } from './request.js';

/** JSON body as an object; null when it is none. */
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
