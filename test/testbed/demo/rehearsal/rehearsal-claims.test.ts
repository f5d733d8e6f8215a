import { describe, expect, it } from '@jest/globals';
import {
  rehearsalClaims,
  type RehearsalEvidence,
} from '../../../../testbed/demo/rehearsal/rehearsal-claims.js';
import { rehearsalSummary } from '../../../../testbed/demo/rehearsal/rehearsal-lines.js';
import {
  rehearsedAccount,
  worstExposure,
  type RehearsedAccount,
} from '../../../../testbed/demo/rehearsal/rehearsed-account.js';
import type { Truth } from '../../../../testbed/base/truth/truth.js';
import { createTheme } from '../../../../cli/terminal/theme.js';

/** When each cluster changes in a good run, in seconds; each soaks for five more. */
const CHANGED: Readonly<Record<string, readonly [number, number]>> = {
  ...{ c1: [0, 10], m1: [20, 30], m2: [20, 31], l1: [40, 50] },
};

function account(name: string, changes: Partial<RehearsedAccount> = {}): RehearsedAccount {
  const [from, to] = CHANGED[name] ?? [0, 0];
  return {
    ...{ name, region: 'eu', overlapSeconds: 0, orphanSeconds: 3, owners: ['ccm'], struck: 0 },
    ...{ changes: 40, changing: { fromMs: from * 1000, toMs: to * 1000 } },
    ...{ fenced: { fromMs: from * 1000, toMs: (to + 5) * 1000 }, longestOrphanSeconds: 2 },
    ...changes,
  };
}

function evidence(
  others: readonly RehearsedAccount[] = [],
  {
    phases = {},
    standing = 'done',
    rehearse = false,
    isDoneEarly = false,
  }: {
    readonly phases?: Readonly<Record<string, string>>;
    readonly standing?: string;
    readonly rehearse?: boolean;
    readonly isDoneEarly?: boolean;
  } = {},
): RehearsalEvidence {
  const waves = ['first', 'last'].map((name) => ({
    plan: { name, done: isDoneEarly ? {} : null, rehearseRollback: rehearse },
    policy: { disableLeaderMigration: 'never' },
  }));
  const clusters = Object.keys(CHANGED).map((name) => ({
    ...{ name, wave: name === 'l1' ? 1 : 0, canary: name === 'c1' },
    groups: [`zone=${name === 'l1' ? 'z2' : 'z1'}`],
  }));
  const rollout = { inFlight: 2, unproven: 2, caps: { zone: 2 } };
  const proven = Object.fromEntries(Object.keys(CHANGED).map((name) => [name, 'proven']));
  return {
    plan: { waves, clusters, rollout } as unknown as RehearsalEvidence['plan'],
    accounts: Object.keys(CHANGED).map(
      (name) => others.find((other) => other.name === name) ?? account(name),
    ),
    report: { standing, phases: { ...proven, ...phases }, burnt: 0, needs: [] },
  };
}

function untrue(given: RehearsalEvidence): readonly string[] {
  return rehearsalClaims(given)
    .filter(({ holds }) => !holds)
    .map(({ claim }) => claim);
}

const MOVED = 'the CCM owns the cloud controllers of every planned cluster';
const AGREES = "the product's report agrees with the simulator";
const together = { fromMs: 20_500, toMs: 29_000 };

