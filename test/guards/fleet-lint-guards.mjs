/** Guards of what people write for fleets. */
const problems = (only) => ({ tests: ['test/config/fleets/fleet-problems.test'], only });
const openings = (only) => ({ tests: ['test/config/fleets/openings.test'], only });
const WAVES = 'config/rules/wave-rules.ts';

export const FLEET_LINT_GUARDS = [
  {
    name: 'CCM5021: a wave without a cluster',
    file: WAVES,
    from: 'if (selected.length === 0 && !isReported)',
    to: 'if (selected.length < 0)',
    ...problems('a wave whose label no cluster has'),
  },
  {
    name: 'CCM5022: a cluster in two waves',
    file: WAVES,
    from: '    reportTaken(selected, waveOf, { path, complain });\n',
    to: '',
    ...problems('a cluster in two waves'),
  },
  {
    name: 'CCM5023: a cluster in no wave',
    file: WAVES,
    from: "left.length > 0 && rest === 'refuse'",
    to: "left.length < 0 && rest === 'refuse'",
    ...problems('clusters in no wave'),
  },
  {
    name: 'CCM5024: more canaries than clusters',
    file: 'config/rules/canary-rules.ts',
    from: 'count > members.length && members.length > 0',
    to: 'count > members.length && members.length < 0',
    ...problems('more canaries than clusters'),
  },
  {
    name: 'CCM5025: fewer unproven than in flight',
    file: 'config/rules/rollout-rules.ts',
    from: 'unproven < inFlight',
    to: 'unproven < 0',
    ...problems('fewer unproven than in flight'),
  },
  {
    name: 'CCM5026: a cap on a label that no cluster has',
    file: 'config/rules/rollout-rules.ts',
    from: 'if (known.includes(label)) continue;',
    to: 'if (known.includes(label) || label) continue;',
    ...problems('a cap on a label that no cluster has'),
  },
  {
    name: 'CCM5027: an unknown time zone',
    file: 'config/rules/window-rules.ts',
    from: '!isTimeZone(window.timeZone)',
    to: "window.timeZone === ''",
    ...problems('an unknown time zone'),
  },
  {
    name: 'CCM5028: a window that is too short',
    file: 'config/rules/window-rules.ts',
    from: 'if (minutes >= neededMinutes) continue;',
    to: 'if (minutes >= 0) continue;',
    ...problems('a window that is too short'),
  },
  {
    name: 'CCM5028: a soak that a change follows',
    file: 'config/expected-run.ts',
    from: '(changesAfterSoak ? durationMs(soak) : 0)',
    to: '(changesAfterSoak ? 0 : 0 * durationMs(soak))',
    ...problems('a window without room for the soak that a change follows'),
  },
  {
    name: 'CCM5029: one person is one approval',
    file: 'config/rules/approval-rules.ts',
    from: 'new Set(approvers).size',
    to: 'approvers.length',
    ...problems('a quorum that counts one person twice'),
  },
  {
    name: 'CCM5030: a deadline before the start',
    file: 'config/rules/rollout-rules.ts',
    from: 'Date.parse(startAt) >= Date.parse(deadline)',
    to: 'Date.parse(startAt) < 0',
    ...problems('a deadline before the start'),
  },
  {
    name: 'openings: excluded dates are taken out',
    file: 'config/openings.ts',
    from: 'dates)].filter((date) => date >= first && date <= last)',
    to: 'dates)].filter((date) => date < first && date > last)',
    ...openings('end where an excluded date begins'),
  },
  {
    name: 'openings: of two equal times the first counts',
    file: 'config/time-zones.ts',
    from: 'Math.min(',
    to: 'Math.max(',
    ...openings('close at the first of two equal times'),
  },
  {
    name: 'CCM5002: a key that schemas drop',
    file: 'config/validated-documents.ts',
    from: "key === '__proto__' ? [at] : lostKeys(inner, at)",
    to: 'lostKeys(inner, at)',
    tests: ['test/config/fleets/fleet-properties.test'],
    only: 'with the label __proto__ select',
    composed: true,
  },
];
