/**
 * How a worker names itself to the server, which shows it with each queue that it polls. With its slots, since nothing else that
 * every server keeps tells them to others.
 */
export function workerIdentity(given: {
  readonly role: string;
  readonly host: string;
  readonly pid: number;
  /** How many activities it runs at once; null for one that runs workflows. */
  readonly slots: number | null;
}): string {
  const { role, host, pid, slots } = given;
  const process = `ccm-migrate-${role}@${host}#${String(pid)}`;
  return slots === null ? process : `${process}/${String(slots)}`;
}

/** The slots in the identity of a worker; null where it does not say, as those of other versions. */
export function slotsOfIdentity(identity: string): number | null {
  const [, slots] = /^ccm-migrate-\w+@.*#\d+\/(\d{1,6})$/.exec(identity) ?? [];
  return slots === undefined ? null : Number(slots);
}
