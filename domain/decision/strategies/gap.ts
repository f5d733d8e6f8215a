import { awaitOwner } from '../steps/await-election.js';
import { externalizeKcm, externalizeLeader } from '../steps/externalize-kcm.js';
import { respectForeignCcm } from '../steps/foreign-ccm.js';
import { parkStandbyKcms } from '../steps/park-kcm.js';
import {
  grantLeaseAccess,
  prepareCcm,
  recordBaseline,
  removeCcmAccess,
} from '../steps/prepare-ccm.js';
import { checkRollbackPath, restoreKcm } from '../steps/restore-kcm.js';
import { returnWorkers, rollWorkers } from '../steps/roll-workers.js';
import { startCcm, stopCcm } from '../steps/start-ccm.js';
import type { Strategy } from './strategy.js';

/**
 * Off, proven off, then on: the controllers have no owner for a while. For CCMs without Leader Migration, single-node control
 * planes, or where that time is tolerated (the order of KKP and OpenShift). The grant is required only where some process
 * already uses the migration Lease: without it no process would run the controllers.
 */
export const gap: Strategy = {
  ccm: [
    recordBaseline,
    grantLeaseAccess,
    prepareCcm,
    parkStandbyKcms,
    externalizeLeader,
    startCcm,
    externalizeKcm,
    awaitOwner,
    rollWorkers,
  ],
  kcm: [
    grantLeaseAccess,
    respectForeignCcm,
    checkRollbackPath,
    parkStandbyKcms,
    returnWorkers,
    stopCcm,
    restoreKcm,
    removeCcmAccess,
    awaitOwner,
  ],
};
