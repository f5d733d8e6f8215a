import { availableParallelism } from 'node:os';

const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'es6' },
      sourceMaps: 'inline',
    },
  ],
};
const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

export default {
  // Suites that start processes mostly wait for them, so more of them run than there are cores (by itself jest would leave one free).
  maxWorkers: availableParallelism() * 2,
  // What suites leave behind in a worker (modules of `--experimental-vm-modules` are never freed) slows the last of 600 to a third of their
  // speed: a worker that holds this much is replaced before its next suite.
  workerIdleMemoryLimit: '1GB',
  // No test measures time; this only ends what hangs, also on a machine many times slower.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // `npm run coverage`: the pure rooms are the ones where every branch must have been taken by a test that names it.
  collectCoverageFrom: ['domain/**/*.ts'],
  coverageReporters: ['text'],
  coverageThreshold: { global: { branches: 100 } },
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/workflows/'],
    },
    {
      ...base,
      displayName: 'workflow',
      testMatch: ['<rootDir>/test/workflows/**/*.test.ts'],
      globalSetup: '<rootDir>/test/workflows/global-setup.mjs',
      globalTeardown: '<rootDir>/test/workflows/global-teardown.mjs',
    },
  ],
};
