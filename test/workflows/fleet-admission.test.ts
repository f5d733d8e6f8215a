import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signedFleet, signedRevision } from '../../cli/authority/sign-requests.js';
import { readSigner, type Signer } from '../../cli/authority/signing-key.js';
import { newSigningKey } from '../../config/access/signing-key-file.js';
import { keyIdOf } from '../../config/access/public-keys.js';
import type { FleetSettings, RevisionOrder } from '../../activities/fleet-input.js';
import { REVISION_FORMAT } from '../../domain/fleet/revise-fleet.js';
import { fleetAnswerQuery, fleetRevisionSignal } from '../../workflows/messages/fleet-messages.js';
import type { fleetMigration } from '../../workflows/fleet-migration.js';
import { eventually } from './support/migration-run.js';
import type { AccessPrincipal } from '../../domain/authority/access-policy.js';
import { exportFleet } from '../../cli/audit/fleet/export-fleet.js';
import { verifyFleet } from '../../cli/audit/fleet/verify-fleet.js';
import { exportText } from '../../cli/audit/export-run.js';
import { fleetWorkflowId, MESSAGES } from '../../config/names.js';
import type { MemberMessage } from '../../domain/run/membership.js';
import { accessPolicy } from '../support/signing.js';
import {
  honest,
  LISTS,
  newAgentKey,
  SIGNS,
  standInAgent,
  type StandInAgent,
} from '../cli/authority/stand-in-agent.js';
import { fakeTerminal, ran, type Ran } from '../cli/fake-terminal.js';
import {
  type FleetLab,
  inputIn,
  memberId,
  openFleetLab,
  stateOf,
  untilOpen,
  untilPhases,
} from './support/fleet-lab.js';

let lab: FleetLab;
let folder: string;
let agent: StandInAgent;
let agentKeyPath: string;
let people: readonly AccessPrincipal[] = [];
/** Paths of keys that may approve. */
let ben = '';
let dora = '';
let approverKeys: readonly string[] = [];
let ana: { readonly path: string; readonly keyId: string; readonly signer: Signer };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-fleet-keys-'));
  lab = await openFleetLab();
  const { pem, publicKey } = newSigningKey();
  const path = join(folder, 'ana.key');
  await writeFile(path, pem, { mode: 0o600 });
  ana = { path, keyId: keyIdOf(publicKey), signer: await readSigner(path) };
  const held = newAgentKey();
  agent = await standInAgent(honest(held));
  agentKeyPath = join(folder, 'id_ed25519.pub');
  await writeFile(agentKeyPath, held.line);
  const keys = [publicKey, held.spki].map((spki) => ({
    ...{ keyId: keyIdOf(spki), spki, revoked: false },
  }));
  const roles = ['requester', 'operator'] as const;
  const grants = [{ roles, clusters: {}, fleets: null }];
  const [one, other] = [await approver('ben'), await approver('dora')];
  [ben, dora] = [one.path, other.path];
  approverKeys = [one, other].map(({ keyId }) => keyId);
  people = [{ name: 'ana', keys, grants }, one.person, other.person];
  lab.access.policy = () => Promise.resolve(accessPolicy(people));
});

async function approver(name: string) {
  const { pem, publicKey: spki } = newSigningKey();
  const path = join(folder, `${name}.key`);
  await writeFile(path, pem, { mode: 0o600 });
  const grants = [{ roles: ['approver'] as const, clusters: {}, fleets: null }];
  const keyId = keyIdOf(spki);
  return { path, keyId, person: { name, keys: [{ keyId, spki, revoked: false }], grants } };
}

afterAll(async () => {
  await agent.close();
  await lab.close();
  await rm(folder, { recursive: true });
});

function fleetPath(fleet: string, [wave]: readonly { readonly name: string }[]): string {
  return `${fleet}/wave/${wave?.name ?? ''}`;
}

