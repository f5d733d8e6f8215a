import { existsSync } from 'node:fs';

/** What every benchmark takes about its results. */
export interface OutputOptions {
  readonly out: string;
  readonly append: boolean;
  /** The page that gets the table; null leaves it unchanged. */
  readonly docs: string | null;
  readonly help: boolean;
}

/** The page of all benchmarks. */
export const BENCH_PAGE = 'docs/benchmarks.md';

/** The flags for `parseArgs`; `out` is the file of results unless another one is given. */
export function outputFlags(out: string) {
  return {
    out: { type: 'string', default: out },
    append: { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
}

export function outputOptions(
  values: Omit<OutputOptions, 'docs'> & { readonly 'write-docs': boolean },
): OutputOptions {
  const { out, append, help } = values;
  return { out, append, help, docs: values['write-docs'] ? BENCH_PAGE : null };
}

/** Protects hours of results from a forgotten flag. @throws Error that says what to do. */
export function refuseOverwriting({ out, append }: Pick<OutputOptions, 'out' | 'append'>): void {
  if (append || !existsSync(out)) return;
  throw new Error(
    `${out} already exists. Add to it with --append, or choose another file with --out`,
  );
}

/** A whole number above 0 of at most five digits. @throws Error that names the option. */
export function countOption(name: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number above 0, not "${text}"`);
}
