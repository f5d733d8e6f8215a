import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What the tests read of one compose service. */
export interface ComposeService {
  readonly volumes?: readonly unknown[];
  readonly secrets?: readonly string[];
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly restart?: string;
  readonly init?: boolean;
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

export function fileText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

export function composeFile(path = 'docker-compose.yml'): ComposeFile {
  return parse(fileText(path), { merge: true }) as ComposeFile;
}

/** What compose makes of both files: a service's environment is joined, everything else of it replaced. */
export function secureComposeFile(): ComposeFile {
  const [base, over] = [composeFile(), composeFile('docker-compose.secure.yml')];
  const services = Object.entries(base.services).map(([name, service]) => {
    const more = over.services[name] ?? {};
    const environment = { ...service.environment, ...more.environment };
    return [name, { ...service, ...more, environment }] as const;
  });
  return {
    services: Object.fromEntries(services),
    configs: { ...base.configs, ...over.configs },
  };
}

/** The script of a service that runs `/bin/sh -euc SCRIPT`, as the container sees it: compose writes `$$` for `$`. */
export function scriptOf(service: ComposeService | undefined): string {
  return (service?.command?.[0] ?? '').replaceAll('$$', '$');
}

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Instructions of a Dockerfile, without comments and with continued lines joined. */
export function dockerfileInstructions(): readonly Instruction[] {
  return fileText('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({
      word: line.split(' ', 1)[0] ?? '',
      rest: line.slice(line.indexOf(' ') + 1),
    }));
}
