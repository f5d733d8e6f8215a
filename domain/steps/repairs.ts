import { finishManifest } from './finish-manifest.js';
import { quietExternalKcm } from './quiet-external-kcm.js';
import { separateUnprotectedCcm } from './separate-unprotected-ccm.js';
import { separateUnprotectedKcm } from './separate-unprotected-kcm.js';
import type { StepRule } from './step-rule.js';
import { stopSecondOwner } from './stop-second-owner.js';

/**
 * R1, R0, R3, R4, R2, asked before any strategy and whatever the target. R1 is first: with two owners, R0 is refused by its
 * own gate, so an interrupted manifest would preserve that state. R2 is last: it releases the main Lease, which an
 * unprotected KCM must not be able to take. Source: step rules §2, checked by the exhaustive model.
 */
export const REPAIRS: readonly StepRule[] = [
  stopSecondOwner,
  finishManifest,
  separateUnprotectedKcm,
  separateUnprotectedCcm,
  quietExternalKcm,
];
