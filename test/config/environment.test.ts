import { describe, expect, it } from '@jest/globals';
import { readWorkerEnvironment, WORKER_ENVIRONMENT } from '../../config/environment.js';

const LEAST = {
  CCM_MIGRATE_INVENTORY: 'inventory.yaml',
  CCM_MIGRATE_STATE_DIR: '/state',
  CCM_MIGRATE_ACCESS_POLICY: '/etc/access-policy.yaml',
};

function problems(env: Record<string, string>): readonly string[] {
  const read = readWorkerEnvironment({ ...LEAST, ...env });
  return read.kind === 'invalid' ? read.problems : [];
}

describe('the environment of a worker', () => {
  it("a worker's environment has defaults for everything but inventory, state and access", () => {
    expect(readWorkerEnvironment(LEAST)).toEqual({
      kind: 'valid',
      environment: {
        temporal: {
          address: '127.0.0.1:7233',
          namespace: 'default',
          certificateFile: '',
          keyFile: '',
          authorityFile: '',
          apiKeyFile: '',
          encrypted: false,
        },
        inventory: 'inventory.yaml',
        stateDirectory: '/state',
        evidenceDatabase: null,
        accessPolicy: '/etc/access-policy.yaml',
        workerKey: '',
        payloadKeys: '',
        onlyOwn: true,
        policySigners: null,
        health: { host: '127.0.0.1', port: 0 },
        metrics: null,
        region: 'default',
        clusterSlots: 320,
        loopLimits: { stopAbove: 0.8, resumeBelow: 0.6 },
        stickyMs: 10_000,
        shutdownGraceMs: 900_000,
        versioning: 'off',
        logLevel: 'info',
      },
    });
  });

  it('a mistaken environment reports all problems at once, each with its variable', () => {
    const read = readWorkerEnvironment({
      CCM_MIGRATE_INVENTORY: ' ',
      TEMPORAL_ADDRESS: 'nowhere',
      TEMPORAL_TLS_CERT: 'cert.pem',
      CCM_MIGRATE_HEALTH_ADDRESS: '127.0.0.1:99999',
      CCM_MIGRATE_CLUSTER_SLOTS: '0',
      CCM_MIGRATE_BUSY_PERCENT: '0.8',
      CCM_MIGRATE_STICKY_MS: 'soon',
      CCM_MIGRATE_LOG_LEVEL: 'loud',
    });
    expect(read).toEqual({
      kind: 'invalid',
      problems: [
        'TEMPORAL_ADDRESS must be host:port, not nowhere',
        'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY must be set together',
        expect.stringMatching(/^CCM_MIGRATE_INVENTORY is not set/),
        expect.stringMatching(/^CCM_MIGRATE_STATE_DIR is not set/),
        expect.stringMatching(/^CCM_MIGRATE_ACCESS_POLICY is not set/),
        'CCM_MIGRATE_HEALTH_ADDRESS must be host:port, not 127.0.0.1:99999',
        'CCM_MIGRATE_CLUSTER_SLOTS must be a whole number from 1 to 10000, not 0',
        'CCM_MIGRATE_BUSY_PERCENT must be a whole number from 1 to 100, not 0.8',
        'CCM_MIGRATE_BUSY_UNTIL_PERCENT 60 must be less than CCM_MIGRATE_BUSY_PERCENT, which is 1',
        'CCM_MIGRATE_STICKY_MS must be a whole number from 1 to 600000, not soon',
        'CCM_MIGRATE_LOG_LEVEL must be one of debug, info, warn, error, not loud',
      ],
    });
  });

  it('CCM_MIGRATE_POLICY_SIGNERS needs a policy that could be signed', () => {
    const signers = { CCM_MIGRATE_POLICY_SIGNERS: '/etc/signers.yaml' };
    const read = readWorkerEnvironment({ ...LEAST, ...signers });
    expect(read).toMatchObject({ environment: { policySigners: '/etc/signers.yaml' } });
    expect(
      readWorkerEnvironment({ ...LEAST, ...signers, CCM_MIGRATE_ACCESS_POLICY: 'everyone' }),
    ).toMatchObject({ kind: 'invalid', problems: [expect.stringContaining('POLICY_SIGNERS')] });
  });

  it('that everyone is obeyed must be said', () => {
    const read = readWorkerEnvironment({ ...LEAST, CCM_MIGRATE_ACCESS_POLICY: 'everyone' });
    expect(read).toMatchObject({ kind: 'valid', environment: { accessPolicy: null } });
  });

  it.each([
    ['127.0.0.1:7233', {}],
    ['localhost:7233', {}],
    ['[::1]:7233', {}],
    ['temporal.example.net:7233', { TEMPORAL_TLS_CA: 'ca.pem' }],
    ['temporal.example.net:7233', { TEMPORAL_API_KEY_FILE: 'key' }],
    ['temporal:7233', { CCM_MIGRATE_TEMPORAL_PLAINTEXT: 'privateNetwork' }],
  ])('the address %s is used with %j', (address, env) => {
    expect(problems({ TEMPORAL_ADDRESS: address, ...env })).toEqual([]);
  });

  it.each(['temporal.example.net:7233', '10.0.0.7:7233', '[fd00::1]:7233', '127.evil.net:7233'])(
    'the address %s is refused without TLS',
    (address) => {
      expect(problems({ TEMPORAL_ADDRESS: address })).toEqual([
        expect.stringMatching(/no TLS is set/),
      ]);
    },
  );

  it('the environment sets addresses, slots and log level', () => {
    const read = readWorkerEnvironment({
      ...LEAST,
      CCM_MIGRATE_METRICS_ADDRESS: '0.0.0.0:9464',
      CCM_MIGRATE_CLUSTER_SLOTS: '50',
      CCM_MIGRATE_LOG_LEVEL: 'debug',
    });
    expect(read).toMatchObject({
      environment: {
        metrics: { host: '0.0.0.0', port: 9464 },
        clusterSlots: 50,
        logLevel: 'debug',
      },
    });
  });

  it.each([
    [{}, { stopAbove: 0.8, resumeBelow: 0.6 }],
    [{ CCM_MIGRATE_BUSY_PERCENT: '100' }, { stopAbove: 1, resumeBelow: 0.6 }],
    [
      { CCM_MIGRATE_BUSY_PERCENT: '50', CCM_MIGRATE_BUSY_UNTIL_PERCENT: '49' },
      { stopAbove: 0.5, resumeBelow: 0.49 },
    ],
  ])('the environment %j says how busy a worker takes guards: %j', (env, loopLimits) => {
    expect(readWorkerEnvironment({ ...LEAST, ...env })).toMatchObject({
      environment: { loopLimits },
    });
  });

  it('limits that are equal are refused: a worker would change its mind at each reading', () => {
    expect(problems({ CCM_MIGRATE_BUSY_PERCENT: '60' })).toEqual([
      'CCM_MIGRATE_BUSY_UNTIL_PERCENT 60 must be less than CCM_MIGRATE_BUSY_PERCENT, which is 60',
    ]);
  });

  it("the environment's help explains every variable", () => {
    for (const [name, { meaning }] of Object.entries(WORKER_ENVIRONMENT)) {
      expect(name).toMatch(/^(TEMPORAL|CCM_MIGRATE)_[A-Z_]+$/);
      expect(meaning.length).toBeGreaterThan(10);
    }
  });
});
