import { parseArgs } from 'node:util';
import { flagReader } from '../../base/flags.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import type { LabOptions } from '../lab.js';

const { whole, oneOf } = flagReader((message) => new LabUnavailable(message));

const TEXT = { type: 'string' } as const;

const FLAGS = {
  lab: { ...TEXT, default: '1' },
  cluster: { ...TEXT, default: 'lab-1' },
  clusters: { ...TEXT, default: '1' },
  nodes: { ...TEXT, default: '3' },
  workers: { ...TEXT, default: '0' },
  from: { ...TEXT, default: '1.29.15' },
  to: { ...TEXT, default: '1.30.14' },
  etcd: { ...TEXT, default: 'external' },
  kubelets: { ...TEXT, default: 'inTree' },
  hostnames: { ...TEXT, default: 'same' },
  prometheus: { type: 'boolean', default: false },
  'end-with-input': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Verbs whose further arguments are for another program and must not be parsed here. */
const PASSES_ON: ReadonlySet<string> = new Set(['ssh', 'kubectl']);

/** Value of --lab that asks for any free number; the process then reports which one it is. */
const FREE = 'free';

export interface Words {
  readonly verb: string;
  readonly rest: readonly string[];
  readonly lab: number;
  readonly cluster: string;
  readonly help: boolean;
  /** The process that owns the lab stops it when its standard input is closed. */
  readonly endWithInput: boolean;
  readonly up: Omit<LabOptions, 'report' | 'env'>;
}

/** The validated command line. @throws LabUnavailable that says what is wrong with it. */
export function readWords(words: readonly string[]): Words {
  // Our options precede such a verb; everything after it is passed on.
  const foreign = words.findIndex((word) => PASSES_ON.has(word));
  const ours = foreign === -1 ? words : words.slice(0, foreign + 1);
  const passedOn = foreign === -1 ? [] : words.slice(foreign + 1);
  const { values, positionals } = parsed(ours);
  const [verb = '', ...rest] = positionals;
  const { from, to, cluster, help } = values;
  const lab = verb === 'daemon' && values.lab === FREE ? null : whole('lab', values.lab, 1, 31);
  return {
    ...{ verb, cluster, help, lab: lab ?? 1, endWithInput: values['end-with-input'] },
    rest: [...rest, ...passedOn],
    up: {
      ...{ from, to },
      ...(lab === null ? {} : { lab }),
      clusters: whole('clusters', values.clusters, 1, 8),
      nodes: whole('nodes', values.nodes, 1, 9),
      workers: whole('workers', values.workers, 0, 9),
      etcd: oneOf('etcd', values.etcd, ['external', 'stacked'] as const),
      kubelets: oneOf('kubelets', values.kubelets, ['inTree', 'external', 'none'] as const),
      prometheus: values.prometheus,
      hostnames: oneOf('hostnames', values.hostnames, ['same', 'different'] as const),
    },
  };
}

function parsed(words: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(words);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new LabUnavailable(`${message}\nTry: npm run lab -- --help`);
  }
}

function parse(words: readonly string[]) {
  return parseArgs({ args: [...words], options: FLAGS, strict: true, allowPositionals: true });
}
