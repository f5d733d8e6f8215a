/** Who did something, as far as a key says so. */
interface Signed {
  readonly principal?: string | undefined;
}

/** Names are claimed, keys are not: one person who claims two names is one person. Unknown where no one signs. */
export function isSameSigner(one: Signed, other: Signed): boolean {
  return one.principal !== undefined && one.principal === other.principal;
}

/** The part of a record that says whose key it was; nothing where no one signs. */
export function signerIn({ principal }: Signed): { readonly principal?: string } {
  return principal === undefined ? {} : { principal };
}
