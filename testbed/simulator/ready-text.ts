/** What a simulator that can be reached says of itself. */
export interface SimulatorReady {
  readonly url: string;
  /** Path of the file that names its clusters. */
  readonly inventory: string;
  /** Paths, by cluster. */
  readonly kubeconfigs: Readonly<Record<string, string>>;
  readonly pid: number;
}

/** One line of JSON, for programs. */
export function readyLine(ready: SimulatorReady): string {
  return `${JSON.stringify({ ready: true, ...ready })}\n`;
}

/** The same for a person at a terminal, with what can be typed next. */
export function readyText({ url, inventory, kubeconfigs }: SimulatorReady): string {
  const [[name, kubeconfig] = ['', ''], ...others] = Object.entries(kubeconfigs);
  const what = others.length === 0 ? `cluster ${name}` : `${String(others.length + 1)} clusters`;
  return [
    `${what} simulated at ${url}; Ctrl-C ends it`,
    `  inventory   ${inventory}`,
    `  kubeconfig  ${kubeconfig}${others.length === 0 ? '' : ', and one for each other cluster beside it'}`,
    `  look        kubectl --kubeconfig ${kubeconfig} get nodes,leases -A`,
    '',
  ].join('\n');
}
