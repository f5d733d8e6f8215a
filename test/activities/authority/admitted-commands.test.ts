import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { admitCommandOf } from '../../../activities/authority/admit-command.js';
import type { AdmitInput } from '../../../activities/contract.js';
import {
  quietScope,
  realClock,
  type ActivityDependencies,
} from '../../../activities/dependencies.js';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { admitFleetCommand } from '../../../activities/fleet/admit-fleet-command.js';
import { memberLevels } from '../../../domain/authority/member-tree.js';
import { type Statement, wholeStatement } from '../../../domain/authority/statement.js';
import { digestJson } from '../../../domain/digest.js';
import type { FleetCommand } from '../../../domain/fleet/fleet-command.js';
import type { OperatorCommand } from '../../../domain/run/operator-command.js';
import {
  accessPolicy,
  authorityBy,
  type TestPrincipal,
  testPrincipal,
} from '../../support/signing.js';
import { runContext } from '../run-context.js';

const ANA = testPrincipal('ana', 'requester', 'operator', 'approver');
const BEN = testPrincipal('ben', 'approver');
const CY = testPrincipal('cy', 'breakGlass');
const EVE = testPrincipal('eve', 'operator');
const MON = testPrincipal('mon', 'automation');
const ACCESS = accessPolicy([ANA, BEN, CY]);
const NOW = 1_790_000_000_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-admitted-'));
});
afterEach(() => rm(folder, { recursive: true }));

function dependencies(changes: Partial<ActivityDependencies> = {}): ActivityDependencies {
  return {
    connect: () => Promise.reject(new Error('a command reads no cluster')),
    evidence: createFileEvidenceStore(folder),
    ...{ build: 'test', clock: { ...realClock, nowMs: () => NOW }, scope: () => quietScope() },
    log: { info: () => undefined, warn: () => undefined },
    authority: authorityBy(() => ACCESS),
    ...changes,
  };
}

const statement = (changes: Partial<Statement>): Statement =>
  wholeStatement({
    ...{ verb: 'apply', workflowId: runContext().workflowId, nonce: 'c1' },
    ...{ notBefore: NOW / 1000, notAfter: NOW / 1000 + 60, cluster: runContext().cluster.uid },
    ...changes,
  });

const COMMAND: OperatorCommand = {
  ...{ commandId: 'c1', verb: 'approve', arguments: {}, actor: 'someone' },
  ...{ reason: 'CHG-1', ticket: '' },
};

/** An approval by this principal of what ana asked for. */
function approval(by = BEN, changes: Partial<Statement> = {}, command = COMMAND): AdmitInput {
  const context = runContext();
  const { runId, planDigest } = context;
  const said = {
    ...statement({ verb: 'approve', runId, plan: planDigest, actor: command.actor }),
    cluster: '',
    ...changes,
  };
  return {
    ...context,
    authority: { start: ANA.sign(statement({})), commands: [] },
    command: { ...command, signed: by.sign(said) },
  };
}

const recorded = async () =>
  (await dependencies().evidence.read(runContext())).map(({ entry }) =>
    entry.kind === 'authority' ? entry.authority : null,
  );

