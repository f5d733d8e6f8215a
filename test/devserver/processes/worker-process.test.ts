import { expect, it } from '@jest/globals';
import { readWorkerEnvironment } from '../../../config/environment.js';
import {
  ownWorkerEnvironment,
  workerEnvironment,
} from '../../../devserver/processes/worker-process.js';

const LAUNCH = {
  ...{ address: '127.0.0.1:7233', namespace: 'default', inventory: 'i.yaml', region: 'default' },
  ...{ stateDir: '/state', logFile: '' },
};
const SHARED = {
  CCM_MIGRATE_ACCESS_POLICY: 'everyone',
  CCM_MIGRATE_EVIDENCE_DATABASE: 'postgresql://worker@db:5432/evidence',
  CCM_MIGRATE_EVIDENCE_PASSWORD_FILE: '/run/password',
  CCM_MIGRATE_EVIDENCE_CA_FILE: '/run/ca.pem',
};

it('a worker of `dev` or of a demo keeps evidence in its folder, one that is started by hand where it is told', () => {
  const own = readWorkerEnvironment(ownWorkerEnvironment(LAUNCH, SHARED));
  expect(own).toMatchObject({ environment: { evidenceDatabase: null, stateDirectory: '/state' } });
  const byHand = readWorkerEnvironment(workerEnvironment(LAUNCH, SHARED));
  expect(byHand).toMatchObject({ environment: { evidenceDatabase: { host: 'db' } } });
});

it('an inventory that others may write is refused with an access policy, but not by the workers of `dev`', () => {
  const env = { ...SHARED, CCM_MIGRATE_ACCESS_POLICY: '/access-policy.yaml' };
  const byHand = readWorkerEnvironment(workerEnvironment(LAUNCH, env));
  expect(byHand).toMatchObject({ environment: { onlyOwn: true } });
  expect(readWorkerEnvironment(workerEnvironment(LAUNCH, SHARED))).toMatchObject({
    environment: { onlyOwn: false },
  });
  expect(readWorkerEnvironment(ownWorkerEnvironment(LAUNCH, env))).toMatchObject({
    environment: { onlyOwn: false },
  });
});
