import { decideRun } from '../../domain/decision/decide-run.js';
import type { PlannedStep, RunDecision } from '../../domain/decision/run-decision.js';
import type { Step } from '../../domain/decision/step.js';
import { digestJson } from '../../domain/digest.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { StepInput } from '../contract.js';
import type { ActivityDependencies } from '../dependencies.js';
import { isOfWorker } from '../authority/record-signatures.js';
import { failure } from '../failures.js';

/** Where a worker finds what was due before. */
type Recorded = Pick<ActivityDependencies, 'authority'> & {
  readonly evidence: Pick<ActivityDependencies['evidence'], 'read'>;
};

/** What a step does and is called, as far as anything depends on it. Its reason may name what has changed meanwhile. */
function dueDigest({ name, phase, cures, effect }: Step): string {
  return digestJson([name, phase, cures, effect]);
}

/**
 * The step must be what the rules say of the observation that it begins with, approval included: a client that can complete
 * workflow tasks can order any step, and call it a repair. One that an earlier attempt began in this epoch was due then, and is finished, as
 * long as no other step has begun since. Asked only where an access policy is set; without one a worker obeys everyone. Returns the digest by which the step's intents
 * name it; null where it was not asked. @throws `PreconditionFailed`: the run observes and decides again.
 */
export async function requireDue(
  dependencies: Recorded,
  input: StepInput,
  observation: ClusterObservation,
): Promise<string | null> {
  const { decide, policy, step } = input;
  if (decide === undefined) return null;
  const wanted = dueDigest(step);
  // Waiting changes nothing, and what is awaited has often come between the run's observation and this one.
  if (step.effect.kind === 'awaitElection') return wanted;
  const decision = decideRun(observation, policy, decide);
  const due = dueSteps(decision).find((each) => dueDigest(each.step) === wanted);
  if (due === undefined && (await isUnderWay(dependencies, input, wanted))) return wanted;
  if (due !== undefined && due.approval === null) return wanted;
  const why =
    due === undefined
      ? `the cluster needs ${needed(decision)} now`
      : `it waits for the approval ${due.approval ?? ''}`;
  throw failure('PreconditionFailed', `step ${step.name} is not due: ${why}`, {
    details: { wrote: false },
  });
}

/** The next step, and what a run may do at any time: the comparison with its start, and its probes. */
function dueSteps({ next, proof, probe }: RunDecision): readonly PlannedStep[] {
  return [
    ...(next.kind === 'step' ? [next.planned] : []),
    proof,
    ...(probe === undefined ? [] : [probe]),
  ];
}

function needed({ next }: RunDecision): string {
  switch (next.kind) {
    case 'step':
      return `step ${next.planned.step.name}`;
    case 'done':
      return 'nothing';
    case 'blocked':
      return `a person (${next.findings.map(({ code }) => code).join(', ')})`;
  }
}

/**
 * Whether what the run wrote last in this epoch was of this step. One that another step came after is over: to do it again would
 * undo that one. Another that began without being asked whether it was due counts as such. Only a worker of the access policy
 * can say that a step was due: who can add to the evidence is not believed.
 */
async function isUnderWay(
  { authority, evidence }: Recorded,
  { workflowId, runId, epoch }: StepInput,
  wanted: string,
): Promise<boolean> {
  const records = await evidence.read({ workflowId, runId });
  const last = records.findLast(
    ({ entry }) => entry.kind === 'intent' && entry.intent.epoch === epoch,
  );
  if (last?.entry.kind !== 'intent' || last.entry.intent.due !== wanted) return false;
  return isOfWorker(authority === undefined ? null : await authority.policy(), last);
}
