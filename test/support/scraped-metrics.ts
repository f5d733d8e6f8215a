/** One line of what Prometheus reads. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads our own metrics at `host:port` as Prometheus does. */
export async function scrape(address: string): Promise<readonly Series[]> {
  const response = await fetch(`http://${address}/metrics`);
  return ownSeriesIn(await response.text());
}

/** Our own metrics on a page in the text format of Prometheus. */
export function ownSeriesIn(page: string): readonly Series[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('ccm_migrate_'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)];
      const entries = pairs.map(([, label = '', text = '']) => [label, text]);
      return { name, labels: Object.fromEntries(entries), value: Number(value) };
    });
}
