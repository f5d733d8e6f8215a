import { finishManifest } from './finish-manifest.js';
import { quietExternalKcm } from './quiet-external-kcm.js';
import { separateUnprotectedCcm } from './separate-unprotected-ccm.js';
import { separateUnprotectedKcm } from './separate-unprotected-kcm.js';
import type { StepRule } from './step-rule.js';
import { stopSecondOwner } from './stop-second-owner.js';

/** R0 to R4, asked before any strategy and whatever the target, in this order. */
export const REPAIRS: readonly StepRule[] = [
  finishManifest,
  stopSecondOwner,
  quietExternalKcm,
  separateUnprotectedKcm,
  separateUnprotectedCcm,
];