/** One command line against the server of the tests. */
function typed(...words: readonly string[]): Promise<Ran> {
  const address = process.env['CCM_TEST_TEMPORAL_ADDRESS'] ?? '';
  const terminal = fakeTerminal({ answers: [] });
  const by = words.includes('--actor') ? [] : ['--actor', 'bo'];
  return ran([...words, '--address', address, '--reason', 'CHG-7', ...by, '--yes'], {
    terminal,
    env: { SSH_AUTH_SOCK: agent.socketPath },
  });
}

const signedStart = async (name: string, rows: readonly { readonly name: string }[]) => {
  const given = inputIn(lab, { name, rows });
  if (given.given === null) throw new Error('it has a plan');
  const { actor, reason, ticket } = given;
  const who = { actor, reason, ticket };
  const authority = await signedFleet(ana.signer, lab.named(name), given.given, who);
  return { changes: { given: { ...given.given, authority } } };
};

describe('a fleet that was signed', () => {
  it('starts its members with its statement, and their place in it', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-one' }, { name: 'slow-two' }];
      const handle = await lab.start({
        name: 'signed',
        rows,
        ...(await signedStart('signed', rows)),
      });
      await untilOpen(lab, 'slow-two');
      const id = memberId(lab, 'slow-two');
      const { runId } = await lab.environment.client.workflow.getHandle(id).describe();
      expect(await lab.directory.fleetInput(id, runId)).toHaveProperty('authority');
      const { authority } = { authority: null, ...(await lab.directory.fleetInput(id, runId)) };
      expect(authority).toMatchObject({
        ...{ start: { signatures: [{ keyid: ana.keyId }] }, commands: [] },
        member: { proof: { index: 1, size: 2 } },
      });
      await handle.terminate('done');
    });
  }, 60_000);

  it('obeys commands of who may give them, and hands on the one that turns its members', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-back' }];
      const handle = await lab.start({
        name: 'turned',
        rows,
        ...(await signedStart('turned', rows)),
      });
      const name = lab.named('turned');
      await untilOpen(lab, 'slow-back');
      const unsigned = await typed('rollback', name);
      expect(unsigned.stderr).toContain('the command is not signed');
      expect(unsigned.exit).not.toBe(0);
      expect(await typed('pause', name)).toMatchObject({ exit: 0 });
      expect((await typed('resume', name)).stderr).toContain('the command is not signed');
      // The same person, by a key that only an agent has.
      expect(await typed('resume', name, '--key', agentKeyPath)).toMatchObject({ exit: 0 });
      expect(agent.asked).toEqual([LISTS, SIGNS]);
      expect(await typed('rollback', name, '--key', ana.path)).toMatchObject({ exit: 0 });
      await untilPhases(handle, (phases) => phases.join() === 'back');
      const { events } = await lab.environment.client.workflow
        .getHandle(memberId(lab, 'slow-back'))
        .fetchHistory();
      const orders = (events ?? []).flatMap(
        ({ workflowExecutionSignaledEventAttributes: signal }) => {
          const [payload] = signal?.input?.payloads ?? [];
          if (signal?.signalName !== MESSAGES.order || payload === undefined) return [];
          return [defaultPayloadConverter.fromPayload<MemberMessage>(payload).order];
        },
      );
      const [turn] = orders.filter(({ kind }) => kind === 'turn');
      expect(turn).toMatchObject({ signed: { signatures: [{ keyid: ana.keyId }] } });
    });
  }, 60_000);

  it('takes a new plan of who may give it, for the members that it has afterwards', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-old' }];
      const { changes } = await signedStart('revised', rows);
      const handle = await lab.start({ name: 'revised', rows, changes });
      const fleet = lab.named('revised');
      await untilOpen(lab, 'slow-old');
      const { given } = inputIn(lab, { name: 'revised', rows: [...rows, { name: 'slow-new' }] });
      if (given === null) throw new Error('it has a plan');
      const revise = async (
        sign: (order: RevisionOrder) => RevisionOrder | Promise<RevisionOrder>,
      ): Promise<unknown> => {
        const state = await stateOf(handle);
        const order: RevisionOrder = {
          ...{ format: REVISION_FORMAT, commandId: randomUUID(), actor: 'ana', reason: 'CHG-8' },
          ...{ ticket: '', fleetRun: state.fleetRun, revision: state.revision, files: [] },
          given: { ...given, plan: { ...given.plan, planDigest: 'sha256:two' } },
        };
        await handle.signal(fleetRevisionSignal, await sign(order));
        return eventually(
          () => handle.query(fleetAnswerQuery, order.commandId),
          (answer) => answer !== null,
        );
      };
      const { waves: planned } = given.plan;
      const after = { rows: [{ wave: 0 }, { wave: 0 }], waves: planned, revision: 2 };
      expect(await revise((order) => order)).toMatchObject({
        ...{ state: 'refused', detail: expect.stringContaining('the command is not signed') },
      });
      const less = { ...changes.given, members: given.members.slice(0, 1) };
      const sign = (settings: FleetSettings) => async (order: RevisionOrder) => ({
        ...order,
        signed: await signedRevision(ana.signer, fleet, order, { settings, state: after }),
      });
      expect(await revise(sign(less))).toMatchObject({
        ...{ state: 'refused', detail: expect.stringContaining('has moved on') },
      });
      expect(await revise(sign(given))).toMatchObject({ state: 'applied' });
      await untilOpen(lab, 'slow-new');
      const id = memberId(lab, 'slow-new');
      const { runId } = await lab.environment.client.workflow.getHandle(id).describe();
      expect(await lab.directory.fleetInput(id, runId)).toMatchObject({
        authority: { member: { proof: { index: 1, size: 2 } } },
      });
      await handle.terminate('done');
    });
  }, 60_000);

  it('starts what waits by a new plan with the approvals of that plan', async () => {
    await lab.withWorker(async () => {
      const [name, rows] = ['asks-again', [{ name: 'slow-first' }]];
      const handle = await lab.start({ name, rows, ...(await signedStart(name, rows)) });
      await untilOpen(lab, 'slow-first');
      const { given } = inputIn(lab, { name, rows: [...rows, { name: 'slow-later' }] });
      if (given === null) throw new Error('it has a plan');
      const approvals = { before: 1, after: 0 };
      const waves = given.plan.waves.map((wave) => ({ ...wave, approvals }));
      const plan = { ...given.plan, waves, planDigest: 'sha256:asks' };
      const { fleetRun, revision } = await stateOf(handle);
      const order: RevisionOrder = {
        ...{ format: REVISION_FORMAT, commandId: 'asks', actor: 'ana', reason: 'CHG-9' },
        ...{ ticket: '', fleetRun, revision, files: [], given: { ...given, plan } },
      };
      const after = { settings: given, state: { ...plan, revision: 2 } };
      const signed = await signedRevision(ana.signer, lab.named(name), order, after);
      await handle.signal(fleetRevisionSignal, { ...order, signed });
      await eventually(
        () => stateOf(handle),
        (now) => now.revision === 2,
      );
      const path = fleetPath(lab.named(name), waves);
      expect(await typed('approve', path, '--key', ben)).toMatchObject({ exit: 0 });
      await untilOpen(lab, 'slow-later');
      const id = memberId(lab, 'slow-later');
      const { runId } = await lab.environment.client.workflow.getHandle(id).describe();
      const member = {
        wave: { revision: 2 },
        approvals: [{ signatures: [{ keyid: approverKeys[0] }] }],
      };
      expect(await lab.directory.fleetInput(id, runId)).toMatchObject({ authority: { member } });
      await handle.terminate('done');
    });
  }, 60_000);

  it('counts the approvals of one key once, whatever names it gives', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-approved' }];
      const given = inputIn(lab, { name: 'four-eyes', rows });
      if (given.given === null) throw new Error('it has a plan');
      const waves = given.given.plan.waves.map((wave) => ({
        ...wave,
        approvals: { before: 2, after: 0 },
      }));
      const asked = { ...given.given, plan: { ...given.given.plan, waves } };
      const { actor, reason, ticket } = given;
      const who = { actor, reason, ticket };
      const fleet = lab.named('four-eyes');
      const authority = await signedFleet(ana.signer, fleet, asked, who);
      const changes = { given: { ...asked, authority } };
      const handle = await lab.start({ name: 'four-eyes', rows, changes });
      const approved = async (actor: string, keyPath: string): Promise<string> => {
        const words = ['approve', fleetPath(fleet, waves), '--key', keyPath, '--actor', actor];
        const { stdout, stderr } = await typed(...words);
        return stdout + stderr;
      };
      expect(await approved('cy', ana.path)).toContain('another person must approve it');
      expect(await approved('bo', ben)).toContain('1 of 2 approvals');
      expect(await approved('cy', ben)).toContain('cy has approved it');
      expect((await stateOf(handle)).waves[0]?.approvedBefore).toMatchObject([
        { actor: 'bo', principal: 'ben' },
      ]);
      expect(await approved('cy', dora)).toContain('2 of 2 approvals');
      await untilOpen(lab, 'slow-approved');
      const id = memberId(lab, 'slow-approved');
      const { runId } = await lab.environment.client.workflow.getHandle(id).describe();
      // The workers of the run check again who approved its wave.
      expect(await lab.directory.fleetInput(id, runId)).toMatchObject({
        authority: {
          member: {
            wave: { index: 0, revision: 1, before: 2 },
            approvals: approverKeys.map((keyid) => ({ signatures: [{ keyid }] })),
          },
        },
      });
      await handle.terminate('done');
    });
  }, 60_000);

  it('that has ended is opened again by a command that was signed, and ends as it was by another', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'quick-one' }];
      const handle = await lab.start({
        name: 'again',
        rows,
        ...(await signedStart('again', rows)),
      });
      expect(await handle.result()).toMatchObject({ counts: { proven: 1 } });
      const name = lab.named('again');
      const again = lab.environment.client.workflow.getHandle<typeof fleetMigration>(
        handle.workflowId,
      );
      expect((await typed('rollback', name)).stderr).toContain('the command is not signed');
      expect(await again.result()).toMatchObject({ counts: { proven: 1 } });
      expect(await typed('rollback', name, '--key', ana.path)).toMatchObject({ exit: 0 });
      expect(await again.result()).toMatchObject({ counts: { back: 1 } });
      const id = memberId(lab, 'quick-one');
      const { runId } = await lab.environment.client.workflow.getHandle(id).describe();
      expect(await lab.directory.fleetInput(id, runId)).toMatchObject({
        ...{
          target: 'kcm',
          authority: { commands: [{ signatures: [{ keyid: ana.keyId }] }] },
        },
      });
    });
  }, 60_000);

  it.each<[string, readonly string[], string]>([
    ['turned', ['plan', 'results'], 'ana (apply), ana (resume), ana (rollBack)'],
    ['revised', ['plan', 'results', 'outcome'], 'ana (apply), ana (revise)'],
    ['four-eyes', ['plan', 'results', 'outcome'], 'ana (apply), ben (approve), dora (approve)'],
    ['again', ['results'], 'ana (apply), ana (rollBack)'],
  ])('that is exported proves who asked and who approved: %s', async (name, unproven, signers) => {
    const workflowId = fleetWorkflowId(lab.named(name));
    const { client } = lab.environment;
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    const text = exportText(await exportFleet(client, { workflowId, runId }));
    const { checks } = await verifyFleet(text, { trust: accessPolicy(people) });
    // These tests give no plan document, sign no results, and terminate what they have seen enough of.
    const open = checks.filter(({ result }) => result !== 'pass');
    expect(open.map(({ check, result }) => [check, result])).toEqual(
      unproven.map((check) => [check, 'unproven']),
    );
    expect(checks.find(({ check }) => check === 'signatures')?.detail).toBe(signers);
  });
});