describe('a command to a run', () => {
  it('of a principal who may give it as automation only is said to be automation’s', async () => {
    const authority = authorityBy(() => accessPolicy([ANA, MON, EVE]));
    const sent = { ...COMMAND, verb: 'rollBack', actor: 'automation/alerts' } as const;
    const said = async (by: TestPrincipal) =>
      admitCommandOf(
        dependencies({ authority }),
        approval(by, { verb: 'rollBack', plan: '' }, sent),
      );
    expect(await said(MON)).toEqual({
      ...{ kind: 'admitted', principal: 'mon', note: '', byAutomation: true },
    });
    expect(await said(EVE)).toEqual({ kind: 'admitted', principal: 'eve', note: '' });
  });

  it('of a principal who may give it is admitted, and recorded with both names', async () => {
    expect(await admitCommandOf(dependencies(), approval())).toEqual({
      ...{ kind: 'admitted', principal: 'ben', note: '' },
    });
    expect(await recorded()).toEqual([
      expect.objectContaining({
        ...{ verdict: 'accepted', verb: 'approve', actor: 'someone', principal: 'ben' },
        ...{ role: 'approver', detail: '' },
      }),
    ]);
  });

  it('of one of several who must approve says how many', async () => {
    const authority = authorityBy(() => ({ ...ACCESS, handoverQuorum: 2 }));
    const deciding = dependencies({ authority });
    expect(await admitCommandOf(deciding, approval())).toEqual({
      ...{ kind: 'admitted', principal: 'ben', note: '', quorum: 2 },
    });
    const retry = { ...COMMAND, verb: 'retry' } as const;
    const given = approval(ANA, { verb: 'retry', plan: '' }, retry);
    expect(await admitCommandOf(deciding, given)).toEqual({
      ...{ kind: 'admitted', principal: 'ana', note: '' },
    });
  });

  it('is admitted only beside the evidence of its run, which its history knows', async () => {
    const known = { ...approval(), evidence: { records: 2, hash: 'sha256:other' } };
    const lost = { type: 'EvidenceLost', nonRetryable: true };
    await expect(admitCommandOf(dependencies(), known)).rejects.toMatchObject(lost);
    expect(await recorded()).toEqual([]);
  });

  it('that is asked about again is recorded once', async () => {
    await admitCommandOf(dependencies(), approval());
    await admitCommandOf(dependencies(), approval());
    expect(await recorded()).toHaveLength(1);
  });

  it('of who breaks the glass says so', async () => {
    const input = approval(CY);
    expect(await admitCommandOf(dependencies(), input)).toMatchObject({ note: 'break-glass: cy' });
  });

  it.each<[string, () => AdmitInput, string]>([
    ['that is not signed', () => ({ ...approval(), command: COMMAND }), 'not signed'],
    ['of a key that is not known', () => approval(EVE), 'not in the policy'],
    ['of who asked for it', () => approval(ANA), 'another person'],
    ['of another run', () => approval(BEN, { runId: 'r9' }), 'runId'],
    ['of another plan', () => approval(BEN, { plan: 'sha256:9' }), 'plan'],
    ['that was replayed', () => approval(BEN, { nonce: 'c0' }), 'nonce'],
    ['about another code', () => approval(BEN, { subject: 'CCM2007' }), 'subject'],
    ['that has expired', () => approval(BEN, { notBefore: 1, notAfter: 2 }), 'expired'],
    ['with another verb', () => approval(BEN, {}, { ...COMMAND, verb: 'retry' }), 'verb'],
    ['under another name', () => approval(BEN, { actor: 'ana' }), 'actor'],
  ])('%s is refused, and recorded', async (_, input, why) => {
    expect(await admitCommandOf(dependencies(), input())).toMatchObject({
      ...{ kind: 'refused', why: expect.stringContaining(why) },
    });
    expect(await recorded()).toEqual([
      expect.objectContaining({ verdict: 'refused', principal: '', actor: 'someone' }),
    ]);
  });

  const skipOf = (about: Readonly<Record<string, string>>, subject: string) => {
    const skip = { ...COMMAND, verb: 'skip', arguments: about } as const;
    return approval(ANA, { verb: 'skip', plan: '', subject }, skip);
  };

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a gate by its name', { code: 'CCM3101', gate: 'latency' }, 'CCM3101/latency'],
    ['a finding by its code', { code: 'CCM2012' }, 'CCM2012'],
  ])('skips %s', async (_, about, subject) => {
    const input = skipOf(about, subject);
    expect(await admitCommandOf(dependencies(), input)).toMatchObject({ kind: 'admitted' });
  });

  it.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    ['every gate of a code', { code: 'CCM3101' }, 'CCM3101', /several gates share CCM3101.*--gate/],
    ['another gate', { code: 'CCM3101', gate: 'quota' }, 'CCM3101/latency', /subject/],
    ['a gate with what was signed for its code', { code: 'CCM3101', gate: 'q' }, 'CCM3101', /subj/],
  ])('does not skip %s', async (_, about, subject, why) => {
    expect(await admitCommandOf(dependencies(), skipOf(about, subject))).toMatchObject({
      ...{ kind: 'refused', why: expect.stringMatching(why) },
    });
    expect(await recorded()).toEqual([expect.objectContaining({ verdict: 'refused' })]);
  });

  it.each<[string, string, string | null]>([
    ['as itself', 'automation/alerts', null],
    ['under the name of a person', 'ben', 'mon has the role automation here'],
  ])('automation rolls back %s', async (_, actor, why) => {
    const authority = authorityBy(() => accessPolicy([ANA, MON]));
    const rollBack = { ...COMMAND, verb: 'rollBack', actor } as const;
    const given = approval(MON, { verb: 'rollBack', plan: '' }, rollBack);
    const answer = await admitCommandOf(dependencies({ authority }), given);
    expect(answer).toMatchObject(
      why === null ? { kind: 'admitted' } : { kind: 'refused', why: expect.stringContaining(why) },
    );
  });

  it('who turned a run cannot approve where it goes', async () => {
    const turn = BEN.sign(statement({ verb: 'rollBack', runId: runContext().runId }));
    const input = approval(BEN);
    const start = input.authority?.start ?? turn;
    expect(
      await admitCommandOf(dependencies(), { ...input, authority: { start, commands: [turn] } }),
    ).toMatchObject({ why: 'ben asked for it, so another person must approve it' });
  });

  it('that cannot be recorded is refused all the same, and never admitted', async () => {
    const evidence = {
      ...dependencies().evidence,
      recordAuthority: () => Promise.reject(new Error('the disk is full')),
    };
    const full = dependencies({ evidence });
    expect(await admitCommandOf(full, approval(EVE))).toMatchObject({ kind: 'refused' });
    await expect(admitCommandOf(full, approval())).rejects.toThrow('the disk is full');
  });

  it('is admitted by a worker without a policy', async () => {
    const { authority: _none, ...others } = dependencies();
    expect(await admitCommandOf(others, { ...approval(), command: COMMAND })).toMatchObject({
      ...{ kind: 'admitted', principal: '' },
    });
  });
});

