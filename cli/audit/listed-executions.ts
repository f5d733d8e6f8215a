import type { Client, WorkflowExecutionInfo } from '@temporalio/client';

/** How much of what a server lists is read: its histories are what takes long. */
export interface ListReading {
  /** Whether one may be meant, by what the list says of it; others are neither read nor told of. */
  readonly isMeant: (listed: WorkflowExecutionInfo) => boolean;
  /** How many histories are read at most, the newest first. */
  readonly most: number;
  /** Hears how many of how many are read. */
  readonly told: (read: number, all: number) => void;
}

/** All of them: for who looks for what is missing. */
export const READ_ALL: ListReading = {
  ...{ isMeant: () => true, most: Infinity, told: () => undefined },
};

/** What can be said of a listed execution that no export tells of. */
export interface FromList<Told> {
  /** By its histories. */
  readonly read: (listed: WorkflowExecutionInfo) => Promise<Told>;
  /** By the list alone. */
  readonly unread: (listed: WorkflowExecutionInfo) => Told;
}

export interface Listed<Told> {
  readonly told: readonly Told[];
  /** How many of these the list alone tells of. */
  readonly unread: number;
}

/** What an audit did not read of what a server lists. */
export interface NotRead {
  /** Of how many the list alone tells. */
  readonly unread: number;
  /** Those whose histories cannot be read, and why. */
  readonly unreadable: readonly string[];
}

/** Each execution that a query lists, with what an export (`known`, by run id) or its histories tell of it. */
export async function listedExecutions<Told>(
  client: Client,
  { query, known }: { readonly query: string; readonly known: ReadonlyMap<string, Told> },
  { read, unread }: FromList<Told>,
  reading: ListReading,
): Promise<Listed<Told>> {
  const told: Told[] = [];
  const others: WorkflowExecutionInfo[] = [];
  for await (const listed of client.workflow.list({ query })) {
    const found = known.get(listed.runId);
    if (found !== undefined) told.push(found);
    else if (reading.isMeant(listed)) others.push(listed);
  }
  others.sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
  const chosen = others.slice(0, reading.most);
  told.push(...(await readAtOnce(chosen, read, reading.told)));
  const left = others.slice(chosen.length);
  return { told: [...told, ...left.map(unread)], unread: left.length };
}

/** Histories that are read at the same time: each may be many megabytes. */
const AT_ONCE = 4;

async function readAtOnce<Told>(
  listed: readonly WorkflowExecutionInfo[],
  read: FromList<Told>['read'],
  tell: ListReading['told'],
): Promise<readonly Told[]> {
  const told: Told[] = [];
  const waiting = [...listed];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      told.push(await read(next));
      tell(told.length, listed.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return told;
}

/** As the list says it, in the words of an audit. */
export function listedStatus({ status }: WorkflowExecutionInfo): string {
  return status.name === 'RUNNING' ? 'open' : status.name.toLowerCase();
}

/** Its ticket, which is in its memo; empty without one. */
export function listedTicket({ memo }: WorkflowExecutionInfo): string {
  const ticket = memo?.['ticket'];
  return typeof ticket === 'string' ? ticket : '';
}
