import { describe, expect, it } from '@jest/globals';
import { reversibilityOf } from '../../../domain/decision/decide-run.js';
import { reversibilityIn } from '../../../domain/fleet/member-milestones.js';
import {
  blocked,
  CHECKED,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  LOOKED,
  MEMBER,
  order,
  seenCluster,
  STARTED,
  turned,
  verdict,
  type GivenEvent,
} from '../run/given-run.js';
import { reportingMember, ReportingRun } from './reporting-run.js';

const SOAKING = { kind: 'soaking' };
const HOLD = [failed('ForeignEdit'), FENCED, LOOKED] as const;

describe('the end that a member reports', () => {
  it.each<readonly [string, readonly GivenEvent[], object]>([
    ['stopped', [command('stop'), finished()], { outcome: 'stopped', changed: true, asked: true }],
    [
      'rolled back by a person',
      [command('rollBack'), finished(), FENCED, LOOKED, CHECKED, finished(), finished()],
      { outcome: 'back', changed: true, asked: true, signature: '' },
    ],
    [
      'rolled back by the fleet',
      [turned('kcm', 1, false), finished(), FENCED, LOOKED, CHECKED, finished(), finished()],
      { outcome: 'back', changed: true, asked: false },
    ],
  ])('is %s', (_, events, expected) => {
    const run = reportingMember([does()]).stepping();
    for (const [index, event] of events.entries()) {
      if (index === events.length - 2) run.rule(DONE);
      run.on(event);
    }
    expect(run.said().at(-1)).toMatchObject({ kind: 'ended', ...expected });
  });

  it('is a rollback by its own policy, reported when it begins and when it ends', () => {
    const run = reportingMember([does()], { onBreach: 'rollBack' })
      .stepping()
      .on(finished([verdict()]));
    const signature = 'CCM3001';
    expect(run.said()).toMatchObject([
      { kind: 'turned', target: 'kcm', byPerson: false, changed: true, signature },
    ]);
    run.rule(DONE).on(FENCED, LOOKED, finished());
    expect(run.said()).toMatchObject([{ kind: 'ended', outcome: 'back', asked: false, signature }]);
  });

  it.each([
    ['StalePlan', 'drifted', 'CCM4001'],
    ['AlreadyRunning', 'busy', 'CCM4003'],
    ['PreflightFailed', 'refused', 'CCM1203'],
    ['ClusterMismatch', 'refused', 'CCM4010'],
  ] as const)('is after %s before the first change: %s', (type, outcome, signature) => {
    const message = type === 'PreflightFailed' ? 'CCM1203 cluster: too old' : 'it was so';
    const run = reportingMember([does()]).on(STARTED, failed(type, { message }));
    expect(run.said()).toEqual([
      {
        ...{ kind: 'ended', outcome, signature, changed: false },
        ...{ asked: false, reversibility: 'unknown' },
      },
    ]);
  });

  it('is a failure, not a busy cluster, when another run takes its fence in the middle', () => {
    const run = reportingMember([does()])
      .stepping()
      .on(finished(), failed('AlreadyRunning'), FENCED, LOOKED);
    const [end] = run.on(failed('AlreadyRunning')).said();
    expect(end).toMatchObject({
      outcome: 'failed',
      changed: true,
      signature: 'CCM4003 prepareCcm',
    });
  });

  it('is told once', () => {
    const run = reportingMember([DONE]).stepping();
    expect(run.said()).toMatchObject([{ outcome: 'proven', changed: false }]);
    run.on(command('pause'));
    expect(run.said()).toEqual([]);
  });
});

describe('a run that its fleet adopts', () => {
  it('reports where it stands', () => {
    const adopt = order({ kind: 'adopt', fleetWorkflowId: MEMBER.fleetWorkflowId });
    const soak = new ReportingRun([does()], { soakSeconds: 9 }).stepping().rule(DONE);
    expect(soak.on(finished(), adopt).said()).toEqual([SOAKING]);
    const held = new ReportingRun([does()]).stepping().on(...HOLD, adopt);
    expect(held.said()).toMatchObject([{ kind: 'held', heals: false, changed: true }]);
  });

  it('does not take a rollback for a turn', () => {
    const run = new ReportingRun([does()]).stepping().on(command('rollBack'), finished());
    run.on(order({ kind: 'adopt', fleetWorkflowId: MEMBER.fleetWorkflowId }));
    expect(run.said()).toEqual([]);
  });
});

describe('reversibility', () => {
  it('is read from the words of the decision', () => {
    const cluster = seenCluster();
    const granted = { ...cluster.access, leaseGrant: 'present' as const };
    const missing = { ...cluster.access, leaseGrant: 'absent' as const };
    const of = (
      back: Parameters<typeof reversibilityOf>[0],
      access: typeof granted | typeof missing = granted,
    ): string => reversibilityIn(reversibilityOf(back, { ...cluster, access }));
    expect(of(blocked())).toBe('no');
    expect(of(DONE)).toBe('yes');
    expect(of(does())).toBe('yes');
    expect(of(does(), missing)).toBe('notes');
    expect(of(blocked('CCM2008'))).toBe('no');
    expect(of(blocked('CCM2010'))).toBe('later');
    expect(reversibilityIn('unknown: the cluster was not observed')).toBe('unknown');
    expect(reversibilityIn('')).toBe('unknown');
  });
});
