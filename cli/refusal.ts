import type { FindingCode } from '../domain/findings/catalogue.js';
import { entryOf } from '../domain/findings/catalogue.js';
import type { Ending } from './endings.js';

/** Why a command did not do what was asked: what, why, fix, always with a code of the catalogue. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: FindingCode;
  readonly ending: Ending;
  readonly why: string;
  readonly fix: string;
  /** Whether the cluster is safe as it is, where a run is concerned. */
  readonly state: string;
  /** Of which cluster; null where it is about none. */
  readonly cluster: string | null;
  /** Whether the same command may succeed later without intervention. */
  readonly retryable: boolean;

  constructor(
    code: FindingCode,
    what: string,
    options: {
      readonly ending?: Ending;
      readonly why?: string;
      readonly fix?: string;
      readonly state?: string;
      readonly cluster?: string;
      readonly retryable?: boolean;
    } = {},
  ) {
    super(what);
    const entry = entryOf(code);
    this.code = code;
    this.ending = options.ending ?? 'refused';
    this.why = options.why ?? entry.why;
    this.fix = options.fix ?? entry.fix;
    this.state = options.state ?? '';
    this.cluster = options.cluster ?? null;
    this.retryable = options.retryable ?? false;
  }
}

/** The command line itself is wrong; says which flag would make it right. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
