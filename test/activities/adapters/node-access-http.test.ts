import { expect, it } from '@jest/globals';
import { HostAnswer } from '../../../activities/adapters/machines/node-access-http.js';

it('an agent that reports no start of a process leaves it unknown', () => {
  const process = { pid: 7, manager: 'ccm', startedAtMs: 1, arguments: [], paused: true };
  const host = { hostname: 'cp-1', bootId: 'b', bootTimeMs: 0, nowMs: 2, processes: [process] };
  expect(HostAnswer.parse(host).processes).toEqual([{ ...process, startTicks: null }]);
});
