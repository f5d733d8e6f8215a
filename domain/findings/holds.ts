import type { CatalogueEntry } from './entry.js';

/** CCM41xx: why a run holds, where no finding of the cluster explains it. */
export const HOLDS = {
  CCM4101: {
    title: 'The same step was repeated without progress',
    severity: 'error',
    why: 'Repeating a step that changes nothing, or fails each time, only adds load and risk.',
    fix: 'See why the last attempt failed with `ccm-migrate describe`, fix the cause, then `ccm-migrate retry`.',
    source: 'bounded repeats of this project',
  },
  CCM4102: {
    title: 'An approval was refused',
    severity: 'error',
    why: 'A reviewer rejected the next step of this run.',
    fix: 'Ask the reviewer. Then `ccm-migrate approve` to go on, `ccm-migrate rollback` to go back, or `ccm-migrate stop` to end here.',
    source: 'commands of this run',
  },
  CCM4103: {
    title: 'A gate did not let the step pass',
    severity: 'error',
    why: 'A step must not reduce health further while a gate that guards it does not pass.',
    fix: 'Fix what the gate measured, then `ccm-migrate retry`.',
    source: 'gate contract of this project',
  },
  CCM4104: {
    title: 'The guard of the run ended',
    severity: 'error',
    why: 'Without a guard nothing renews the fence or watches for two owners, so no step may write.',
    fix: 'Check the worker that serves the guard queue of this region, then `ccm-migrate retry`.',
    source: 'fence and guard of this project',
  },
  CCM4105: {
    title: 'No worker takes the steps of this region',
    severity: 'error',
    why: 'The step was put on the task queue and no worker took it in time. It never ran.',
    fix: 'Start a worker with role `steps` for the region, or give it more slots. The run continues by itself when a worker serves it.',
    source: 'Temporal schedule-to-start timeout',
  },
  CCM4106: {
    title: 'The worker does not know this step',
    severity: 'error',
    why: 'A newer worker decided a step that the worker executing it does not support. Nothing was written.',
    fix: 'Finish the upgrade of the workers of this region. The run continues by itself.',
    source: 'effect versions of this project',
  },
  CCM4107: {
    title: 'Preflight forbids the start',
    severity: 'error',
    why: 'The worker checked the cluster itself before its first write, and found what `check` reports as an error.',
    fix: 'Fix the named finding (`ccm-migrate check`), make a new plan and apply it.',
    source: 'preflight checks of this project',
  },
} as const satisfies Record<string, CatalogueEntry>;
