const REDACTED = '[redacted]';

/**
 * Each pattern with what stays of it: enough to tell what stood there, nothing of its value. Texts come from strangers, so
 * each pattern takes time linear in the text: it begins at a word of its own, never at a run of what may stand before it,
 * and no two of its parts may match the same characters.
 */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-]{1,64}-----[\s\S]*?(?:-----END [^-]{1,64}-----|$)/g, REDACTED],
  // The same in base64, as kubeconfigs carry it: `-----BEGIN` is `LS0tLS1CRUdJTi`.
  [/LS0tLS1CRUdJTi[A-Za-z0-9+/=_-]*/g, REDACTED],
  // From the first `eyJ` of a run on: each run is gone through once.
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
 * Takes out of a text what looks like a credential (bearer tokens, JWTs, PEM blocks, kubeconfig key data,
 * passwords, user information of URLs) and every one of `known`, whatever it looks like.
 * For everything that is written down: errors, logs, evidence.
 */
export function redact(text: string, known: readonly string[] = []): string {
  return SECRET_SHAPES.reduce(
    (rest, [shape, kept]) => rest.replace(shape, kept),
    withoutKnown(text, known),
  );
}

/** Takes out every one of `known` alone; for texts that are cut afterwards. */
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
