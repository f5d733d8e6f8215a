import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyFleet } from '../../../../cli/audit/fleet/verify-fleet.js';
import { givenPlanDigest } from '../../../../cli/plan/fleet-plan-digest.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../../support/second-verifier.js';
import { diceOf } from '../forged-exports.js';
import { openChecks, secondOpen } from './both-verifiers.js';
import { mutated } from './mutated-fleet.js';
import type { Envelope } from '../../../../domain/authority/signed-envelope.js';
import { closedFleet, type Item, type Members, type OpenFleet } from './closed-fleet.js';
import {
  ANA,
  BEN,
  carriedBy,
  commandBy,
  FLEET,
  fleetGiven,
  FleetWriter,
  type Given,
  olderRootOf,
  revisionBy,
  RUN,
  signedFleet,
  startBy,
  TRUST,
  TRUST_FILE,
} from './signed-fleet.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-fleet-audit-'));
});
afterAll(() => rm(folder, { recursive: true }));

function activityOf(open: OpenFleet, name: string): Extract<Item, { kind: 'activity' }> {
  const found = open.executions
    .flatMap(({ items }) => items)
    .find((item) => item.kind === 'activity' && item.name === name);
  if (found?.kind !== 'activity') throw new Error(`no ${name}`);
  return found;
}

function givenIn(open: OpenFleet): Given {
  return open.executions[0]?.input['given'] as Given;
}

function carriedIn(open: OpenFleet): { state: Members; requests: Members[]; members: Members[] } {
  return open.executions[1]?.input['carried'] as never;
}

const isAdmission = (item: Item): boolean =>
  item.kind === 'activity' && item.name === 'admitCommand';

