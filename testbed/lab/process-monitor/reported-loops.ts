/** What a manager runs and leads according to its own metrics. */
export interface ReportedLoops {
  readonly running: readonly string[];
  readonly leads: readonly string[];
}

/** Label `name` of every series of a metric whose value is 1, in the text of a `/metrics` page. */
function namesAtOne(text: string, metric: string): readonly string[] {
  const series = new RegExp(`^${metric}\\{[^}]*\\bname="([^"]*)"[^}]*\\} 1$`, 'gm');
  return [...text.matchAll(series)].map(([, name = '']) => name).sort();
}

/** Source: kubernetes/component-base metrics/prometheus/controllers; client-go metrics adapters of leader election. */
export function readManagerMetrics(text: string): ReportedLoops {
  return {
    running: namesAtOne(text, 'running_managed_controllers'),
    leads: namesAtOne(text, 'leader_election_master_status'),
  };
}
