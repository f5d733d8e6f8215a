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
