import type { Report } from './temporal-release.js';

const REPORT_EVERY_MS = 10_000;

/** Reports every ten seconds how far a `go build -v` is; it must be given each line of its stderr. */
export function showGoProgress(
  what: string,
  report: Report,
): { readonly sawLine: (line: string) => void; readonly stop: () => void } {
  const startedAt = Date.now();
  let packages = 0;
  let last = 'fetching modules';
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    report(`building ${what}: ${seconds} s, ${packages} packages compiled, now ${last}`);
  }, REPORT_EVERY_MS);
  return {
    sawLine: (line) => {
      if (!line.startsWith('go: ')) packages += 1;
      last = line;
    },
    stop: () => clearInterval(timer),
  };
}
