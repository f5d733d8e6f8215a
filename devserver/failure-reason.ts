/** `code` of a system error such as `EEXIST`; by shape, because an error of another realm is no `instanceof Error` here. */
export function systemErrorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** What went wrong, with the cause: fetch hides the real reason there. */
export function failureReason(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const message = 'message' in error ? String(error.message) : 'unknown failure';
  return 'cause' in error && error.cause !== undefined
    ? `${message}: ${failureReason(error.cause)}`
    : message;
}