describe('the export of a fleet', () => {
  it('proves who asked for it, approved it, gave it a new plan and commands', async () => {
    const text = closedFleet(signedFleet());
    const { checks } = await verifyFleet(text, { trust: TRUST });
    expect(await openChecks(text)).toEqual([]);
    expect(await secondOpen(text)).toEqual(HAS_SECOND_VERIFIER ? [] : null);
    expect(checks.map(({ check, detail }) => `${check}: ${detail}`)).toEqual(
      expect.arrayContaining([
        'signatures: ana (apply), ana (revise), ben (approve), ben (rollBack)',
        'approvals: wave main by ben',
        'outcome: stopped: 1 proven, 1 back, 1 stopped',
      ]),
    );
  });

  it('is proven as older versions signed it, which left the approvals of waves to the fleet', async () => {
    const given = fleetGiven();
    const authority = startBy(given, ANA, olderRootOf(given));
    const older = new FleetWriter().begin(RUN, { given: { ...given, authority } });
    const text = closedFleet(older.starts(0).end('done', { proven: 1, skipped: 2 }));
    expect(await openChecks(text)).toEqual([]);
    expect(await secondOpen(text)).toEqual(HAS_SECOND_VERIFIER ? [] : null);
  });

  it('is proven with a wave that was over when its plan was revised', async () => {
    const given = fleetGiven({ before: 2 });
    const demands = given.plan.waves.map((each) => ({ ...each }));
    const over = demands.map((each, at) => (at === 1 ? { ...each, overAtRevision: true } : each));
    const revised = { ...given, plan: { ...given.plan, waves: over } };
    const { signed } = revisionBy(ANA, revised) as { signed: { statement: Envelope } };
    const carried = carriedBy(revised, signed.statement, 2);
    const text = closedFleet(
      new FleetWriter().begin(RUN, carried).end('done', { proven: 1, skipped: 2 }),
    );
    expect(await openChecks(text)).toEqual([]);
    expect(await secondOpen(text)).toEqual(HAS_SECOND_VERIFIER ? [] : null);
  });

  it('is proven where a wave was over when the fleet was given a new plan, which says nothing of that', async () => {
    const open = signedFleet();
    const [canary] = carriedIn(open).state['waves'] as Members[];
    Object.assign(canary ?? {}, { over: true, overAtRevision: true });
    const text = closedFleet(open);
    expect(await openChecks(text)).toEqual([]);
    expect(await secondOpen(text)).toEqual(HAS_SECOND_VERIFIER ? [] : null);
  });

  it('proves no signature without the keys, and nothing of who asked where no one signed', async () => {
    const { checks } = await verifyFleet(closedFleet(signedFleet()));
    const open = checks.flatMap(({ check, result }) => (result === 'unproven' ? [check] : []));
    expect(open).toEqual(['signatures', 'results']);
    const unsigned = signedFleet();
    for (const { input } of unsigned.executions)
      for (const each of [input['given'], input['carried']] as (Members | null)[])
        if (each !== null) delete each['authority'];
    expect(await openChecks(closedFleet(unsigned))).toEqual(['signatures?']);
  });

  it.each<[string, string, (open: OpenFleet) => unknown]>([
    [
      'the name of who approved, in message and answer alike',
      'results',
      ({ executions }) => {
        for (const item of executions[0]?.items ?? []) {
          if (item.kind === 'signal' && item.name === 'fleetCommand') item.value['actor'] = 'cy';
          if (isAdmission(item) && item.kind === 'activity')
            (item.input['command'] as Members)['actor'] = 'cy';
        }
      },
    ],
    ['an approval, left out', 'approvals', ({ executions: [first] }) => first?.items.splice(1, 2)],
    [
      'an approval after the wave began',
      'approvals',
      ({ executions: [first] }) => {
        const items = first?.items ?? [];
        items.push(...items.splice(1, 2));
        items.forEach((item, at) => item.kind === 'activity' && (item.id = String(at + 1)));
      },
    ],
    [
      'an answer that let a command pass, which was refused',
      'results',
      (open) => ((activityOf(open, 'admitCommand').result as Members)['principal'] = 'dora'),
    ],
    [
      'what the plan demands',
      'plan',
      (open) => (((givenIn(open).plan.waves[1] as Members)['approvals'] as Members)['before'] = 0),
    ],
    [
      'what the plan demands, with its digest',
      'signatures',
      (open) => {
        const { plan } = givenIn(open);
        ((plan.waves[1] as Members)['approvals'] as Members)['before'] = 0;
        plan.planDigest = givenPlanDigest(FLEET, givenIn(open));
      },
    ],
    [
      'what a later execution demands',
      'plan',
      (open) =>
        ((((carriedIn(open).state['waves'] as Members[])[1] as Members)['approvals'] as Members)[
          'before'
        ] = 0),
    ],
    [
      'the plan of a later execution',
      'plan',
      (open) => (carriedIn(open).state['planDigest'] = 'sha256:other'),
    ],
    [
      'a cluster of a later execution',
      'signatures',
      (open) => ((carriedIn(open).members[2] as Members)['uid'] = 'uid-9'),
    ],
    [
      'the wave of a cluster in a later execution',
      'signatures',
      (open) => (((carriedIn(open).state['rows'] as unknown[][][])[2]?.[2] as number[])[0] = 0),
    ],
    [
      'a new plan that no worker was asked about',
      'signatures',
      ({ executions: [first] }) => first?.items.splice(-1),
    ],
    ['a new plan that was not sent', 'plan', ({ executions: [first] }) => first?.items.splice(-2)],
    [
      'an order by a command that no worker let pass',
      'signatures',
      (open) => {
        const { messages } = activityOf(open, 'broadcast').input as { messages: Members[] };
        (messages[0]?.['order'] as Members)['signed'] = commandBy(BEN, { verb: 'rollForward' })[
          'signed'
        ];
      },
    ],
    [
      'a start by a command that no worker let pass',
      'signatures',
      (open) => {
        const { starts } = activityOf(open, 'startClusters').input as { starts: Members[] };
        (starts[0] as Members)['signed'] = commandBy(BEN, { verb: 'rollBack' })['signed'];
      },
    ],
    [
      'a command carried on that no worker let pass',
      'signatures',
      (open) =>
        carriedIn(open).requests.push({
          signed: commandBy(BEN, { verb: 'rollBack' })['signed'],
        }),
    ],
    [
      'a command that was sent to no one',
      'signatures',
      ({ executions: [first] }) => first?.items.splice(1, 1),
    ],
    ['the fleet on the cover', 'signatures', ({ cover }) => (cover.fleet = 'dev')],
    ['the workflow on the cover', 'signatures', ({ cover }) => (cover.workflowId = 'x')],
    ['the run on the cover', 'executions', ({ cover }) => (cover.runId = 'run-9')],
    ['the last execution', 'outcome', ({ executions }) => executions.splice(1)],
    [
      'more proven than were started',
      'outcome',
      (open) => {
        open.outcome = { kind: 'stopped', counts: { proven: 3 } };
        open.executions[1]?.items.splice(3, 1);
      },
    ],
    [
      'a cluster that is not counted',
      'outcome',
      (open) => (open.outcome = { kind: 'stopped', counts: { proven: 1, back: 1 } }),
    ],
    [
      'a stop that no one asked for',
      'outcome',
      ({ executions: [, second] }) => second?.items.splice(-1),
    ],
  ])('is refused after a forgery: %s', async (_case, check, forge) => {
    const open = signedFleet();
    forge(open);
    const text = closedFleet(open);
    expect(await openChecks(text)).toContain(check);
    const second = await secondOpen(text);
    if (second !== null) expect(second).toContain(check);
  });
});

const FORGERIES = Number(process.env['CCM_TEST_FORGERIES'] ?? 400);
const SEED = Number(process.env['CCM_TEST_SEED'] ?? 1);

(HAS_SECOND_VERIFIER ? describe : describe.skip)('two verifiers that share no code', () => {
  it(`agree on ${String(FORGERIES)} changed exports of fleets (seed ${String(SEED)})`, async () => {
    const dice = diceOf(SEED);
    const text = JSON.stringify(signedFleet());
    const all = join(folder, 'changed');
    await mkdir(all);
    const said = new Map<string, { readonly accepted: boolean; readonly what: string }>();
    for (let made = 0; made < FORGERIES; made += 1) {
      const { open, what } = mutated(JSON.parse(text) as OpenFleet, dice);
      const file = join(all, `${String(made).padStart(6, '0')}.json`);
      const changed = closedFleet(open);
      await writeFile(file, changed);
      said.set(file, { accepted: (await openChecks(changed)).length === 0, what });
    }
    const verdicts = await secondVerdicts(TRUST_FILE, [all]);
    expect(verdicts).toHaveLength(FORGERIES);
    const differ = verdicts.filter(({ file, accepted }) => said.get(file)?.accepted !== accepted);
    expect(differ.map(({ file }) => said.get(file))).toEqual([]);
  }, 600_000);
});
