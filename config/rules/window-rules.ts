import { neededWindowMs } from '../expected-run.js';
import type { MaintenanceWindow } from '../kinds/maintenance-window.js';
import type { WrittenPolicy } from '../kinds/migration-policy.js';
import type { WaveSpec } from '../kinds/wave.js';
import { didYouMean } from '../nearest-name.js';
import { isTimeZone } from '../time-zones.js';
import type { Complain, DocumentPath } from './complain.js';

/** Windows that never open as they read, or in which no cluster could start. */
export function windowProblems(
  { windows, soak }: WaveSpec,
  { spec }: WrittenPolicy,
  { path, complain }: { readonly path: DocumentPath; readonly complain: Complain },
): void {
  const neededMinutes = Math.ceil(neededWindowMs(spec, soak ?? spec.soak) / 60_000);
  for (const [index, window] of windows.entries()) {
    const at = [...path, 'windows', index];
    if (!isTimeZone(window.timeZone)) {
      const message = `unknown time zone "${window.timeZone}"${suggestedZone(window.timeZone)}`;
      complain({ path: [...at, 'timeZone'], message, code: 'CCM5027' });
    }
    const minutes = minutesOf(window);
    if (minutes >= neededMinutes) continue;
    const message = `open for ${String(minutes)} minutes, but a run may take ${String(neededMinutes)} (${policyNote(spec)})`;
    complain({ path: at, message, code: 'CCM5028' });
  }
}

function policyNote({ disableLeaderMigration }: WrittenPolicy['spec']): string {
  return disableLeaderMigration === 'afterSoak'
    ? 'timings.effect and election of the policy, and its soak, which a change follows'
    : 'timings.effect and election of the policy';
}

function suggestedZone(written: string): string {
  return didYouMean(written, Intl.supportedValuesOf('timeZone'));
}

function minutesOf({ from, to }: MaintenanceWindow): number {
  const [opens, closes] = [minuteOfDay(from), minuteOfDay(to)];
  return closes > opens ? closes - opens : closes + 24 * 60 - opens;
}

function minuteOfDay(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}
