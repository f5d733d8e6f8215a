import { sleep } from '@temporalio/workflow';
import type { FleetMailbox } from './fleet-mailbox.js';

/** Wakes the loop. Each timer is two events, so one that is early is left to ring, and only an earlier time gets another. */
export interface FleetAlarm {
  readonly set: (times: readonly (number | null)[]) => void;
}

export function createAlarm(mailbox: FleetMailbox): FleetAlarm {
  let armed: readonly number[] = [];
  return {
    set: (times) => {
      const wanted = times.filter((atMs) => atMs !== null);
      if (wanted.length === 0) return;
      const nextMs = Math.min(...wanted);
      if (armed.some((atMs) => atMs <= nextMs)) return;
      armed = [...armed, nextMs];
      void sleep(Math.max(1, nextMs - Date.now())).then(() => {
        armed = armed.filter((atMs) => atMs !== nextMs);
        mailbox.put({ kind: 'event', event: { kind: 'tick' } });
      });
    },
  };
}
