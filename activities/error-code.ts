/**
 * The `code` of a system error (`ENOENT`, `ECONNRESET`, …), of its cause where the error itself has none, or ''.
 * Reads members instead of using `instanceof`: errors of Node itself belong to another realm in test environments.
 */
export function errorCode(error: unknown): string {
  let at: unknown = error;
  for (let depth = 0; depth < 4 && typeof at === 'object' && at !== null; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = 'cause' in at ? at.cause : null;
  }
  return '';
}
