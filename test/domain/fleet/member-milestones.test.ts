import { describe, expect, it } from '@jest/globals';
import { nextReport, refusedBeforeStart } from '../../../domain/fleet/member-milestones.js';
import type { ReportKind } from '../../../domain/fleet/fleet-events.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import {
  blocked,
  braked,
  changeSeen,
  CHECKED,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  granted,
  LOOKED,
  MEMBER,
  observed,
  PARK,
  PASS,
  soaked,
  STARTED,
  turned,
  verdict,
  type GivenEvent,
} from '../run/given-run.js';
import { reportingMember, ReportingRun } from './reporting-run.js';

const PARKED = { kind: 'parked' };
const READY = { kind: 'ready' };
const SOAKING = { kind: 'soaking' };
const WITHOUT_GUARD = observed(0, false);
const HOLD = [failed('ForeignEdit'), FENCED, LOOKED] as const;

describe('what a member reports', () => {
  it('is the code of its own failure where it refuses its input', () => {
    expect(refusedBeforeStart(MEMBER).what).toMatchObject({
      ...{ kind: 'ended', outcome: 'refused', signature: 'CCM5003', changed: false },
    });
  });

  it('of a normal run is its soak and its end', () => {
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    expect(run.said()).toEqual([SOAKING]);
    run.on(soaked([PASS], 10), LOOKED, soaked());
    expect(run.last.kind).toBe('runStep');
    run.on(finished());
    expect(run.said()).toEqual([
      {
        ...{ kind: 'ended', outcome: 'proven', changed: true, signature: '' },
        ...{ asked: false, reversibility: 'yes' },
      },
    ]);
    expect(nextReport(run.state)).toBeNull();
  });

  it('of a hold before anything was observed names no step', () => {
    const run = reportingMember([does()]).on(STARTED, CHECKED, failed('ForeignEdit'));
    expect(run.said()).toMatchObject([
      { kind: 'held', changed: false, signature: expect.stringMatching(/^CCM\d{4}$/) },
    ]);
  });

  it('is nothing without a fleet', () => {
    const run = new ReportingRun([does()], { soakSeconds: 9 }).stepping();
    run.rule(DONE).on(finished(), command('stop'));
    expect(run.said()).toEqual([]);
    expect(run.state.membership.sequence).toBe(0);
  });

  it('names fleet run, row and grant, and counts from one in each grant', () => {
    const run = reportingMember([blocked()]).stepping().on(PARK);
    const { fleetRun, row } = MEMBER;
    expect(run.sent.map(({ what, ...of }) => [what.kind, of])).toEqual([
      ['held', { fleetRun, row, grant: 1, sequence: 1 }],
      ['parked', { fleetRun, row, grant: 1, sequence: 2 }],
    ]);
    run.said();
    run.on(granted(2), LOOKED);
    expect(run.sent).toMatchObject([{ grant: 2, sequence: 1, what: { kind: 'held' } }]);
  });

  it('before workers are rolled is no soak, because the cluster changes again', () => {
    const roll = does('rollWorkers', { phase: 'rollWorkers' });
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping().rule(roll).on(finished());
    expect(run.last.kind).toBe('soak');
    expect(run.said()).toEqual([]);
  });

  it('before Leader Migration is switched off is its soak, because none follows', () => {
    const off = does('disableLeaderMigration', { phase: 'disableLeaderMigration' });
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping().rule(off).on(finished());
    expect(run.said()).toEqual([SOAKING]);
  });

  it('of a rollback is no soak', () => {
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping();
    run.on(turned('kcm'), finished(), FENCED, LOOKED, CHECKED).rule(DONE);
    run.on(finished());
    expect(run.last.kind).toBe('soak');
    expect(run.said()).toEqual([]);
  });

  it('of a measurement of the gates is no soak', () => {
    const run = reportingMember([does()], { soakSeconds: 9 })
      .stepping()
      .on(finished([verdict()]));
    run.said();
    run.rule(DONE).on(command('retry'), FENCED);
    expect(run.last).toEqual({ kind: 'soak', soakMs: 0 });
    expect(run.said()).toEqual([]);
  });
});

/** What a hold looks like to the fleet. */
const HOLDS: readonly (readonly [string, readonly GivenEvent[], Partial<ReportKind>])[] = [
  [
    'a failed step',
    HOLD,
    { heals: false, changed: true, signature: 'CCM4006 prepareCcm', reversibility: 'notes' },
  ],
  [
    'an environment that is away',
    [failed('Unreachable'), failed('Unreachable')],
    { heals: true, changed: true, signature: 'CCM4011 prepareCcm' },
  ],
  [
    'a gate that was closed before the step wrote',
    [failed('GateFailed', { verdicts: [verdict()] }), FENCED, LOOKED],
    { heals: false, changed: false, signature: 'CCM3001 prepareCcm' },
  ],
  [
    'a measured gate after the step',
    [finished([verdict()])],
    { heals: false, changed: true, signature: 'CCM3001 prepareCcm' },
  ],
  ['a pause by a person', [command('pause'), finished()], { heals: true, signature: 'paused' }],
];

