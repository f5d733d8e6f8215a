/** The bytes of a text in base64; null for another spelling of them, which Node would read, too. */
export function exactBase64(
  text: string,
  spelling: 'base64' | 'base64url' = 'base64',
): Buffer | null {
  const bytes = Buffer.from(text, spelling);
  return bytes.toString(spelling) === text ? bytes : null;
}
