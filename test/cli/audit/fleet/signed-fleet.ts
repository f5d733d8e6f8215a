import { generateKeyPairSync } from 'node:crypto';
import { nativeDigest } from '../../../../activities/native-digest.js';
import { givenPlanDigest, type GivenPlan } from '../../../../cli/plan/fleet-plan-digest.js';
import { keyIdOf } from '../../../../config/access/public-keys.js';
import type { AccessPolicy } from '../../../../domain/authority/access-policy.js';
import {
  type DemandingWave,
  fleetLevels,
  memberLeaves,
} from '../../../../domain/authority/member-leaves.js';
import { memberLevels, membersRoot } from '../../../../domain/authority/member-tree.js';
import type { Envelope } from '../../../../domain/authority/signed-envelope.js';
import { type Statement, wholeStatement } from '../../../../domain/authority/statement.js';
import { digestJson } from '../../../../domain/digest.js';
import { argumentsText, signedResult } from '../../../../workers/sign-results.js';
import {
  accessPolicy,
  accessPolicyFile,
  fidoPrincipal,
  ISSUER,
  type Signatory,
  testPrincipal,
  tokenPrincipal,
} from '../../../support/signing.js';
import { newIssuerKey } from '../../../support/token-issuer.js';
import type { Members, OpenExecution, OpenFleet } from './closed-fleet.js';

export const ANA = tokenPrincipal('ana', newIssuerKey('ec-1', 'ES256'), 'requester', 'operator');
export const BEN = fidoPrincipal('ben', 'requester', 'approver', 'operator');
export const DORA = testPrincipal('dora', 'approver');
export const GLASS = testPrincipal('glass', 'breakGlass');
const WORKER = generateKeyPairSync('ed25519');
const SPKI = WORKER.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const WORKER_KEY = { key: WORKER.privateKey, keyId: keyIdOf(SPKI) };
const PEOPLE = [ANA, BEN, DORA, GLASS];

export const TRUST: AccessPolicy = accessPolicy(PEOPLE, {
  workers: [{ name: 'workers', keys: [{ keyId: WORKER_KEY.keyId, spki: SPKI, revoked: false }] }],
});

/** A trust of the same people and issuer, as a file. */
export function fleetTrustFile(trust: AccessPolicy): string {
  return accessPolicyFile(trust, [{ issuer: ISSUER, keys: [ANA.made.jwk] }]);
}

export const TRUST_FILE = fleetTrustFile(TRUST);

export const FLEET = 'prod';
export const WORKFLOW_ID = `fleet-migration/${FLEET}`;
export const RUN = 'run-a';

const wave = (name: string, before: number, approvers: readonly string[] | null) => ({
  ...{ name, approvals: { before, after: 0 }, approvers, done: null, soakLimitMs: null },
  ...{ scheduled: false, rehearseRollback: false },
});

const settings = (name: string) => ({
  policy: { name },
  ...{ timings: { requestMs: 1000 }, materials: { ccmManifest: 'kind: Pod' } },
  ...{ windows: [], excludedDates: [] },
});

const row = (name: string, ofWave: number) => ({
  ...{ name, wave: ofWave, canary: false, groups: [], expectedMs: 1000 },
});

export interface Asked {
  /** How many people must approve wave main, and who may. */
  readonly before?: number;
  readonly approvers?: readonly string[] | null;
  /** Another plan than the first one. */
  readonly policy?: string;
  readonly requester?: string;
}

/** Three clusters: one in wave canary, two in wave main, for which people are asked. */
export function fleetGiven({
  before = 1,
  approvers = null,
  policy = 'first',
  requester = 'ana',
}: Asked = {}) {
  const plan: GivenPlan = {
    plan: {
      policy: { inFlight: 2, name: policy },
      waves: [wave('canary', 0, null), wave('main', before, approvers)],
      rows: [row('c0', 0), row('c1', 1), row('c2', 1)],
    },
    waves: [settings('canary'), settings('main')],
    members: ['uid-0', 'uid-1', 'uid-2'].map((uid) => ({ uid, region: 'r1', planDigest: uid })),
    skipped: [{ name: 'c9', kind: 'refused', code: 'CCM1001' }],
  };
  const planDigest = givenPlanDigest(FLEET, plan);
  return { ...plan, plan: { ...plan.plan, planDigest, revision: 1, requester } };
}

