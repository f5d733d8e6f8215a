const REDACTED = '[redacted]';

/**
 * Each pattern with its replacement: enough to identify what was there, nothing of its value. Texts are untrusted, so each
 * pattern takes linear time: it starts at a word boundary, never inside a repetition that may precede it, and no two of its
 * parts may match the same characters.
 */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-]{1,64}-----[\s\S]*?(?:-----END [^-]{1,64}-----|$)/g, REDACTED],
  // The same in base64, as kubeconfigs carry it: `-----BEGIN` is `LS0tLS1CRUdJTi`.
  [/LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]*/g, REDACTED],
  // From the first `eyJ` of a run of characters: each run is scanned once.
  [/(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?/g, `$1${REDACTED}`],
  [/(authorization["']?\s*[:=]\s*["']?)(?:(?:basic|bearer)\s+)?[^\s,"']+/gi, `$1${REDACTED}`],
  [/\b(bearer)\s+(?!\[redacted\])[\w.~+/=:-]+/gi, `$1 ${REDACTED}`],
  // Base64 of a user and a password holds a capital or a digit; "basic authentication" does not.
  [/\b([Bb]asic|BASIC)\s+(?=[\w+/]*[A-Z\d])[\w+/]+={0,2}/g, `$1 ${REDACTED}`],
  [
    /((?:token|password|passwd|secret|client-key-data|client-certificate-data|api-?key)["']?\s*[:=]\s*)(?!\[redacted\])("[^"]*"|'[^']*'|[^\s,;&}"']+)/gi,
    `$1${REDACTED}`,
  ],
  [/(:\/\/)[^\s/@]+@/g, `$1${REDACTED}@`],
];

/**
 * Removes from a text everything that looks like a credential (bearer tokens, JWTs, PEM blocks, kubeconfig key data,
 * passwords, user information of URLs) and every value of `known`, whatever it looks like. For everything that is stored:
 * errors, logs, evidence.
 */
export function redact(text: string, known: readonly string[] = []): string {
  return SECRET_SHAPES.reduce(
    (rest, [shape, kept]) => rest.replace(shape, kept),
    withoutKnown(text, known),
  );
}

/** Removes only the values of `known`; for texts that are truncated afterwards. */
export function withoutKnown(text: string, known: readonly string[]): string {
  return known
    .filter((secret) => secret.length > 0)
    .reduce((rest, secret) => rest.split(secret).join(REDACTED), text);
}

/** The same for every string inside plain JSON; keys stay. */
export function redactJson(value: unknown, known: readonly string[] = []): unknown {
  if (typeof value === 'string') return redact(value, known);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, known));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, redactJson(member, known)]),
    );
  }
  return value;
}
