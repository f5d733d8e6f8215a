import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signedFleet } from '../../cli/authority/sign-requests.js';
import { readSigner, type Signer } from '../../cli/authority/signing-key.js';
import { keyIdOf } from '../../config/access/public-keys.js';
import { newSigningKey } from '../../config/access/signing-key-file.js';
import type { AccessPrincipal } from '../../domain/authority/access-policy.js';
import { fleetAnswerQuery, fleetCommandSignal } from '../../workflows/messages/fleet-messages.js';
import { fakeTerminal, ran, type Ran } from '../cli/fake-terminal.js';
import { accessPolicy } from '../support/signing.js';
import {
  type FleetLab,
  inputIn,
  openFleetLab,
  untilOpen,
  untilPhases,
} from './support/fleet-lab.js';
import { eventually, type MessageGate, messageGate } from './support/migration-run.js';

let lab: FleetLab;
let folder: string;
let keyPath: string;
let signer: Signer;
let people: readonly AccessPrincipal[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-overtaken-'));
  lab = await openFleetLab();
  const { pem, publicKey: spki } = newSigningKey();
  keyPath = join(folder, 'ana.key');
  await writeFile(keyPath, pem, { mode: 0o600 });
  signer = await readSigner(keyPath);
  const grants = [{ roles: ['requester', 'operator'] as const, clusters: {}, fleets: null }];
  people = [{ name: 'ana', keys: [{ keyId: keyIdOf(spki), spki, revoked: false }], grants }];
});
afterAll(async () => {
  await lab.close();
  await rm(folder, { recursive: true });
});

/** One command line against the server of the tests. */
function typed(...words: readonly string[]): Promise<Ran> {
  const address = process.env['CCM_TEST_TEMPORAL_ADDRESS'] ?? '';
  const said = ['--address', address, '--reason', 'CHG-7', '--actor', 'bo', '--yes'];
  return ran([...words, ...said], { terminal: fakeTerminal({ answers: [] }), env: {} });
}

const signedStart = async (name: string, rows: readonly { readonly name: string }[]) => {
  const given = inputIn(lab, { name, rows });
  if (given.given === null) throw new Error('it has a plan');
  const { actor, reason, ticket } = given;
  const who = { actor, reason, ticket };
  const authority = await signedFleet(signer, lab.named(name), given.given, who);
  return { changes: { given: { ...given.given, authority } } };
};

describe('a fleet that was signed', () => {
  it('follows a rollback that waits for its admission when an alert pauses it, and not one that a person overtakes', async () => {
    let asked: MessageGate | null = null;
    lab.access.policy = async () => {
      await asked?.pass();
      return accessPolicy(people);
    };
    await lab.withWorker(async () => {
      const overtaken = async (fleet: string, actor: string) => {
        const rows = [{ name: `slow-${fleet}` }];
        const handle = await lab.start({ name: fleet, rows, ...(await signedStart(fleet, rows)) });
        await untilOpen(lab, `slow-${fleet}`);
        const gate = messageGate();
        asked = gate;
        const answer = typed('rollback', lab.named(fleet), '--key', keyPath);
        await gate.reached;
        const [commandId, reason, fleetRun] = [randomUUID(), 'alert', handle.firstExecutionRunId];
        const pause = { scope: { kind: 'fleet' }, order: { verb: 'pause' } } as const;
        await handle.signal(fleetCommandSignal, { commandId, actor, reason, fleetRun, ...pause });
        await eventually(
          () => handle.query(fleetAnswerQuery, commandId),
          (answered) => JSON.stringify(answered).includes('applied'),
        );
        asked = null;
        gate.open();
        return { answer: await answer, handle };
      };
      const alerted = await overtaken('alerted', 'automation/am');
      expect(alerted.answer).toMatchObject({ exit: 0 });
      await untilPhases(alerted.handle, (phases) => phases.join() === 'back');
      const paused = await overtaken('overtaken', 'ben');
      expect(paused.answer.stderr).toContain('has arrived since');
      await paused.handle.terminate();
    });
  }, 90_000);
});
