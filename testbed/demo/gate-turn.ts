import type { Cli } from '../../cli/cli.js';
import type { RunView } from '../../cli/runs/run-view.js';
import type { MigrationPolicy } from '../../domain/policy.js';

/** Longer than the gate needs: the run is not to end well before it. Its rollback soaks for as long. */
const SOAK_SECONDS = 20;

/** A migration in place that a failed gate turns around by itself. */
export function turningPolicy(policy: MigrationPolicy): MigrationPolicy {
  const nodes = { ...policy.nodes, forward: 'inPlace' } as const;
  return { ...policy, nodes, onBreach: 'rollBack', soakSeconds: SOAK_SECONDS };
}

/** Breaks the cloud once the new owner is being watched. */
export function breakInSoak(
  { terminal }: Cli,
  breakCloud: () => Promise<void>,
): (view: RunView) => Promise<void> {
  let broken = false;
  return async ({ status }) => {
    if (broken || status?.inFlight !== 'soaking') return;
    broken = true;
    await breakCloud();
    if (!terminal.outIsScreen)
      terminal.err('the cloud refuses the CCM load balancers from now on\n');
  };
}
