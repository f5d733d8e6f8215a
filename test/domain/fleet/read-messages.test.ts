import { describe, expect, it } from '@jest/globals';
import { refuseUnreadable } from '../../../domain/fleet/fleet-commands.js';
import type { FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';
import type { MemberReport, ReportKind } from '../../../domain/fleet/fleet-events.js';
import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import { readMemberReport } from '../../../domain/fleet/read-member-report.js';
import { ENDED, GivenFleet, HELD, PARKED, READY, SOAKING } from './given-fleet.js';

const TURNED: ReportKind = {
  kind: 'turned',
  target: 'kcm',
  byPerson: true,
  changed: true,
  signature: '',
  reversibility: 'yes',
};
const REPORTS: readonly ReportKind[] = [SOAKING, HELD, PARKED, READY, TURNED, ENDED];

function report(what: ReportKind): MemberReport {
  return { fleetRun: 'run-1', row: 0, grant: 1, sequence: 2, what };
}

describe('a report from outside', () => {
  it.each(REPORTS)('is read as it was sent: %o', (what) => {
    expect(readMemberReport(report(what))).toEqual(report(what));
  });

  it.each([
    ...[null, 7, 'x', [], {}, report({} as ReportKind)],
    ...[
      { ...report(READY), row: -1 },
      { ...report(READY), sequence: 1.5 },
    ],
    ...[
      { ...report(READY), fleetRun: ' ' },
      { ...report(READY), grant: '1' },
    ],
    report({ ...HELD, heals: 'no' } as unknown as ReportKind),
    report({ ...HELD, signature: null } as unknown as ReportKind),
    report({ ...TURNED, target: 'cloud' } as unknown as ReportKind),
    report({ ...ENDED, outcome: 'fine' } as unknown as ReportKind),
    report({ ...ENDED, reversibility: 'perhaps' } as unknown as ReportKind),
  ])('is none: %j', (value) => {
    expect(readMemberReport(value)).toBeNull();
  });
});

const ORDERS: readonly FleetOrder[] = [
  ...(['pause', 'resume', 'freeze', 'unfreeze', 'skip'] as const).map((verb) => ({ verb })),
  ...(['open', 'stop', 'rollBack', 'rollForward'] as const).map((verb) => ({ verb })),
  { verb: 'approve', subject: { kind: 'before', wave: 1 }, planDigest: 'sha256:p', revision: 1 },
  {
    ...{ verb: 'approve', subject: { kind: 'limits' }, planDigest: 'sha256:p', revision: 1 },
    limits: { inFlight: 3, unproven: 9 },
  },
  { verb: 'reject', subject: { kind: 'limits' } },
  { verb: 'retry', only: { kind: 'failed' } },
  { verb: 'retry', only: { kind: 'signature', signature: 'CCM4008' } },
  { verb: 'set', inFlight: 3, unproven: null },
  { verb: 'budget', clusters: 4 },
];
const SCOPES: readonly FleetScope[] = [
  { kind: 'fleet' },
  { kind: 'wave', wave: 1 },
  { kind: 'group', group: 'region=eu' },
  { kind: 'rows', rows: [0, 4] },
];

function command(order: unknown, scope: unknown = { kind: 'fleet' }): object {
  return { commandId: 'c', actor: 'bo', reason: 'CHG-1', fleetRun: 'run-1', scope, order };
}

describe('a command from outside', () => {
  it.each(ORDERS)('is read as it was sent: %o', (order) => {
    expect(readFleetCommand(command(order))).toEqual({ kind: 'command', command: command(order) });
  });

  it.each(SCOPES)('is read for what it is about: %o', (scope) => {
    const sent = command({ verb: 'stop' }, scope);
    expect(readFleetCommand(sent)).toEqual({ kind: 'command', command: sent });
  });

  it.each([
    ...[undefined, { verb: 'dance' }, { verb: 'retry' }, { verb: 'budget', clusters: '4' }],
    ...[
      { verb: 'set', inFlight: 'all', unproven: null },
      { verb: 'set', inFlight: 3 },
    ],
    { verb: 'approve', subject: { kind: 'sometime' }, planDigest: 'p', revision: 1 },
    { verb: 'approve', subject: { kind: 'after' }, planDigest: 'p', revision: 1 },
    {
      ...{ verb: 'approve', subject: { kind: 'limits' }, planDigest: 'p', revision: 1 },
      limits: { inFlight: 3 },
    },
    { verb: 'retry', only: { kind: 'signature' } },
  ])('is answered when its order cannot be read: %j', (order) => {
    expect(readFleetCommand(command(order))).toEqual({
      ...{ kind: 'unreadable', commandId: 'c', actor: 'bo' },
      problem: 'this version cannot read its order',
    });
  });

  it.each([
    ...[{ kind: 'all' }, { kind: 'wave' }, { kind: 'group', group: '' }],
    ...[
      { kind: 'rows', rows: 4 },
      { kind: 'rows', rows: [0, -1] },
    ],
  ])('is answered when it cannot be read what it is about: %j', (scope) => {
    expect(readFleetCommand(command({ verb: 'stop' }, scope))).toMatchObject({
      problem: 'this version cannot read its scope',
    });
  });

  it.each([undefined, null, 7, ''])('knows no fleet where it names none: %j', (fleetRun) => {
    const sent = { ...command({ verb: 'stop' }), fleetRun };
    expect(readFleetCommand(sent)).toMatchObject({ command: { fleetRun: null } });
  });

  it('is refused once, and only where it can be answered', () => {
    const { state } = new GivenFleet();
    const read = readFleetCommand({ commandId: 'c', order: { verb: 'stop' } });
    if (read.kind === 'command') throw new Error('it was read');
    const refused = refuseUnreadable(state, read);
    expect(refused.answers['c']).toMatchObject({
      ...{ verb: 'unreadable', state: 'refused', actor: '' },
      detail: 'this version cannot read its actor, reason, scope',
    });
    expect(refuseUnreadable(refused, { ...read, problem: 'other' })).toBe(refused);
    expect(refuseUnreadable(state, { ...read, commandId: '' })).toBe(state);
    expect(readFleetCommand(null)).toMatchObject({ commandId: '', actor: '' });
  });
});