describe('the claims of a rehearsal', () => {
  it('every claim holds for a run that goes as forecast', () => {
    expect(untrue(evidence())).toEqual([]);
    expect(rehearsalClaims(evidence())).toHaveLength(8);
  });

  it.each<[string, RehearsalEvidence, readonly string[]]>([
    [
      'two owners for a moment',
      evidence([account('m1', { overlapSeconds: 0.1 })]),
      ['never two owners, in any cluster'],
    ],
    [
      'a planned cluster that is back',
      evidence([account('m1', { owners: ['kcm'] })], { phases: { m1: 'back' } }),
      [MOVED],
    ],
    [
      'a cluster that is not as reported',
      evidence([account('m1', { owners: ['kcm'] })]),
      [MOVED, AGREES],
    ],
    ['a fleet that waits for a person', evidence([], { standing: 'held' }), [AGREES]],
    [
      'a third cluster at once',
      evidence([account('l1', { changing: together })]),
      [
        'never more than 2 clusters were changing',
        'wave first was finished before wave last began',
      ],
    ],
    [
      'a third cluster that is unproven at once',
      evidence([account('l1', { fenced: { fromMs: 33_000, toMs: 60_000 } })]),
      ['never more than 2 were unproven'],
    ],
    [
      'a third cluster of a zone, beside its canary',
      evidence([account('c1', { changing: together })]),
      [
        'never more than 2 clusters were changing',
        'never more than 2 of one zone were changing',
        'the canaries of first were finished before its others changed',
      ],
    ],
  ])('a claim is false for %s', (_case, given, expected) => {
    expect(untrue(given)).toEqual(expected);
  });

  it('a wave that may leave clusters to a last pass claims no order', () => {
    const early = evidence([account('l1', { changing: { fromMs: 15_000, toMs: 19_000 } })], {
      isDoneEarly: true,
    });
    expect(untrue(early)).toEqual([]);
  });

  it('a canary that goes forward, back and forward counts for no limit of those that change', () => {
    const spans = { changing: { fromMs: 0, toMs: 60_000 } };
    const given = evidence([account('c1', spans)], { rehearse: true, isDoneEarly: true });
    expect(untrue(given)).toEqual([
      'the canaries of first were finished before its others changed',
    ]);
  });
});

describe('the worst exposure', () => {
  it('is the longest time without owner with its cluster, the most at once, and any overlap', () => {
    const accounts = [
      account('m1', { longestOrphanSeconds: 7 }),
      account('m2', { overlapSeconds: 0.5 }),
    ];
    expect(worstExposure(accounts)).toEqual({
      ...{ orphan: { cluster: 'm1', seconds: 7 }, overlapSeconds: 0.5 },
      ...{ mostChanging: 2, mostUnproven: 2 },
    });
    expect(worstExposure([])).toMatchObject({
      orphan: { cluster: '', seconds: 0 },
      mostChanging: 0,
    });
  });

  it('times without owner from before the fleet do not count, and the longest since then does', () => {
    const loop = {
      ...{ overlapSeconds: 0, orphanSeconds: 50, moves: 1, intervals: [] },
      orphans: [
        { fromMs: 0, toMs: 40_000, seconds: 40 },
        { fromMs: 60_000, toMs: 64_000, seconds: 4 },
        { fromMs: 70_000, toMs: null, seconds: 6 },
      ],
    };
    const controllers = { service: loop, route: loop, 'cloud-node-lifecycle': loop };
    const truth = { nowMs: 76_000, controllers, cloudCalls: 0 } as unknown as Truth;
    const seen = rehearsedAccount({ name: 'c1', region: 'eu' }, [], truth, 50_000);
    expect(seen).toMatchObject({ longestOrphanSeconds: 6, fenced: null });
  });
});

it('the summary puts what happened beside the forecast', () => {
  const given = evidence([], { phases: { m2: 'failed' }, standing: 'held' });
  const plan = { ...given.plan, forecast: { p50Ms: 60_000, p90Ms: 90_000 } };
  const report = { ...given.report, needs: [{ kind: 'budget', subject: 'prod', names: [] }] };
  const claims = [{ claim: 'it holds', holds: false, seen: 'no' }];
  const shown = rehearsalSummary(
    { evidence: { ...given, report, plan: plan as never }, claims, tookMs: 75_000 },
    createTheme({ color: false, ascii: false }),
  ).join('\n');
  expect(shown).toContain('  forecast  1 min to 1 min 30 s · 4 clusters proven\n');
  expect(shown).toContain(
    '  took      1 min 15 s of simulated time · 3 proven, 1 failed, 0 back\n',
  );
  expect(shown).toContain(
    '  worst     no owner for 2.0 s (c1) · 2 changing and 2 unproven at once · two owners for 0.0 s\n',
  );
  expect(shown).toContain('  needs     a person: budget of prod\n');
  expect(shown).toContain('NOT TRUE it holds (no)');
});
