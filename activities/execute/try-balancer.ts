import type { StepEffect } from '../../domain/decision/step.js';
import { type ProbeFinding, probeVerdict } from '../../domain/gates/probe-verdict.js';
import { PROBE_SERVICE, type ProbeTimes, probeText } from '../../domain/probes/balancer-probe.js';
import type { BalancerProbe } from '../../domain/policy.js';
import { createOurObject, removeObject } from './object-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  note,
  observeUntil,
  policyOf,
  requestOptions,
  safePoint,
  timingsOf,
} from './step-session.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import { objectChange } from '../object-change.js';
import { addressesOf } from '../observe/inventory.js';
import { latestComplaint, ensuredCount } from '../probes/probe-events.js';
import {
  findProbeService,
  PROBE_PORTS,
  type ProbeService,
  probeService,
  probePollMs,
  uidToDelete,
  type ProbedService,
} from '../probes/probe-service.js';

type Probe = Extract<StepEffect, { kind: 'probeBalancer' }>;

/**
 * Makes a load balancer, changes its port and deletes it, and says how long each took. What an attempt before it left is
 * deleted first. Before the first change of a run it ends only when nothing is left (`EffectNotSeen`); a new owner that does
 * not even delete in time has failed the probe, and its successor as the owner of the service controller carries the deletion out.
 */
export async function tryBalancer(
  session: StepSession,
  { moment, earlier }: Probe,
): Promise<EffectReport> {
  const probe = probeOf(session);
  const found = await probed(session, probe);
  const { times, complaint } = found;
  if (times.goneMs === null && moment === 'before') throw notDeleted(probe, complaint);
  const text = probeText(times, earlier);
  note(session, `load balancer: ${text === '' ? 'nothing worked' : text}`);
  return { lost: null, probe: times, verdicts: [probeVerdict(moment, found, probe)] };
}

async function probed(session: StepSession, probe: BalancerProbe): Promise<ProbeFinding> {
  // Who may not read Events makes nothing.
  await ensured(session, null);
  const left = await find(session);
  if (left !== null && (await removed(session, probe, left)) === null) {
    const times = { addressMs: null, changeMs: null, goneMs: null };
    return { times, complaint: await complaintOf(session) };
  }
  safePoint(session);
  const { addressMs, changeMs, complaint } = await tried(session, probe);
  const made = await find(session);
  const goneMs = made === null ? 0 : await removed(session, probe, made);
  const because = goneMs === null && complaint === '' ? await complaintOf(session) : complaint;
  return { times: { addressMs, changeMs, goneMs }, complaint: because };
}

function probeOf(session: StepSession): BalancerProbe {
  const { probes } = policyOf(session);
  if (probes !== undefined) return probes.balancer;
  throw failure(
    'PreconditionFailed',
    'the policy of this run has no probe. The run observes again',
  );
}

interface Tried extends Pick<ProbeTimes, 'addressMs' | 'changeMs'> {
  readonly complaint: string;
}

async function tried(session: StepSession, probe: BalancerProbe): Promise<Tried> {
  const { runId } = session.token;
  await createOurObject(session, probeService(probe.annotations, runId));
  const addressMs = await timed(session, probe, 'an address of the load balancer', async () => {
    const service = await find(session);
    return addressesOf(service?.status).length > 0 && (await ensured(session, service)) > 0;
  });
  const changeMs = addressMs === null ? null : await changed(session, probe);
  const complaint = changeMs === null ? await complaintOf(session) : '';
  return { addressMs, changeMs, complaint };
}

/**
 * The address stays the same, and no metric counts changes of a Service: only the Event that the service controller writes
 * after each success shows that it has followed. Source: k8s.io/cloud-provider controllers/service/controller.go v0.30.14.
 */
async function changed(session: StepSession, probe: BalancerProbe): Promise<number | null> {
  const present = await find(session);
  if (present === null) return null;
  const before = await ensured(session, present);
  const wanted = probeService(probe.annotations, session.token.runId, PROBE_PORTS.changed);
  await changePort(session, present, wanted);
  return timed(session, probe, 'the load balancer to follow a change of its port', async () => {
    const service = await find(session);
    return (await ensured(session, service)) > before;
  });
}

/** Its controller writes to the Service, too, so the precondition is that it is the same one, not its version. */
async function changePort(
  session: StepSession,
  present: ProbedService,
  wanted: ProbeService,
): Promise<void> {
  const { annotations } = wanted.metadata;
  const patch = { metadata: { uid: present.metadata?.uid, annotations }, spec: wanted.spec };
  await fencedMutation(
    session,
    {
      verb: 'patch',
      object: objectName(PROBE_SERVICE),
      ...objectChange({ ...present, kind: PROBE_SERVICE.kind }, wanted),
    },
    () => session.ports.api.mergePatch(PROBE_SERVICE, patch, requestOptions(session)),
  );
}

/** Deletes exactly this one; returns how long it took to be gone, in ms, and null when it was not in time. */
async function removed(
  session: StepSession,
  probe: BalancerProbe,
  present: ProbedService,
): Promise<number | null> {
  if (uidToDelete(present) !== null) await removeObject(session, PROBE_SERVICE, present);
  return timed(session, probe, 'the load balancer to be deleted', async () => {
    const service = await find(session);
    return service?.metadata?.uid !== present.metadata?.uid;
  });
}

function notDeleted({ withinMs }: BalancerProbe, complaint: string): Error {
  const { namespace, name } = PROBE_SERVICE;
  const because = complaint === '' ? '' : ` (${complaint})`;
  return failure(
    'EffectNotSeen',
    `Service ${namespace}/${name} of the probe was not deleted within ${String(withinMs / 1000)} s: ` +
      `its finalizer waits for the owner of the service controller${because}. ` +
      'Correct what keeps it, then `ccm-migrate retry`',
  );
}

/** How long something took to come true, in ms; null when it did not in time. */
async function timed(
  session: StepSession,
  { withinMs }: BalancerProbe,
  what: string,
  isTrue: () => Promise<boolean>,
): Promise<number | null> {
  const { clock } = session;
  const startedAtMs = clock.nowMs();
  const found = await observeUntil(session, {
    ...{ what, withinMs, everyMs: probePollMs(timingsOf(session)) },
    snapshot: async () => ((await isTrue()) ? clock.nowMs() : null),
  });
  return found === null ? null : found - startedAtMs;
}

function find(session: StepSession): Promise<ProbedService | null> {
  return findProbeService(session.ports.api, requestOptions(session));
}

async function complaintOf(session: StepSession): Promise<string> {
  const uid = (await find(session))?.metadata?.uid ?? '';
  return latestComplaint(session.ports.api, uid, requestOptions(session));
}

function ensured(session: StepSession, service: ProbedService | null): Promise<number> {
  const uid = service?.metadata?.uid ?? '';
  return ensuredCount(session.ports.api, uid, requestOptions(session));
}