describe('a hold that a member reports', () => {
  it.each(HOLDS)('is %s', (_, events, expected) => {
    const run = reportingMember([does()])
      .stepping()
      .on(...events);
    expect(run.said()).toEqual([expect.objectContaining({ kind: 'held', ...expected })]);
    run.on({ kind: 'guardEnded', why: 'lost' });
    expect(run.said()).toEqual([]);
  });

  it('is an approval that heals as soon as it is given, and a rejection that does not', () => {
    const step = does('externalizeKcm', { phase: 'replaceNodes' });
    const run = reportingMember([step], { handoverApproval: 'required' }).stepping();
    const waits = { heals: true, changed: false, signature: 'CCM4015 externalizeKcm' };
    expect(run.said()).toMatchObject([waits]);
    run.on(command('reject', { actor: 'bo' }));
    expect(run.said()).toMatchObject([{ heals: false, signature: 'CCM4102 externalizeKcm' }]);
    const other = reportingMember([step], { handoverApproval: 'required' }).stepping();
    other.said();
    other.on(command('approve', { actor: 'bo' }), LOOKED);
    expect(other.said()).toEqual([READY]);
  });

  it('in a soak is named so', () => {
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    run.said();
    run.on(soaked([verdict()]));
    expect(run.said()).toMatchObject([{ kind: 'held', heals: false, signature: 'CCM3001 soak' }]);
  });

  it('is a brake for no one: the fleet knows it', () => {
    const run = reportingMember([does()]).stepping().on(braked(), finished());
    expect(run.said()).toEqual([]);
  });

  it('is an absent guard only when it stays away', () => {
    const run = reportingMember([does()]).on(STARTED, CHECKED, FENCED, WITHOUT_GUARD);
    expect(run.last.kind).toBe('awaitChange');
    expect(run.said()).toEqual([]);
    run.on(changeSeen('timeUp'));
    expect(run.said()).toMatchObject([{ heals: true, changed: false }]);
    run.on(changeSeen('guarded'));
    expect(run.said()).toEqual([]);
    run.on(LOOKED);
    expect(run.said()).toEqual([READY]);
  });

  it('is workers that stay away for several tries', () => {
    const run = reportingMember([does()]).stepping();
    const away: readonly GivenEvent[] = [failed('NoWorker', { neverRan: true }), LOOKED];
    run.on(...away);
    for (let tries = 0; tries < 4; tries += 1) {
      expect(run.said()).toEqual([]);
      run.on(away[0] as RunEvent, { kind: 'rested' }, LOOKED);
    }
    expect(run.said().map(({ kind }) => kind)).toEqual(['held', 'ready']);
  });

  it('is over when the run goes on, and reported again when it recurs', () => {
    const run = reportingMember([does()]).stepping().rule(blocked()).on(finished());
    expect(run.said()).toMatchObject([{ kind: 'held', heals: true, signature: 'CCM2003' }]);
    run.on(changeSeen('timeUp')).rule(does()).on(changeSeen());
    expect(run.said()).toEqual([]);
    run.on(LOOKED);
    expect(run.said()).toEqual([READY]);
    run.rule(blocked()).on(finished());
    expect(run.said()).toMatchObject([{ kind: 'held' }]);
  });

  it('needs no word when the run soaks after it', () => {
    const run = reportingMember([does()], { soakSeconds: 9 })
      .stepping()
      .rule(blocked())
      .on(finished());
    run.said();
    run.rule(DONE).on(changeSeen(), LOOKED);
    expect(run.said()).toEqual([SOAKING]);
  });
});

describe('a member that is parked', () => {
  it('says so, says when its hold has healed, and when it is held again', () => {
    const run = reportingMember([blocked()]).stepping();
    run.said();
    expect(run.on(PARK).said()).toEqual([PARKED]);
    run.rule(does()).on(changeSeen());
    expect(run.said()).toEqual([]);
    expect(run.on(LOOKED).said()).toEqual([READY]);
    run.on({ kind: 'guardBreach', verdict: verdict() });
    expect(run.said()).toMatchObject([
      { kind: 'held', heals: false, signature: 'CCM3001 prepareCcm' },
    ]);
  });

  it('is ready at once when its hold healed before the order came', () => {
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    run.said();
    expect(run.on(PARK).said()).toEqual([PARKED, READY]);
  });

  it('reports the hold and then the slot when both come together', () => {
    const run = reportingMember([does()])
      .stepping()
      .on(PARK, ...HOLD);
    expect(run.said()).toMatchObject([{ kind: 'held' }, PARKED]);
  });

  it('is not ready while a person has paused it', () => {
    const run = reportingMember([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());
    run.on(command('pause'), PARK);
    expect(run.said().map(({ kind }) => kind)).toEqual(['soaking', 'held', 'parked']);
    expect(run.on(command('resume')).said()).toEqual([READY]);
  });

  it('has turned when a person rolls it back there, and is parked where it is rolled forward', () => {
    const run = reportingMember([does()])
      .stepping()
      .on(...HOLD, PARK);
    run.said();
    const by = {
      kind: 'turned',
      byPerson: true,
      changed: true,
      signature: '',
      reversibility: 'notes',
    };
    expect(run.on(command('rollBack')).said()).toEqual([{ ...by, target: 'kcm' }]);
    run.on(PARK);
    expect(run.said()).toEqual([PARKED, READY]);
    expect(run.on(command('rollForward')).said()).toEqual([
      { ...by, target: 'ccm' },
      PARKED,
      READY,
    ]);
  });
});
