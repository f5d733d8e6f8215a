import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PAYLOAD_TYPE, type Envelope } from '../../domain/authority/signed-envelope.js';
import { modelCluster, ownerIn } from './support/model-cluster.js';
import {
  eventually,
  messageGate,
  openLab,
  tell,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';

const START: Envelope = {
  ...{ payloadType: PAYLOAD_TYPE, payload: 'e30=', signatures: [{ keyid: 'k', sig: 's' }] },
};

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** Until the server has the result of every activity of this kind. */
const hasAnswered = (handle: MigrationHandle, activity: string): Promise<unknown> =>
  eventually(
    () => handle.describe(),
    ({ raw }) =>
      !(raw.pendingActivities ?? []).some(({ activityType }) => activityType?.name === activity),
  );

/** A run whose rollback is being checked and whose way forward is being admitted, until each gate opens. */
function turningCluster(name: string) {
  const cluster = modelCluster(name);
  const gates = { step: messageGate(), check: messageGate(), admission: messageGate() };
  const checked: string[] = [];
  cluster.before = (_step, nth) => (nth === 3 ? gates.step.pass() : undefined);
  cluster.checking = (target) => {
    checked.push(target);
    return target === 'kcm' ? gates.check.pass() : undefined;
  };
  cluster.admissions = async ({ verb }) => {
    if (verb === 'rollForward') await gates.admission.pass();
    return { kind: 'admitted', principal: 'ben', note: '' };
  };
  return { cluster, gates, checked };
}

/** The activity that answers while no worker hears of it, in this order. */
type Answers = readonly (readonly [gate: 'check' | 'admission', activity: string])[];

const ADMITTED_FIRST: Answers = [
  ['admission', 'admitCommand'],
  ['check', 'checkStart'],
];

async function turnTwice(
  { cluster, gates }: ReturnType<typeof turningCluster>,
  answers: Answers,
): Promise<MigrationHandle> {
  const { step, check, admission } = gates;
  const handle = await lab.withWorker(async () => {
    const started = await lab.start(cluster, { authority: { start: START, commands: [] } });
    await step.reached;
    await tell(started, 'rollBack');
    await hasAnswered(started, 'admitCommand');
    step.open();
    await check.reached;
    await tell(started, 'rollForward');
    await admission.reached;
    return started;
  }, ['workflows']);
  for (const [gate, activity] of answers) {
    gates[gate].open();
    await hasAnswered(handle, activity);
  }
  return handle;
}

// What makes it so is the order in which the SDK lets handlers and the loop go on: seen here, so that another SDK cannot change it.
describe('an activity that a command has replaced', () => {
  it.each([
    ['the command is admitted first', ADMITTED_FIRST],
    ['the result arrives first', [...ADMITTED_FIRST].reverse()],
  ])(
    'says nothing of the new direction where both reach the run in one task: %s',
    async (name, answers) => {
      const turning = turningCluster(`c-one-task ${name}`);
      await lab.withWorker(async () => {
        const handle = await turnTwice(turning, answers);
        await lab.withWorker(async () => {
          expect(await handle.result()).toMatchObject({ kind: 'done', target: 'ccm' });
        }, ['workflows']);
      }, ['steps', 'waits', 'guards']);
      expect(turning.checked).toEqual(['ccm', 'kcm', 'ccm']);
      expect(ownerIn(turning.cluster)).toBe('ccm');
    },
    120_000,
  );
});
