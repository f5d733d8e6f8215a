import type { PlannedStepInput } from '../../activities/contract.js';
import type { CarriedCommand } from '../../activities/authority/carried-commands.js';
import { judgeRun, type RunRights } from '../../activities/authority/judge-run.js';
import { openEnvelope } from '../../activities/authority/signed-statement.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { type AuditCheck, judged, pass, unproven } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';
import { trustedSigners } from './trusted-signers.js';

type Step = Extract<RecordedEvent, { readonly kind: 'step' }>;
type Records = readonly Pick<EvidenceRecord, 'entry'>[];

const CHECK = 'signatures';

/**
 * What each step rests on, by the signatures that came with it: of a key that is trusted, over exactly the cluster, policy,
 * manifest, timings and direction that the history holds; and on record as accepted from that very principal. A name in
 * history and evidence alike is only a claim. Who may do what is another check: check-roles.ts.
 */
export async function checkSignatures(
  events: readonly RecordedEvent[],
  records: Records,
  trust: AccessPolicy | null,
): Promise<AuditCheck> {
  const steps = events.filter((event) => event.kind === 'step');
  if (steps.length === 0) return pass(CHECK, 'nothing was changed');
  if (steps.every(({ statement }) => statement === '')) {
    return unproven(CHECK, 'no one signed: its worker obeyed everyone');
  }
  if (trust === null) return unproven(CHECK, 'give the access policy of that time: --trust FILE');
  const access = trustedSigners(trust);
  const faults: string[] = [];
  const signers = new Set<string>();
  const accepted = acceptedIn(records);
  for (const step of distinctSteps(events)) {
    // An export that was tampered with may lack anything that a step is given.
    const wrong = await wrongSignature(access, step, accepted, signers).catch(
      () => 'what it was given is not what a run gives',
    );
    if (wrong !== null) faults.push(`${step.where}: ${wrong}`);
  }
  return judged(CHECK, faults, `${[...signers].sort().join(', ')}; ${String(steps.length)} steps`);
}

/** The steps of a run mostly rest on the same: one of each. */
export function distinctSteps(events: readonly RecordedEvent[]): readonly Step[] {
  const steps = events.filter((event) => event.kind === 'step');
  const known = new Map<string, Step>();
  for (const step of steps) {
    const { authority, cluster, policy, timings, materials, decide } = step.asked;
    const { workflowId, runId, planDigest } = step.asked;
    const { target, approvals, waivers, waivedGates } = decide;
    const direction = { target, approvals, waivers, waivedGates };
    const of = { workflowId, runId, planDigest };
    const rests = { authority, cluster, policy, timings, materials, direction, ...of };
    const key = JSON.stringify(rests);
    if (!known.has(key)) known.set(key, step);
  }
  return [...known.values()];
}

async function wrongSignature(
  access: AccessPolicy,
  { asked }: Step,
  accepted: Accepted,
  signers: Set<string>,
): Promise<string | null> {
  const { decide, authority } = asked;
  const rights = await judgedStep(access, asked);
  if (rights.kind === 'refused') return rights.why;
  const { authorisation, digest, relayed } = rights;
  const signed = [
    { verb: 'apply', digest, by: authorisation.principal },
    ...commandsOf(access, authority),
    ...(decide.target === 'ccm' ? relayed : []).map(relayedCommand),
  ];
  for (const { verb, by } of signed) signers.add(`${by} (${verb})`);
  const wrong = signed.map(({ digest: of, by }) => misnamed(accepted, of, by));
  return wrong.find((each) => each !== null) ?? null;
}

/** A step as a worker judges it before its first change, of a cluster whose labels are not known. */
export function judgedStep(access: AccessPolicy, asked: Step['asked']): Promise<RunRights> {
  const { materials, decide } = asked;
  return judgeRun(
    {
      policy: () => Promise.resolve(access),
      cluster: ({ name }) => Promise.resolve({ name, labels: new Map() }),
    },
    asked,
    { materials, decide, takeOver: null, isHarmless: false },
    // Whether a time had come was for the worker to see.
    Number.POSITIVE_INFINITY,
  );
}

interface SignedCommand {
  readonly verb: string;
  readonly digest: string;
  readonly by: string;
}

/** Their signatures have been judged with the run. */
function commandsOf(
  access: AccessPolicy,
  authority: PlannedStepInput['authority'],
): readonly SignedCommand[] {
  return (authority?.commands ?? []).flatMap((each) => {
    const opened = openEnvelope(access, each);
    if (opened.kind === 'refused') return [];
    return [{ verb: opened.statement.verb, digest: opened.digest, by: opened.by.name }];
  });
}

/** A command to its fleet, and an approval of its wave. */
function relayedCommand({ statement: { verb }, digest, by }: CarriedCommand): SignedCommand {
  return { verb, digest, by: by.name };
}

/** Of whom the evidence says that a worker accepted what they asked for, by the statement. */
type Accepted = ReadonlyMap<string, ReadonlySet<string>>;

function acceptedIn(records: Records): Accepted {
  const accepted = new Map<string, Set<string>>();
  for (const { entry } of records) {
    if (entry.kind !== 'authority' || entry.authority.verdict !== 'accepted') continue;
    const { statement, principal } = entry.authority;
    accepted.set(statement, (accepted.get(statement) ?? new Set()).add(principal));
  }
  return accepted;
}

function misnamed(accepted: Accepted, statement: string, signer: string): string | null {
  const principals = accepted.get(statement);
  if (principals === undefined) {
    return `the evidence has no acceptance of ${statement}, which ${signer} signed`;
  }
  const other = [...principals].find((principal) => principal !== signer);
  return other === undefined
    ? null
    : `the evidence says that ${other} asked for what ${signer} signed`;
}
