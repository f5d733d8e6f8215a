import { stringify } from 'yaml';

/** Plain JSON as YAML for people, in the order of its keys. For display, never for requests. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
