import { describe, expect, it } from '@jest/globals';
import {
  ApplicationFailure,
  DefaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common';
import {
  encodeErrorToFailure,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import { contactOf } from '../../../cli/runs/run-view.js';
import { dataConverterWith } from '../../../config/data-converter.js';
import { emptyTrace } from '../../../domain/ownership/ownership.js';
import { payloadKeys } from '../../support/payload-keys.js';

const CONVERTER = loadDataConverter();

const TIME = (atMs: number) => ({ seconds: atMs / 1000, nanos: 0 });

const MEMORY = {
  ...{ guard: 1, observations: 3, breaches: [], firstSeen: [], apiReachable: true },
  reachable: { 'cp-1': true, 'cp-2': false },
  trace: emptyTrace(['service'], 50_000),
};

function guard(details: unknown, more: object = {}): object {
  const payload = defaultPayloadConverter.toPayload(details);
  const heartbeatDetails = { payloads: [payload] };
  return { activityType: { name: 'guardCluster' }, attempt: 1, heartbeatDetails, ...more };
}

function observing(more: object = {}): object {
  return {
    ...{ activityType: { name: 'observeCluster' }, attempt: 4, scheduledTime: TIME(10_000) },
    lastFailure: { message: 'ECONNREFUSED\u001b[2J', applicationFailureInfo: {} },
    ...{ lastAttemptCompleteTime: TIME(60_000), nextAttemptScheduleTime: TIME(64_000) },
    ...more,
  };
}

async function contact(...pendingActivities: readonly object[]): ReturnType<typeof contactOf> {
  return contactOf({ raw: rawOf(...pendingActivities) }, CONVERTER);
}

function rawOf(...pendingActivities: readonly object[]): Parameters<typeof contactOf>[0]['raw'] {
  return { pendingActivities } as unknown as Parameters<typeof contactOf>[0]['raw'];
}

describe('how a run reaches its cluster', () => {
  it('contact is unknown before the first attempt', async () => {
    expect(await contact()).toEqual({ seen: null, outage: null, guardQueuedMs: null });
  });

  it("contact is the guard's last observation with its time", async () => {
    const { seen, outage } = await contact(guard(MEMORY));
    expect(seen).toMatchObject({ atMs: 50_000, owner: 'unknown', away: ['cp-2'] });
    expect(outage).toBeNull();
  });

  it('a guard without an observation claims no contact', async () => {
    expect((await contact(guard({ ...MEMORY, observations: 0 }))).seen).toBeNull();
  });

  it('a guard that does not get through is an outage', async () => {
    const outage = { sinceMs: 55_000, attempts: 7, error: 'refused' };
    expect((await contact(guard({ ...MEMORY, outage }), observing())).outage).toEqual({
      ...outage,
      nextTryAtMs: null,
    });
  });

  it('an observation under retry is an outage, also without a guard', async () => {
    expect((await contact(observing())).outage).toEqual({
      ...{ sinceMs: 10_000, attempts: 3, nextTryAtMs: 64_000 },
      error: 'ECONNREFUSED\ufffd[2J',
    });
  });

  it('what a failed observation said is read where it was encrypted', async () => {
    const said = ApplicationFailure.create({ type: 'Unavailable', message: 'no route' });
    const keyed = loadDataConverter(dataConverterWith(payloadKeys('k')));
    const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
    const lastFailure = await encodeErrorToFailure({ ...keyed, failureConverter }, said);
    const raw = rawOf(observing({ lastFailure }));
    expect((await contactOf({ raw }, keyed)).outage?.error).toBe('no route');
    expect((await contactOf({ raw }, CONVERTER)).outage?.error).toBe('Encoded failure');
  });

  it.each<[string, readonly object[]]>([
    [
      "a failure before the guard's latest observation",
      [guard(MEMORY), observing({ lastAttemptCompleteTime: TIME(49_000) })],
    ],
    ['a lost worker', [observing({ lastFailure: { message: 'x', timeoutFailureInfo: {} } })]],
    [
      'a guard that continued on another worker',
      [guard(MEMORY, { attempt: 2, lastFailure: { applicationFailureInfo: {} } })],
    ],
    ['a first attempt', [observing({ attempt: 1 })]],
  ])('%s is no outage', async (_case, pending) => {
    expect((await contact(...pending)).outage).toBeNull();
  });

  it.each<[string, unknown]>([
    ['that are null', null],
    ['of another kind', { progress: 'x' }],
    ['without a trace', { guard: 1, observations: 3, reachable: {} }],
    ['with a malformed trace', { ...MEMORY, trace: { controllers: [null] } }],
  ])('contact stays unknown for heartbeat details %s', async (_case, details) => {
    expect(await contact(guard(details))).toEqual({
      seen: null,
      outage: null,
      guardQueuedMs: null,
    });
  });

  it.each([
    ['is queued from its schedule', { state: 1, scheduledTime: TIME(10_000) }, 10_000],
    [
      'is queued again from when it was due, after a worker that is gone',
      { state: 1, scheduledTime: TIME(10_000), nextAttemptScheduleTime: TIME(90_000) },
      90_000,
    ],
    [
      'that is not due yet is not queued',
      { state: 1, scheduledTime: TIME(10_000), nextAttemptScheduleTime: TIME(9_000_000_000_000) },
      null,
    ],
    ['that a worker has is not queued', { state: 2, scheduledTime: TIME(10_000) }, null],
  ])('a guard %s', async (_, more, expected) => {
    const { guardQueuedMs } = await contact(guard(MEMORY, more));
    expect(guardQueuedMs).toBe(expected);
  });
});
