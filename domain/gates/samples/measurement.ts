/**
 * A value that was read, or why there is none. A reading that is not a number, missing, ambiguous or contradictory is
 * `unmeasured`: it never turns into a number, so no gate can pass on it.
 */
export type Measurement<T> =
  | { readonly kind: 'measured'; readonly value: T }
  | { readonly kind: 'unmeasured'; readonly why: string };

export function measured<T>(value: T): Measurement<T> {
  return { kind: 'measured', value };
}

export function unmeasured(why: string): Extract<Measurement<never>, { kind: 'unmeasured' }> {
  return { kind: 'unmeasured', why };
}
