import type { RunContext } from '../../activities/contract.js';
import { createActivities, createGuardActivities } from '../../activities/index.js';
import { quietScope } from '../../activities/dependencies.js';
import { advance } from '../../domain/run/advance.js';
import { beginRun } from '../../domain/run/begin-run.js';
import type { RunOutcome } from '../../domain/run/outcome.js';
import type { RunEvent, RunState, HoldReason } from '../../domain/run/run-state.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { InvariantBreach, TracePoint } from '../../domain/invariants/trace.js';
import { checkInvariants } from '../../domain/invariants/run-invariants.js';
import type { Target } from '../../domain/vocabulary.js';
import type { Environment } from '../activities/environment.js';
import { flight, persisting, type ActivityDeck } from './activity-deck.js';
import { openMailbox, type Mailbox } from './mailbox.js';

/** How far a run got without a person, with the commands of an operator who answers each hold with `retry`. */
export interface DrivenRun {
  readonly outcome: RunOutcome;
  readonly state: RunState;
  /** The holds that waited for the operator, in order. */
  readonly holds: readonly HoldReason[];
  readonly breaches: readonly InvariantBreach[];
}

export interface Course {
  readonly target: Target;
  readonly runId: string;
  readonly ccmManifest: string;
  readonly mostHolds?: number;
}

/**
 * Drives the reducer and the real activities as the workflow does, guard included, without a Temporal server: one process, simulated time.
 */
export async function driveRun(environment: Environment, course: Course): Promise<DrivenRun> {
  environment.standIn.present = false;
  const mailbox = openMailbox();
  const context: RunContext = {
    ...environment.context,
    runId: course.runId,
    workflowId: `${environment.context.workflowId}/${course.runId}`,
  };
  const guarding = {
    ...environment.guardDependencies,
    announceBreach: (verdicts: readonly GateVerdict[]): Promise<void> => {
      for (const verdict of verdicts) mailbox.put({ kind: 'guardBreach', verdict });
      return Promise.resolve();
    },
  };
  const deck: ActivityDeck = {
    activities: createActivities(environment.dependencies),
    clock: environment.clock,
    ccmManifest: course.ccmManifest,
    seen: { observation: null, before: null },
  };
  const guard = openGuard(environment, mailbox, guarding);
  const { cluster, policy, actor, reason, planDigest } = context;
  const begun = beginRun({
    ...{ cluster, policy, planDigest, actor, reason },
    ...{ target: course.target, takesOver: false },
  });
  const driven = await loop({ environment, deck, mailbox, context, guard, course }, begun);
  await guard.end();
  const { state } = driven;
  await environment.takePart(() =>
    persisting(deck, () =>
      deck.activities.closeRun({
        ...context,
        epoch: state.fence.epoch,
        outcome: driven.outcome.kind,
      }),
    ),
  );
  return driven;
}

interface Driving {
  readonly environment: Environment;
  readonly deck: ActivityDeck;
  readonly mailbox: Mailbox;
  readonly context: RunContext;
  readonly guard: Guard;
  readonly course: Course;
}

async function loop(driving: Driving, begun: RunState): Promise<DrivenRun> {
  const { mailbox, context, guard, course } = driving;
  const holds: HoldReason[] = [];
  const points: TracePoint[] = [];
  let next = advance(begun, { kind: 'started' });
  for (;;) {
    const { state, command } = next;
    if (command.kind === 'finish') {
      return { outcome: command.outcome, state, holds, breaches: broken(context, points) };
    }
    if (command.kind === 'awaitCommand') {
      const { holdReason } = state.problems;
      if (holdReason !== null) holds.push(holdReason);
      if (holds.length > (course.mostHolds ?? MOST_HOLDS)) throw new Error(wordsOf(holds));
      mailbox.put(retryCommand(holds.length));
    } else if (command.kind !== 'continue') {
      launch(driving, state, command);
    }
    const event = await mailbox.take();
    points.push(...ended(driving, state, event));
    if (event.kind === 'fenceTaken') guard.watch(contextOf(context, state), state.fence.requests);
    next = advance(state, event);
  }
}

/** The limit of retries: a hold with a reason is correct, but not without end. */
const MOST_HOLDS = 12;

/**
 * A completed step is a point of the trace. One that failed is taken again, or completed by another: there the trace has a point without a
 * step, so that the states on both sides of it are not taken for a repetition.
 */
function ended({ deck }: Driving, state: RunState, { kind }: RunEvent): readonly TracePoint[] {
  const { inFlight } = state;
  if (inFlight.kind !== 'stepping') return [];
  if (kind === 'stepFinished') return [pointOf(deck, state, inFlight.planned.step)];
  return kind === 'activityFailed' ? [pointOf(deck, state, null)] : [];
}

function launch(
  { environment, deck, mailbox, context }: Driving,
  state: RunState,
  command: Parameters<typeof flight>[3],
): void {
  void environment
    .takePart(() => flight(deck, contextOf(context, state), state, command))
    .then((event) => {
      mailbox.put(event);
    });
}

function contextOf(context: RunContext, state: RunState): RunContext {
  const { policy, direction } = state;
  return { ...context, ...direction.requestedBy, policy };
}

function pointOf(
  { seen: { before: observation } }: ActivityDeck,
  { direction, problems }: RunState,
  step: TracePoint['step'],
): TracePoint {
  if (observation === null) throw new Error('a step without an observation');
  return { observation, target: direction.target, step, verdicts: problems.gates };
}

function broken(context: RunContext, points: readonly TracePoint[]): readonly InvariantBreach[] {
  return checkInvariants({
    policy: context.policy,
    points,
    mutations: [],
    pauses: [],
    orphanBudgetSeconds: context.policy.orphanBudgetMs / 1000,
  });
}

function retryCommand(nth: number): RunEvent {
  return {
    kind: 'commandReceived',
    command: {
      commandId: `retry-${String(nth)}`,
      verb: 'retry',
      arguments: {},
      actor: 'ben',
      reason: 'the fault was transient',
      ticket: '',
    },
  };
}

function wordsOf(holds: readonly HoldReason[]): string {
  const words = holds.map((hold) => hold.findings.map(({ code, seen }) => `${code} ${seen}`));
  return `held again and again: ${JSON.stringify(words)}`;
}

interface Guard {
  readonly watch: (context: RunContext, fences: number) => void;
  readonly end: () => Promise<void>;
}

function openGuard(
  environment: Environment,
  mailbox: Mailbox,
  dependencies: Parameters<typeof createGuardActivities>[0],
): Guard {
  const cancelled = new AbortController();
  const { guardCluster } = createGuardActivities({
    ...dependencies,
    scope: () => quietScope(cancelled.signal),
  });
  let current: Promise<void> | null = null;
  return {
    watch: (context, fences) => {
      if (current !== null) return;
      const input = { ...context, nonce: `${context.runId}/${String(fences)}`, memory: null };
      current = environment
        .takePart(() => persisting({ clock: environment.clock }, () => guardCluster(input)))
        .then(
          ({ ended }) => ended,
          (error: unknown) => String(error),
        )
        .then((why) => {
          current = null;
          if (!cancelled.signal.aborted) mailbox.put({ kind: 'guardEnded', why });
        });
    },
    end: async () => {
      cancelled.abort(new Error('the run is over'));
      await current;
    },
  };
}
