import { describe, expect, it } from '@jest/globals';
import { describeCluster, reversibilityOf } from '../../../domain/decision/decide-run.js';
import type { Decision } from '../../../domain/decision/step.js';
import type { ManagerSlot } from '../../../domain/observation/observation.js';
import { skip } from '../../../domain/run/approvals.js';
import { readCommand } from '../../../domain/run/operator-command.js';
import { nodeOf } from '../../../domain/run/run-findings.js';
import { nextActions } from '../../../domain/run/next-actions.js';
import { clusterOf, kcmConfig, policyOf } from '../../support/cluster-builder.js';
import {
  CHECKED,
  DONE,
  FENCED,
  GivenRun,
  LOOKED,
  MEMBER,
  PARK,
  STARTED,
  blocked,
  braked,
  command,
  does,
  failed,
  finished,
  observed,
  seenCluster,
  step,
  verdict,
} from './given-run.js';

describe('readCommand', () => {
  const good = { commandId: 'c', verb: 'pause', actor: 'ana', reason: '', ticket: 'T-1' };

  it('readCommand accepts a valid command and drops arguments that are no texts', () => {
    expect(readCommand({ ...good, arguments: { code: 'CCM1', n: 1 } })).toEqual({
      kind: 'command',
      command: { ...good, arguments: { code: 'CCM1' } },
    });
  });

  it('readCommand needs no arguments', () => {
    expect(readCommand({ ...good, arguments: 'code' })).toMatchObject({
      command: { arguments: {} },
    });
  });

  it.each([
    [null, '', 'it is not an object'],
    [[], '', 'it is not an object'],
    [{ ...good, commandId: 7 }, '', 'commandId is missing'],
    [{ ...good, verb: 'explode' }, 'c', /^verb must be one of pause, resume/],
    [{ ...good, actor: '' }, 'c', 'actor is missing'],
    [{ ...good, verb: 'skip' }, 'c', 'skip needs a reason'],
  ])('readCommand reports what is wrong with %j', (given, commandId, problem) => {
    const read = readCommand(given);
    expect(read).toMatchObject({ kind: 'malformed', commandId });
    expect(read).toHaveProperty('problem', expect.stringMatching(problem));
  });
});

describe('the text that describes a cluster', () => {
  const slot = (manifest: ManagerSlot['manifest']) => ({ manifest, processes: [] });
  const words = (manifest: ManagerSlot['manifest'], running = false): string => {
    const observation = seenCluster();
    const [node] = observation.nodes;
    if (node === undefined) throw new Error('no node');
    const kcm = running ? { ...node.kcm, manifest } : slot(manifest);
    const machinesOrdered = [
      { name: 'cp-9', side: 'target', state: 'booting', reason: '' },
    ] as const;
    const seen = { ...observation, machinesOrdered, nodes: [{ ...node, kcm }] };
    return describeCluster(seen, policyOf());
  };

  it.each<[string, ManagerSlot['manifest'], boolean]>([
    ['KCM absent', { state: 'absent' }, false],
    ['KCM without manifest but running', { state: 'absent' }, true],
    ['KCM parked', { state: 'parked', hash: '', config: kcmConfig('external') }, false],
    [
      'KCM removed, its successor not written yet',
      { state: 'interrupted', successorHash: '', successor: kcmConfig('external') },
      false,
    ],
    ['KCM unreadable (no access)', { state: 'unknown', why: 'no access' }, false],
    [
      'KCM 1.29.15 in-tree with Leader Migration on',
      { state: 'present', source: 'staticPod', hash: '', config: kcmConfig('inTreeLm') },
      false,
    ],
    [
      'KCM 1.30.14 external,',
      { state: 'present', source: 'staticPod', hash: '', config: kcmConfig('external') },
      false,
    ],
  ])('the state of a manager is described as: %s', (expected, manifest, running) => {
    expect(words(manifest, running)).toContain(`cp-1: ${expected}`);
    expect(words(manifest, running)).toContain('machine cp-9 booting');
  });

  it('names the version of a CCM, and clearly states which manager runs the controllers', () => {
    const observation = clusterOf({
      nodes: [{ kcm: 'external', ccm: 'on' }],
      kcmLeader: 0,
      ccmLeader: 0,
      migration: { manager: 'ccm', node: 0 },
      granted: true,
    });
    const text = describeCluster(observation, policyOf());
    expect(text).toMatch(/^the cloud-controller-managers run the cloud controllers; /);
    expect(text).toContain('CCM 1.30.14 with Leader Migration on');
  });
});

