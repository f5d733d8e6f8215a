/** The result of one check of an export. */
export interface AuditCheck {
  readonly check: string;
  readonly result: 'pass' | 'fail' | 'unproven';
  readonly detail: string;
}

export function pass(check: string, detail: string): AuditCheck {
  return { check, result: 'pass', detail };
}

export function fail(check: string, detail: string): AuditCheck {
  return { check, result: 'fail', detail };
}

/** Neither proof nor disproof; the detail says what is needed to decide. */
export function unproven(check: string, detail: string): AuditCheck {
  return { check, result: 'unproven', detail };
}

/** Passes without faults; otherwise fails with the first fault and the number of further ones. */
export function judged(check: string, faults: readonly string[], good: string): AuditCheck {
  const [first] = faults;
  if (first === undefined) return pass(check, good);
  const more = faults.length === 1 ? '' : ` (and ${String(faults.length - 1)} more)`;
  return fail(check, `${first}${more}`);
}
