import { factsOf } from '../../domain/facts/cluster-facts.js';
import { electionReached } from '../../domain/steps/await-election.js';
import type { ElectionGoal } from '../../domain/step.js';
import { takeLook } from '../observe/take-look.js';
import type { EffectReport, StepSession } from './step-session.js';
import { note, policyOf, progress, timingsOf } from './step-session.js';
import { failure } from '../failures.js';

/**
 * Waits until elections have the result that the next step needs. Changes nothing, so it may be interrupted at any
 * time.
 */
export async function awaitElection(
  session: StepSession,
  until: ElectionGoal,
): Promise<EffectReport> {
  const { clock, input, ports, scope } = session;
  const timings = timingsOf(session);
  const deadline = clock.nowMs() + timings.electionMs;
  let { look } = session;
  for (;;) {
    if (electionReached(factsOf(look.observation, 'ccm', policyOf(session)), until)) {
      note(session, `election reached: ${until}`);
      return { lost: null, look };
    }
    if (clock.nowMs() >= deadline) break;
    progress(session, `waiting for the election: ${until}`);
    await clock.sleep(2 * timings.pollMs, scope.signal);
    look = await takeLook(ports, clock, {
      ...input,
      sightings: look.sightings,
      carried: look.slow,
      refresh: [],
      carriedPods: look.quick.controlPlanePods,
    });
  }
  throw failure(
    'EffectNotSeen',
    `the election did not reach ${until} within ${String(timings.electionMs / 1000)} s. ` +
      'Check the managers and their access to the Leases, then `ccm-migrate retry`',
  );
}