const SUSPECT = verdict({
  ...{ gate: 'serviceSyncErrors', hardness: 'soft', verdict: 'inconclusive', code: 'CCM3102' },
});

describe('the suggested next command', () => {
  const ITSELF = /^the run continues by itself when CCM\d+ has passed$/;
  const runs: readonly (readonly [string, GivenRun, string | RegExp, readonly string[]])[] = [
    ['a run on its way', new GivenRun([does()]).stepping(), '', ['status c1 -w']],
    [
      'a pause',
      new GivenRun([blocked()]).stepping().on(command('pause')),
      '',
      ['resume c1', 'rollback c1', 'stop c1'],
    ],
    [
      'a blocked run',
      new GivenRun([blocked()]).stepping(),
      ITSELF,
      ['explain CCM2003', 'rollback c1'],
    ],
    [
      'a finding that only a person lets pass',
      new GivenRun([blocked('CCM2012')]).stepping(),
      "waits for a person's word on CCM2012",
      ['skip c1 --code CCM2012', 'explain CCM2012', 'rollback c1'],
    ],
    [
      'a finding that another person approves',
      new GivenRun([blocked('CCM2020')]).stepping(),
      "waits for a person's word on CCM2020",
      ['approve c1 --code CCM2020', 'explain CCM2020', 'rollback c1'],
    ],
    [
      'a gate on metrics that is only a suspicion',
      new GivenRun([does()]).stepping().on(finished([SUSPECT])),
      /^(cure CCM3102, then retry|the run continues by itself when CCM3102 has passed)$/,
      ['explain CCM3102', 'rollback c1'],
    ],
    [
      'a cause that passes by itself',
      new GivenRun([does()]).stepping().on(finished([verdict({ code: 'CCM3005' })])),
      ITSELF,
      ['explain CCM3005', 'rollback c1'],
    ],
    [
      'no guard',
      new GivenRun([does()]).on(STARTED, CHECKED, FENCED, observed(0, false)),
      ITSELF,
      ['explain CCM4028', 'stop c1'],
    ],
    [
      'failed gates',
      new GivenRun([does()]).stepping().on(finished([verdict(), verdict({ gate: 'other' })])),
      'cure CCM3001, then retry',
      ['retry c1', 'rollback c1'],
    ],
    [
      'a failure during rollback',
      new GivenRun([blocked()]).stepping().on(command('rollBack'), failed('Forbidden')),
      'cure CCM4009, then retry',
      ['retry c1', 'rollforward c1'],
    ],
    [
      'an approval',
      new GivenRun([does('externalizeKcm', { phase: 'replaceNodes' })], {
        handoverApproval: 'required',
      }).stepping(),
      '',
      ['approve c1', 'reject c1'],
    ],
    [
      'a rejection',
      new GivenRun([blocked('CCM2007')]).stepping().on(command('reject')),
      '',
      ['approve c1', 'rollback c1', 'stop c1'],
    ],
    [
      'a slot that its fleet took back',
      new GivenRun([does()], {}, MEMBER).stepping().on(PARK, finished()),
      'parked by fleet prod-eu, waits for a slot',
      ['retry prod-eu/c1', 'rollback c1', 'stop c1'],
    ],
    [
      'a slot and a hold that heals',
      new GivenRun([blocked()], {}, MEMBER).stepping().on(PARK),
      'parked by fleet prod-eu, waits until CCM2003 has passed, and then for a slot',
      ['retry prod-eu/c1', 'rollback c1', 'stop c1'],
    ],
    [
      'a slot and a hold for a person',
      new GivenRun([does()], {}, MEMBER).stepping().on(failed('ForeignEdit'), FENCED, LOOKED, PARK),
      'parked by fleet prod-eu, waits until CCM4006 is cured and it is retried there, and then for a slot',
      ['retry prod-eu/c1', 'rollback c1', 'stop c1'],
    ],
    [
      'a slot and an approval',
      new GivenRun(
        [does('externalizeKcm', { phase: 'replaceNodes' })],
        { handoverApproval: 'required' },
        MEMBER,
      )
        .stepping()
        .on(PARK),
      'parked by fleet prod-eu until it is approved',
      ['approve c1', 'reject c1'],
    ],
    [
      'a brake of its fleet',
      new GivenRun([does()], {}, MEMBER).stepping().on(braked(), finished()),
      'paused by fleet prod-eu (cy: CHG-7); it ends by a resume there',
      ['status prod-eu', 'rollback c1', 'stop c1'],
    ],
    [
      'a refusal',
      new GivenRun([does()]).on(STARTED, CHECKED, failed('AlreadyRunning')),
      '',
      ['explain CCM4003', 'check --cluster c1'],
    ],
    [
      'a failed run before its last observation',
      new GivenRun([does()]).stepping().on(failed('ClusterMismatch')),
      '',
      ['explain CCM4010', 'check --cluster c1'],
    ],
    [
      'the end',
      new GivenRun([DONE]).stepping(),
      '',
      ['apply --cluster c1 --target ccm', 'rollback c1'],
    ],
  ];

  it.each(runs)('fits the state of the run: %s', (_name, { state }, advice, commands) => {
    const { advice: given, commands: typed } = nextActions(state);
    expect(given).toEqual(typeof advice === 'string' ? advice : expect.stringMatching(advice));
    expect(typed).toEqual(commands.map((each) => `ccm-migrate ${each}`));
  });

  it('names no word of a person where the decision is not known', () => {
    const { state } = new GivenRun([blocked('CCM2012')]).stepping();
    const { advice } = nextActions({ ...state, observed: null });
    expect(advice).toMatch(ITSELF);
  });

  it('is part of the outcome after the end', () => {
    expect(new GivenRun([DONE]).stepping().last).toMatchObject({
      outcome: {
        nextCommand: 'ccm-migrate check --cluster c1',
        otherCommands: ['ccm-migrate rollback c1'],
      },
    });
    const back = new GivenRun([blocked()]).stepping().on(command('rollBack')).rule(DONE);
    expect(back.on(FENCED, LOOKED).last).toMatchObject({
      outcome: { nextCommand: 'ccm-migrate check --cluster c1' },
    });
  });
});