describe('a command to a fleet', () => {
  const ref = { fleetWorkflowId: 'fleet-migration/eu', fleetRun: 'f1', execution: 'f1' };
  const command: FleetCommand = {
    ...{ commandId: 'c1', actor: 'someone', reason: 'CHG-1', fleetRun: 'f1' },
    ...{ scope: { kind: 'fleet' }, order: { verb: 'open' } },
  };
  const facts = {
    ...{ fleet: 'eu', ticket: '', waves: [], rows: [] },
    authority: { start: BEN.sign(statement({})), levels: memberLevels([]), waves: [] },
  };
  const said = (by = ANA, changes: Partial<Statement> = {}): FleetCommand => {
    const { scope, order } = command;
    const signed = statement({
      ...{ verb: order.verb, workflowId: ref.fleetWorkflowId, runId: 'f1', fleet: 'eu' },
      ...{ cluster: '', subject: digestJson({ scope, order }), actor: command.actor, ...changes },
    });
    return { ...command, signed: by.sign(signed) };
  };
  const admit = (given: FleetCommand, authority = dependencies().authority) => {
    const { clock } = dependencies();
    const own = { clock, scope: quietScope, ...(authority === undefined ? {} : { authority }) };
    const directory = {} as Parameters<typeof admitFleetCommand>[0]['directory'];
    return admitFleetCommand({ ...own, directory }, facts, { ...ref, command: given });
  };

  it('of a principal who may give it is admitted', async () => {
    expect(await admit(said())).toEqual({ kind: 'admitted', principal: 'ana', note: '' });
    expect(await admit(said(CY))).toMatchObject({ note: 'break-glass: cy' });
  });

  it.each<[string, FleetCommand, string]>([
    ['that is not signed', command, 'not signed'],
    ['of a key that is not known', said(EVE), 'not in the policy'],
    ['of who has another role', said(BEN), 'takes the role operator'],
    ['of another fleet', said(ANA, { workflowId: 'fleet-migration/us' }), 'workflowId'],
    ['of another run of the fleet', said(ANA, { runId: 'f0' }), 'runId'],
    ['of another part', said(ANA, { subject: 'sha256:9' }), 'subject'],
    ['that has expired', said(ANA, { notBefore: 1, notAfter: 2 }), 'expired'],
    ['under another name', said(ANA, { actor: 'ana' }), 'actor'],
  ])('%s is refused', async (_, given, why) => {
    expect(await admit(given)).toMatchObject({
      ...{ kind: 'refused', why: expect.stringContaining(why) },
    });
  });

  it('is admitted by a worker without a policy', async () => {
    const { clock } = dependencies();
    const directory = {} as Parameters<typeof admitFleetCommand>[0]['directory'];
    const own = { clock, scope: quietScope, directory };
    expect(await admitFleetCommand(own, facts, { ...ref, command })).toMatchObject({
      ...{ kind: 'admitted', principal: '' },
    });
  });
});
