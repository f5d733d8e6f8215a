import js from '@eslint/js';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';
import { forbiddenWords } from './tools/eslint/forbidden-words.js';
import { requireDisableReason } from './tools/eslint/require-disable-reason.js';

const SOURCES = [
  'domain',
  'workflows',
  'activities',
  'workers',
  'config',
  'cli',
  'devserver',
  'testbed',
];
const PLAIN_JAVASCRIPT = ['**/*.js', '**/*.mjs', '**/*.cjs'];

/** A regular expression, not a glob: `domain` is a Node built-in too, and `../domain/` is not. */
const NODE_BUILTINS = `^(node:.*|(${builtinModules.join('|')})(/.*)?)$`;

/** Clock, randomness, environment and I/O as the globals offer them. */
const IMPURE_GLOBALS = [
  ...['Date', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
  ...['process', 'console', 'fetch', 'crypto', 'Buffer', 'WebSocket', 'globalThis'],
].map((name) => ({ name, message: 'domain/ is pure: take what you need as a parameter.' }));

/** `Date`, timers and `Math.random` are deterministic inside the Temporal sandbox; these are not there at all. */
const NOT_IN_SANDBOX = [
  ...['process', 'console', 'fetch', 'crypto', 'Buffer', 'performance', 'setImmediate'],
  ...['setInterval', 'structuredClone', 'WeakRef', 'FinalizationRegistry'],
].map((name) => ({ name, message: 'Not in the workflow sandbox; use an activity, or `log`.' }));

const houseRules = {
  'house/forbidden-words': 'error',
  'house/require-disable-reason': 'error',
  'max-lines': ['error', { max: 350 }],
  'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
  // A switch counts as one decision: exhaustive switches over outcomes are how we write.
  complexity: ['error', { max: 10, variant: 'modified' }],
  eqeqeq: 'error',
  'no-restricted-exports': [
    'error',
    { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } },
  ],
};

const typedRules = {
  '@typescript-eslint/no-floating-promises': 'error',
  // Also finds async update validators, whose rejection Temporal never sees (sdk-typescript#1542).
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
  ],
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
  '@typescript-eslint/consistent-type-exports': 'error',
  // A narrowing `as` is an unchecked claim; at a parsing edge it is turned off with its reason.
  '@typescript-eslint/no-unsafe-type-assertion': 'error',
  '@typescript-eslint/no-unused-vars': [
    'error',
    { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
  ],
};

/** Where strictTypeChecked only makes noise here. Each with its reason; none of them hides a bug class. */
const relaxations = {
  // Numbers and booleans print the same everywhere; objects and null are still caught.
  '@typescript-eslint/restrict-template-expressions': [
    'error',
    { allowNumber: true, allowBoolean: true },
  ],
  // `() => effect()` as a callback is the usual short form.
  '@typescript-eslint/no-confusing-void-expression': [
    'error',
    { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
  ],
  // `while (true)` with a return inside is how loops over looks and retries read best.
  '@typescript-eslint/no-unnecessary-condition': [
    'error',
    { allowConstantLoopConditions: 'only-allowed-literals' },
  ],
  // A port's method that can answer at once stays async, so that a throw becomes a rejection.
  '@typescript-eslint/require-await': 'off',
};

const testRelaxations = {
  // describe() blocks are lists of stories, not functions to be understood at once.
  'max-lines-per-function': 'off',
  // Tests build partial objects and read JSON answers on purpose; a wrong claim fails the test.
  '@typescript-eslint/no-unsafe-type-assertion': 'off',
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-call': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
  // `expect(port.method)` hands over a mock, never calls it unbound.
  '@typescript-eslint/unbound-method': 'off',
};

const domainPurity = {
  'no-restricted-globals': ['error', ...IMPURE_GLOBALS],
  'no-restricted-properties': [
    'error',
    { object: 'Math', property: 'random', message: 'domain/ is pure: randomness is a parameter.' },
  ],
  // The workflows of a worker share its modules (workers/workflow-bundle.ts). A WeakMap that remembers is no state.
  'no-restricted-syntax': [
    'error',
    ...[
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind="let"]',
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator[id.typeAnnotation=undefined] > NewExpression[callee.name=/^(Map|Set)$/]',
    ].map((selector) => ({ selector, message: 'domain/ keeps nothing between calls.' })),
  ],
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: NODE_BUILTINS,
          message: 'domain/ runs in the workflow sandbox: no Node built-ins.',
        },
        {
          group: ['zod', 'zod/*'],
          message: 'zod costs 600 KB of heap per workflow; config/ only.',
        },
        {
          group: ['@temporalio/*', '@kubernetes/*'],
          message: 'domain/ knows no engine and no API.',
        },
      ],
    },
  ],
};

const workflowDeterminism = {
  'no-restricted-globals': ['error', ...NOT_IN_SANDBOX],
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        { regex: NODE_BUILTINS, message: 'No Node built-ins in the workflow sandbox.' },
        { group: ['zod', 'zod/*'], message: 'zod never enters the workflow bundle.' },
        {
          group: ['@temporalio/worker', '@temporalio/client', '@temporalio/activity'],
          message: 'Workflows see @temporalio/workflow and @temporalio/common only.',
        },
      ],
    },
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector:
        'ExportNamedDeclaration TSTypeReference[typeName.name=/^(Map|Set|ReadonlyMap|ReadonlySet|Date)$/]',
      message: 'What crosses a workflow boundary is plain JSON: JSON.stringify(new Map()) is {}.',
    },
  ],
};

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/', '.ccm-migrate/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    plugins: {
      house: {
        rules: {
          'forbidden-words': forbiddenWords,
          'require-disable-reason': requireDisableReason,
        },
      },
    },
    rules: houseRules,
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: { ...typedRules, ...relaxations },
  },
  {
    // process.env is read where configuration is read and where a process begins, nowhere else.
    files: SOURCES.map((room) => `${room}/**/*.ts`),
    ignores: ['config/**', '**/main.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Take the environment as a parameter.' },
      ],
    },
  },
  { files: ['domain/**/*.ts'], rules: domainPurity },
  { files: ['workflows/**/*.ts'], rules: workflowDeterminism },
  { files: ['test/**/*.ts'], rules: testRelaxations },
  {
    files: PLAIN_JAVASCRIPT,
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', module: 'writable', URL: 'readonly' },
    },
  },
  // Its texts have the words that the rule must find.
  { files: ['test/tools/forbidden-words.test.ts'], rules: { 'house/forbidden-words': 'off' } },
  {
    // Tools read configuration from a default export; our own modules never have one.
    files: ['*.config.js', 'test/**/global-*.mjs', 'test/support/longest-first.mjs'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
