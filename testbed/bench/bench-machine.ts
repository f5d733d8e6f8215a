import { availableParallelism, release, totalmem, type } from 'node:os';

/** Properties of a machine that affect timings, without its name. */
export interface BenchMachine {
  readonly cores: number;
  readonly memoryGiB: number;
  /** For example `Linux 6.1`. */
  readonly kernel: string;
}

export function thisMachine(): BenchMachine {
  const [major = '', minor = ''] = release().split('.');
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: `${type()} ${major}.${minor}`,
  };
}

export function machineText({ cores, memoryGiB, kernel }: BenchMachine): string {
  return `${cores} cores, ${memoryGiB} GiB of memory, ${kernel}`;
}
