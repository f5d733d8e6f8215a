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
  // jest leaves one core free for a person at the keyboard; on two cores that is half of them.
  maxWorkers: '100%',
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
