import { goNumber } from './go-number.js';

/** A Prometheus histogram: observations counted by the first upper edge that is not below them. */
export class MetricHistogram {
  private readonly edges: readonly number[];
  private readonly counts: number[];
  private total = 0;
  private observed = 0;

  constructor(edges: readonly number[]) {
    this.edges = edges;
    this.counts = edges.map(() => 0);
  }

  get count(): number {
    return this.observed;
  }

  get sum(): number {
    return this.total;
  }

  observe(value: number): void {
    this.observed += 1;
    this.total += value;
    const index = this.edges.findIndex((edge) => value <= edge);
    if (index >= 0) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  /** Upper edge → observations at or below it, the infinite edge last. */
  cumulative(): readonly (readonly [edge: string, count: number])[] {
    let below = 0;
    const finite = this.edges.map((edge, index) => {
      below += this.counts[index] ?? 0;
      return [goNumber(edge), below] as const;
    });
    return [...finite, ['+Inf', this.observed]];
  }
}

/** As component-base's `ExponentialBuckets`: repeated multiplication, with its rounding. */
export function exponentialEdges(start: number, factor: number, count: number): readonly number[] {
  const edges: number[] = [];
  for (let edge = start; edges.length < count; edge *= factor) edges.push(edge);
  return edges;
}
