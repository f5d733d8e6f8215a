/** Three heartbeats, which the SDK sends each minute. */
const SILENT_AFTER_MS = 180_000;

/** Finds workers of a queue that are alive: one whose slots are all in use polls nothing, and its heartbeats alone tell of it. */
export function liveWorkersQuery(queue: string, nowMs: number): string {
  const since = new Date(nowMs - SILENT_AFTER_MS).toISOString();
  return `TaskQueue = '${queue}' AND HeartbeatTime > '${since}'`;
}

/** gRPC: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED. */
const UNTOLD: readonly number[] = [3, 7, 12];

/** Whether a server that answers so never tells of heartbeats. */
export function tellsNoHeartbeats(code: number): boolean {
  return UNTOLD.includes(code);
}
