import { parse } from 'yaml';

export type YamlAnswer =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/**
 * YAML 1.2 text as plain data. Duplicate keys are an error only with `uniqueKeys` (Go's lenient decoding takes the
 * last).
 */
export function parseYaml(text: string, options: { readonly uniqueKeys: boolean }): YamlAnswer {
  try {
    return {
      ok: true,
      value: parse(text, { uniqueKeys: options.uniqueKeys, logLevel: 'error' }) as unknown,
    };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
