import { addSourceMachine, addTargetMachine } from '../steps/add-machine.js';
import {
  awaitCcmHoldsMigration,
  awaitKcmHoldsMigration,
  awaitOwner,
} from '../steps/await-election.js';
import {
  correctKcmLock,
  disableOnCcm,
  disableOnKcm,
  enableLeaderMigration,
} from '../steps/enable-leader-migration.js';
import { externalizeKcm } from '../steps/externalize-kcm.js';
import { respectForeignCcm } from '../steps/foreign-ccm.js';
import { parkExternalKcm, parkExternalKcmsForRestart } from '../steps/park-kcm.js';
import {
  grantLeaseAccess,
  prepareCcm,
  recordBaseline,
  removeCcmAccess,
  revokeLeaseAccess,
} from '../steps/prepare-ccm.js';
import { removeSourceMachine, removeTargetMachine } from '../steps/remove-machine.js';
import { checkRollbackPath, restoreKcm } from '../steps/restore-kcm.js';
import { returnWorkers, rollWorkers } from '../steps/roll-workers.js';
import { keepCcmProtected, protectCcm, startCcm, stopCcm } from '../steps/start-ccm.js';
import type { Strategy } from './strategy.js';

/** KCM and CCM share a migration lock, so the controllers move without ever having two owners (KEP-2436). */
export const leaderMigration: Strategy = {
  ccm: [
    recordBaseline,
    grantLeaseAccess,
    prepareCcm,
    parkExternalKcmsForRestart,
    enableLeaderMigration,
    awaitKcmHoldsMigration,
    addTargetMachine,
    startCcm,
    removeSourceMachine,
    externalizeKcm,
    keepCcmProtected,
    awaitOwner,
    rollWorkers,
    disableOnCcm,
    revokeLeaseAccess,
  ],
  kcm: [
    grantLeaseAccess,
    respectForeignCcm,
    checkRollbackPath,
    protectCcm,
    awaitCcmHoldsMigration,
    restoreKcm,
    addSourceMachine,
    parkExternalKcm,
    returnWorkers,
    removeTargetMachine,
    stopCcm,
    removeCcmAccess,
    awaitOwner,
    correctKcmLock,
    disableOnKcm,
    revokeLeaseAccess,
  ],
};