describe('reversibility', () => {
  it.each([
    ['possible: the cluster is as it was before the migration', DONE],
    ['not possible now: CCM2008, seen', blocked('CCM2008')],
    [/^possible, once Leader Migration .*the test wants it$/, does()],
  ] as readonly (readonly [string | RegExp, Decision])[])(
    'reversibility is described as: %s',
    (expected, decision) => {
      expect(reversibilityOf(decision, seenCluster())).toEqual(expect.stringMatching(expected));
    },
  );

  it('reversibility names the first step of a rollback where the grant exists', () => {
    const observation = seenCluster();
    const access = { ...observation.access, leaseGrant: 'present' } as const;
    expect(reversibilityOf(does(), { ...observation, access })).toBe(
      'possible; first: the test wants it',
    );
  });
});

describe('steps and waivers', () => {
  it('a step is described with the node that it changes', () => {
    expect(
      nodeOf(
        step('removeMachine', { effect: { kind: 'removeMachine', node: 'cp-2', release: 'none' } }),
      ),
    ).toBe('cp-2');
    expect(nodeOf(step())).toBe('');
  });

  it('skip waives nothing while the cluster was never observed', () => {
    const { state } = new GivenRun([blocked('CCM2013')]).stepping();
    const { command: given } = command('skip', { arguments: { code: 'CCM2013' } });
    const gates = [verdict({ hardness: 'soft', code: 'CCM2013' })];
    const problems = { ...state.problems, gates };
    expect(skip({ ...state, observed: null }, given).answer.state).toBe('refused');
    expect(skip({ ...state, observed: null, problems }, given).state.direction.waivers).toEqual([]);
  });
});
