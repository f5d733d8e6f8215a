import type { CatalogueEntry } from './entry.js';

/** CCM41xx: why a run holds, where no finding of the cluster says it. */
export const HOLDS = {
  CCM4101: {
    title: 'The same step was tried again and again without progress',
    severity: 'error',
    why: 'Repeating a step that changes nothing, or fails each time, only adds load and risk.',
    fix: 'See why the last attempt failed with `ccm-migrate describe`, cure it, then `ccm-migrate retry`.',
    source: 'bounded repeats of this project',
  },
  CCM4102: {
    title: 'An approval was refused',
    severity: 'error',
    why: 'Somebody looked at what the run wants to do next and said no.',
    fix: 'Talk to whoever refused. Then `ccm-migrate approve` to go on, `ccm-migrate rollback` to go back, or `ccm-migrate stop` to end here.',
    source: 'commands of this run',
  },
  CCM4103: {
    title: 'A gate did not let the step pass',
    severity: 'error',
    why: 'A step may not reduce health further while a gate that guards it does not pass.',
    fix: 'Cure what the gate measured, then `ccm-migrate retry`.',
    source: 'gate contract of this project',
  },
  CCM4104: {
    title: 'The guard of the run ended',
    severity: 'error',
    why: 'Without a guard nobody renews the fence or watches for two owners, so no step may write.',
    fix: 'Check the worker that serves the guard queue of this region, then `ccm-migrate retry`.',
    source: 'fence and guard of this project',
  },
} as const satisfies Record<string, CatalogueEntry>;
