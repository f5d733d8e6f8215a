/** Operators make it; nothing but what probes make belongs there, so no gate and no inventory counts its Services. */
export const PROBE_NAMESPACE = 'ccm-migrate-probe';

/** The one Service that a probe makes, changes and deletes. */
export const PROBE_SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  namespace: PROBE_NAMESPACE,
  name: 'balancer',
} as const;

/** Before the first change of a run, or once the target owns the cloud controllers. */
export type ProbeMoment = 'before' | 'after';

/** How long each effect of a probe took, in ms; null for one that was not seen in time, or not tried after such a one. */
export interface ProbeTimes {
  readonly addressMs: number | null;
  readonly changeMs: number | null;
  readonly goneMs: number | null;
}

/** For people; `earlier`: of the probe before the first change. */
export function probeText(times: ProbeTimes, earlier: ProbeTimes | null = null): string {
  const rows = [
    ['address after', times.addressMs, earlier?.addressMs],
    ['port changed after', times.changeMs, earlier?.changeMs],
    ['deleted after', times.goneMs, earlier?.goneMs],
  ] as const;
  return rows
    .flatMap(([what, now, then = null]) => {
      if (now === null) return [];
      return [
        `${what} ${secondsText(now)}${then === null ? '' : ` (before: ${secondsText(then)})`}`,
      ];
    })
    .join(', ');
}

/** With one digit after the point, none where it is 0. */
export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
}