export type Given = ReturnType<typeof fleetGiven>;

const ROWS = [0, 1, 1].map((each) => ({ wave: each }));
const TIME = { notBefore: 1, notAfter: 2 };
const ABOUT = { workflowId: WORKFLOW_ID, fleet: FLEET, ...TIME } as const;

function rootOf(given: Given, revision = 1): string {
  const waves = given.plan.waves as readonly DemandingWave[];
  return membersRoot(fleetLevels(given as never, { rows: ROWS, waves, revision }));
}

/** As versions signed it that left the approvals of waves to the fleet. */
export function olderRootOf(given: Given): string {
  return membersRoot(memberLevels(memberLeaves(given as never, ROWS, [])));
}

export function startBy(given: Given, who: Signatory = ANA, members = rootOf(given)): Envelope {
  const { planDigest: plan } = given.plan;
  const about = {
    ...ABOUT,
    verb: 'apply',
    target: 'ccm',
    nonce: 'start',
    ...{ actor: 'ana', reason: 'CHG-1', ticket: 'CHG-1' },
  } as const;
  return who.sign(wholeStatement({ ...about, plan, members }));
}

/** A command as its sender signed it. */
export function commandBy(
  who: Signatory,
  order: Members,
  { scope = { kind: 'fleet' }, ...changes }: { readonly scope?: Members } & Members = {},
): Members {
  const { verb } = order as { verb: Statement['verb'] };
  const command = {
    ...{ commandId: `${verb}-${who.name}`, actor: who.name, reason: 'CHG-1' },
    ...{ scope, order, fleetRun: RUN, ...changes },
  };
  const { commandId: nonce, fleetRun: runId, actor } = command;
  const subject = digestJson({ scope, order });
  const about = { ...ABOUT, verb, nonce, runId, actor, subject };
  return { ...command, signed: who.sign(wholeStatement(about)) };
}

export function approvalBy(
  who: Signatory,
  given: Given,
  changes: Members = {},
  revision = 1,
): Members {
  const { planDigest } = given.plan;
  const subject = { kind: 'before', wave: 1 };
  return commandBy(who, { verb: 'approve', subject, planDigest, revision }, changes);
}

/** Builds executions whose activities a worker signed. */
export class FleetWriter {
  readonly open: OpenFleet = {
    cover: { workflowId: WORKFLOW_ID, runId: RUN, fleet: FLEET },
    executions: [],
    outcome: null,
  };

  begin(runId: string, input: Members): this {
    const who = { fleet: FLEET, actor: 'ana', reason: 'CHG-1', ticket: 'CHG-1' };
    this.open.executions.push({
      runId,
      input: { ...who, given: null, carried: null, ...input },
      items: [],
    });
    return this;
  }

  signal(name: string, value: Members): this {
    this.#now().items.push({ kind: 'signal', name, value });
    return this;
  }

  activity(name: string, input: Members, result: unknown): this {
    const { runId, items } = this.#now();
    const id = String(items.length + 1);
    const about = { workflowId: WORKFLOW_ID, runId, activity: name, activityId: id };
    const given = nativeDigest(argumentsText([input]));
    const signed = Array.isArray(result)
      ? result
      : signedResult(WORKER_KEY, { ...about, input: given }, result as object);
    items.push({ kind: 'activity', name, id, input, result: signed });
    return this;
  }

  /** A command that a worker lets pass. */
  command(value: Members, principal: string, note = ''): this {
    return this.signal('fleetCommand', value).activity(
      'admitCommand',
      { command: value },
      { kind: 'admitted', principal, note },
    );
  }

