/** Guards of the audit of pauses: those that the run took count, and no others. */
const counted = (only) => ({ tests: ['test/cli/audit/taken-pauses.test'], only });

export const TAKEN_PAUSE_GUARDS = [
  {
    name: 'audit: a step back while an alert pauses the run is no breach',
    file: 'cli/audit/taken-pauses.ts',
    from: 'this.#by.person || (this.#by.alert && !this.#goesBack)',
    to: 'this.#by.person || this.#by.alert',
    tests: ['test/cli/audit/recorded-checks.test'],
    only: 'accepts steps back',
  },
  {
    name: 'audit: a step forward while an alert pauses the run is a breach',
    file: 'cli/audit/taken-pauses.ts',
    from: 'this.#by.person || (this.#by.alert && !this.#goesBack)',
    to: 'this.#by.person',
    tests: ['test/cli/audit/recorded-checks.test'],
    only: 'accepts steps back',
  },
  {
    name: 'audit: an alert that the run refused paused nothing',
    file: 'cli/audit/taken-pauses.ts',
    from: "ruling.kind === 'obeyed' && ruling.verb === 'pause'",
    to: "ruling.kind === 'refused' || ruling.verb === 'pause'",
    ...counted('alerts that the policy refuses'),
  },
  {
    name: 'audit: an alert that began after the word of a person pauses',
    file: 'cli/audit/taken-pauses.ts',
    from: 'alertSinceMs: alertSinceMs ?? null',
    to: 'alertSinceMs: 0 * (alertSinceMs ?? 0)',
    ...counted('before a person let the run go on'),
  },
  {
    name: 'audit: a word without effect lets no alert be refused',
    file: 'cli/audit/taken-pauses.ts',
    from: 'if (this.#refused.has(commandId)) return false;',
    to: '',
    ...counted('the word of a person that had no effect'),
  },
  {
    name: 'audit: the end of an alert is no pause',
    file: 'cli/audit/taken-pauses.ts',
    from: 'if (alertOver !== undefined) return;',
    to: '',
    ...counted('are not the ends of alerts'),
  },
  {
    name: 'audit: a resume that a worker refused ends no pause',
    file: 'cli/audit/taken-pauses.ts',
    from: 'isAdmitted && !overtaken',
    to: '!overtaken',
    ...counted('end with a resume that a worker admitted'),
  },
  {
    name: 'audit: a resume that a brake overtook ends no pause',
    file: 'cli/audit/taken-pauses.ts',
    from: 'isAdmitted && !overtaken',
    to: 'isAdmitted',
    ...counted('end with a resume that a worker admitted'),
  },
];
