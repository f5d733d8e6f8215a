import { describe, expect, it } from '@jest/globals';
import type { DirectionRun } from '../../../../testbed/demo/direction-run.js';
import { makeFinding, type FindingCode } from '../../../../domain/findings/catalogue.js';
import type { Hold } from '../runs/lab-direction.js';
import { holdComplaints, sharedOwnership } from './judge-fault.js';

function hold(code: FindingCode, seen: string): Hold {
  return { holdReason: 'blocked', findings: [makeFinding(code, { subject: 'cluster', seen })] };
}

const HIDDEN = hold('CCM2001', 'cp-2: out of reach');

describe('holds of a run are judged by what its fault allows', () => {
  it.each<[string, Parameters<typeof holdComplaints>, readonly string[]]>([
    [
      'a run that must never hold, and did not',
      [
        { hold: 'never', reasons: [] },
        { holds: [], node: '' },
      ],
      [],
    ],
    [
      'a run that must never hold, and did',
      [
        { hold: 'never', reasons: ['CCM2001'] },
        { holds: [HIDDEN], node: '' },
      ],
      ['it held: blocked (CCM2001 cluster: cp-2: out of reach)'],
    ],
    [
      'a run that may hold, and did not',
      [
        { hold: 'may', reasons: [] },
        { holds: [], node: 'cp-2' },
      ],
      [],
    ],
    [
      'a run that must hold, for a true reason that names the node',
      [
        { hold: 'must', reasons: ['CCM2001'] },
        { holds: [HIDDEN], node: 'cp-2' },
      ],
      [],
    ],
    [
      'a run that must hold, and did not',
      [
        { hold: 'must', reasons: ['CCM2001'] },
        { holds: [], node: 'cp-2' },
      ],
      ['it did not hold while the fault lasted'],
    ],
    [
      'a run that must hold, and names another node',
      [
        { hold: 'must', reasons: ['CCM2001'] },
        { holds: [HIDDEN], node: 'cp-1' },
      ],
      ['it held without naming cp-1: blocked (CCM2001 cluster: cp-2: out of reach)'],
    ],
    [
      'a run that may hold, but for another reason',
      [
        { hold: 'may', reasons: ['CCM3008'] },
        { holds: [HIDDEN], node: 'cp-2' },
      ],
      ['it held for CCM2001 cluster: cp-2: out of reach'],
    ],
  ])('the hold under a fault is judged: %s', (_case, given, complaints) => {
    expect(holdComplaints(...given)).toEqual(complaints);
  });
});

describe('two owners at once are judged by what their fault allows', () => {
  const loop = (overlapSeconds: number): DirectionRun['truth']['service'] => ({
    ...{ overlapSeconds, orphanSeconds: 0, moves: 0, orphans: [], owners: ['ccm:cp-1#1'] },
  });
  const truth = (service: number): DirectionRun['truth'] => ({
    ...{ service: loop(service), route: loop(0), 'cloud-node-lifecycle': loop(0) },
  });

  it('two owners at once are wrong, however short', () => {
    expect(sharedOwnership({ overlap: 'none' }, { truth: truth(0) })).toEqual([]);
    expect(sharedOwnership({ overlap: 'none' }, { truth: truth(0.01) })).toEqual([
      'service had two owners for 0.01 s',
    ]);
  });

  it('two owners are required where a process woke that had lost its Lease', () => {
    expect(sharedOwnership({ overlap: 'whenItWakes' }, { truth: truth(10) })).toEqual([]);
    expect(sharedOwnership({ overlap: 'whenItWakes' }, { truth: truth(0) })).toEqual([
      'the process that woke was no second owner',
    ]);
  });
});
