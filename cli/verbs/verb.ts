import type { CommandAction } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';

/** One flag, in commander's notation. */
export interface Flag {
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly preset?: string;
}

/** One verb as data: help, completion, parsing and the lazy import of its code all come from here. */
export interface Verb {
  /** `audit export` has two words. */
  readonly name: string;
  readonly about: string;
  readonly examples: readonly string[];
  /** In commander's notation, for example `[cluster]` or `<files...>`. */
  readonly arguments: readonly { readonly syntax: string; readonly about: string }[];
  readonly flags: readonly Flag[];
  readonly exitStatuses: readonly ExitStatus[];
  /** What an exit status means of this verb, where it is not what it means of others. */
  readonly meanings?: Readonly<Partial<Record<ExitStatus, string>>>;
  /** It can also print a table for spreadsheets: `-o csv`. */
  readonly printsCsv?: true;
  readonly load: () => Promise<CommandAction>;
}

/** Flags of every command that reads a server or asks a question. */
export const FILES: Flag = {
  flags: '-f, --file <path...>',
  about: 'files or folders with FleetMigration, ClusterInventory and MigrationPolicy',
};

export const FILES_OF_RUN: Flag = {
  flags: '-f, --file <path...>',
  about:
    'files or folders with a ClusterInventory, to find the run by cluster UID and to plan a later run',
};

export const CLUSTER: Flag = {
  flags: '--cluster <name>',
  about: 'which cluster, if the files name several',
};

export const TARGET: Flag = {
  flags: '--target <manager>',
  about: 'which manager owns the cloud controllers at the end',
  choices: ['ccm', 'kcm'],
  preset: 'ccm',
};

export const YES: Flag = { flags: '-y, --yes', about: 'do not ask for confirmation' };

export const TIMEOUT: Flag = {
  flags: '--timeout <duration>',
  about: 'how long to wait; the run continues afterwards',
};

export const TICKET: Flag = {
  flags: '--ticket <id>',
  about: 'change ticket of a run; recorded in the evidence',
};

/** Reason and actor: recorded in the history and the evidence. */
export const WHO_AND_WHY: readonly Flag[] = [
  { flags: '--reason <text>', about: 'why; recorded in the evidence' },
  TICKET,
  { flags: '--actor <name>', about: 'who asks for it (default: user@host of this machine)' },
  {
    flags: '--key <file>',
    about:
      'what to sign with, where workers obey an AccessPolicy: an Ed25519 key file, the .pub file of a key that an ssh-agent holds, or oidc::COMMAND, which prints an ID token (or CCM_MIGRATE_KEY)',
  },
];

/** Where runs live. Flags win over CCM_MIGRATE_* and TEMPORAL_*, and those over the note of `dev` in its folder. */
export const SERVER: readonly Flag[] = [
  {
    flags: '--address <host:port>',
    about: 'Temporal server (or CCM_MIGRATE_ADDRESS, TEMPORAL_ADDRESS) [127.0.0.1:7233]',
  },
  {
    flags: '--namespace <name>',
    about: 'Temporal namespace (or CCM_MIGRATE_NAMESPACE, TEMPORAL_NAMESPACE) [default]',
  },
  {
    flags: '--state-dir <folder>',
    about: 'folder of `dev` or `demo`, which records the address of its server',
  },
];