  /** A new plan that was sent and admitted. */
  revision(value: Members, planDigest: string, principal: string): this {
    const { commandId, signed } = value;
    return this.signal('fleetRevision', value).activity(
      'admitRevision',
      { commandId, planDigest, signed },
      { kind: 'admitted', principal, note: '' },
    );
  }

  starts(...rows: readonly number[]): this {
    return this.startsBy([], ...rows);
  }

  /** With the commands that approved their wave. */
  startsBy(approvals: readonly Members[], ...rows: readonly number[]): this {
    const starts = rows.map((each) => ({ row: each, grant: 1, target: 'ccm', actor: 'ana' }));
    const signed = approvals.map((each) => each['signed']);
    const approved = signed.length === 0 ? {} : { approvals: [{ wave: 1, signed }] };
    return this.activity('startClusters', { starts, ...approved }, []);
  }

  end(kind: string, counts: Members): OpenFleet {
    this.open.outcome = { kind, counts };
    return this.open;
  }

  #now(): OpenExecution {
    const now = this.open.executions.at(-1);
    if (now === undefined) throw new Error('nothing has begun');
    return now;
  }
}

/** The state that an execution carries on. */
export function carriedBy(given: Given, authority: Envelope, revision: number): Members {
  const { planDigest, requester, waves } = given.plan;
  const rows = given.plan.rows.map((each) => {
    const { name, wave: ofWave } = each as { name: string; wave: number };
    return [name, [], [ofWave, 1000, 0, ofWave === 0 ? 1 : 0]];
  });
  const standing = waves.map((each) => ({ ...structuredClone(each), begunMs: 5, over: false }));
  const state = { planDigest, requester, revision, rows, waves: standing, stopped: false };
  return {
    carried: {
      state: { ...state, fleetRun: RUN, formerRun: null },
      ...{ waves: given.waves, members: given.members, authority, requests: [] },
    },
  };
}

/** A new plan as it is sent, signed. */
export function revisionBy(who: Signatory, given: Given): Members {
  const { planDigest: plan } = given.plan;
  const members = rootOf(given, 2);
  const about = { ...ABOUT, verb: 'revise', target: 'ccm', nonce: 'revision', runId: RUN } as const;
  const statement = who.sign(wholeStatement({ ...about, plan, members, subject: members }));
  return {
    ...{ format: 1, commandId: 'revision', actor: who.name, reason: 'CHG-2', ticket: '' },
    ...{ fleetRun: RUN, revision: 1, given, files: [], signed: { statement, members } },
  };
}

/** Asked for by ana, approved by ben, given a new plan by ana, turned back for one cluster by ben, and stopped. */
export function signedFleet(): OpenFleet {
  const given = fleetGiven();
  const next = fleetGiven({ policy: 'second' });
  const approval = approvalBy(BEN, given);
  const revision = revisionBy(ANA, next);
  const { statement } = revision['signed'] as { statement: Envelope };
  const back = commandBy(BEN, { verb: 'rollBack' }, { scope: { kind: 'rows', rows: [1] } });
  const order = { kind: 'turn', target: 'kcm', signed: back['signed'] };
  return new FleetWriter()
    .begin(RUN, { given: { ...given, authority: startBy(given) } })
    .starts(0)
    .command(approval, 'ben')
    .startsBy([approval], 1)
    .revision(revision, next.plan.planDigest, 'ana')
    .begin('run-b', carriedBy(next, statement, 2))
    .command(back, 'ben')
    .activity('broadcast', { messages: [{ row: 1, grant: 1, order }] }, [])
    .starts(2)
    .signal('fleetCommand', {
      ...{ commandId: 'stop', actor: 'cy', reason: 'enough', fleetRun: RUN },
      ...{ scope: { kind: 'fleet' }, order: { verb: 'stop' } },
    })
    .end('stopped', { proven: 1, back: 1, stopped: 1 });
}
