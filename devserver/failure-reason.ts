/**
 * `code` of a system error such as `EEXIST`; checked by shape, because an error of another realm is not an `instanceof
 * Error` here.
 */
export function systemErrorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** The error's message with its cause: fetch puts the real reason there. */
export function failureReason(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const message = 'message' in error ? String(error.message) : 'unknown failure';
  return 'cause' in error && error.cause !== undefined
    ? `${message}: ${failureReason(error.cause)}`
    : message;
}
