import type { Verb } from './verb.js';
import { FILES_OF_RUN, SERVER } from './verb.js';

/** Verbs about what was done, for people who were not there. */
export const EVIDENCE_VERBS: readonly Verb[] = [
  {
    name: 'audit export',
    about: 'Writes the evidence of a run: every change with who, why and proof, and its history.',
    examples: ['ccm-migrate audit export prod-1 -o json > prod-1.json'],
    arguments: [
      { syntax: '[cluster]', about: 'name or UID of the cluster; the only run unless given' },
    ],
    flags: [
      { flags: '--out <path>', about: 'write to this file instead of stdout' },
      { flags: '--evidence-dir <folder>', about: "the workers' evidence folder" },
      FILES_OF_RUN,
      ...SERVER,
    ],
    endings: ['reached', 'failed'],
    load: async () => (await import('../commands/audit-export.js')).auditExport,
  },
  {
    name: 'audit verify',
    about: 'Proves that an export is whole: its hash chain, and a replay of its history.',
    examples: ['ccm-migrate audit verify prod-1.json'],
    arguments: [{ syntax: '<file>', about: 'written by `ccm-migrate audit export`' }],
    flags: [{ flags: '--no-replay', about: 'check the chain only' }],
    endings: ['reached', 'failed', 'checksFailed'],
    load: async () => (await import('../commands/audit-verify.js')).auditVerify,
  },
];
