import { type PodSelection, selectEachOther } from '../../domain/access/pod-selectors.js';
import type { StepEffect } from '../../domain/decision/step.js';
import { CCM_NAME, SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { managerUser, usesAccountTokens, writtenAccess } from '../ccm-access.js';
import { failure } from '../failures.js';
import { fencedBatch } from '../fence/fenced-mutation.js';
import { nameInEvidence, readCcmDenied } from '../observe/read-access.js';
import type { CachedReads } from '../observe/cached-reads.js';
import type { ApiObject } from '../ports.js';
import { ensureWorkload } from './change-daemon-set.js';
import { creationOf, refOf, removalOf } from './object-writes.js';
import { renderWanted } from './rendered-manager.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  observeUntil,
  note,
  policyOf,
  requestOptions,
  safePoint,
  timingsOf,
} from './step-session.js';

type SetAccess = Extract<StepEffect, { kind: 'setAccess' }>;

/**
 * Creates or removes our own access objects, all at once after one reading of the fence. The CCM's include its DaemonSet, if
 * it is one, bound to a label that no node has yet. Foreign objects are not changed.
 */
export async function setAccess(
  session: StepSession,
  { access, want }: SetAccess,
): Promise<EffectReport> {
  const ownTokens = usesAccountTokens(session.input.materials.ccmManifest);
  const objects = writtenAccess(access, policyOf(session), ownTokens);
  const isCcm = access === 'ccmAccess' && want === 'present';
  const { deployAs } = policyOf(session).ccm;
  const workload =
    isCcm && deployAs === 'daemonSet' ? await renderWanted(session, ccmWant(session), null) : null;
  if (workload !== null) await requireOwnSelection(session, workload.manifest);
  safePoint(session);
  const acts = await Promise.all(
    objects.map((object) =>
      want === 'present' ? creationOf(session, object) : removalOf(session, refOf(object)),
    ),
  );
  const wanted = acts.filter((act) => act !== null);
  // None of them grants anything before both its binding and its role exist, so their order does not matter.
  await fencedBatch(session, wanted);
  if (isCcm) await proveRights(session, ownTokens);
  if (workload !== null) await ensureWorkload(session, workload);
  note(
    session,
    `${String(wanted.length)} access objects ${want === 'present' ? 'written' : 'removed'}`,
  );
  const learned = learnedFrom(session, { access, want }, objects.map(nameInEvidence));
  if (access === 'leaseGrant') return { lost: null, changed: ['rights'], learned };
  return { lost: null, changed: deployAs === 'daemonSet' ? ['workload'] : [], learned };
}

/** The answers confirm every object; whether the identities may use the Lease is reviewed again. */
function learnedFrom(
  { cached }: StepSession,
  { access, want }: Pick<SetAccess, 'access' | 'want'>,
  names: readonly string[],
): Partial<CachedReads> {
  const known = cached.accessObjects;
  const others = [...(known ?? [])].filter((name) => !names.includes(name));
  const now = want === 'present' ? [...others, ...names] : others;
  return {
    access: { ...cached.access, [access]: want },
    accessObjects: known === null ? null : new Set(now),
  };
}

function ccmWant(session: StepSession): Parameters<typeof renderWanted>[1] {
  const leaderMigration = policyOf(session).strategy === 'gap' ? 'off' : 'on';
  return { manager: 'ccm', role: 'running', leaderMigration };
}

/** A DaemonSet in the fields that say which pods are its own. */
interface SelectingObject extends ApiObject {
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
    };
  };
}

/**
 * Refuses to create our DaemonSet beside another that selects its pods, or whose pods it selects, for example the vendor's
 * from whose manifest ours was derived. Approving a foreign CCM does not change its selector.
 */
async function requireOwnSelection(session: StepSession, manifest: string): Promise<void> {
  const [document] = parseYamlDocuments(manifest).documents;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own rendering, read back by the same strict parser
  const ours = selectionOf(document?.value as SelectingObject);
  const { items } = await session.ports.api.list<SelectingObject>(
    { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: SYSTEM_NAMESPACE },
    requestOptions(session),
  );
  const [other] = items.filter(
    (one) => one.metadata?.name !== CCM_NAME && selectEachOther(ours, selectionOf(one)),
  );
  if (other === undefined) return;
  const { selector } = selectionOf(other);
  const words = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  throw failure(
    'ForeignEdit',
    `DaemonSet ${SYSTEM_NAMESPACE}/${other.metadata?.name ?? ''} (selector ${words.join(', ')}) and the one that is to ` +
      'be made select pods of each other: remove it, or give ccm.manifest a selector and pod labels of its own, then `ccm-migrate retry`',
  );
}

function selectionOf({ spec }: SelectingObject): PodSelection {
  return {
    selector: spec?.selector?.matchLabels ?? {},
    labels: spec?.template?.metadata?.labels ?? {},
  };
}

/**
 * A CCM that lacks a right takes its locks, renews them and serves its metrics like any other while its controllers fail. So
 * each right is reviewed before any CCM starts. Authorizers learn of a new grant by a watch, which takes a moment.
 */
async function proveRights(session: StepSession, ownTokens: boolean): Promise<void> {
  const policy = policyOf(session);
  const question = { policy, serviceAccountCredentials: ownTokens };
  const user = managerUser('ccm', policy);
  const last: { denied: readonly string[] | null } = { denied: null };
  const proven = await observeUntil(session, {
    what: 'the rights of the CCM',
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      last.denied = await readCcmDenied(session.ports.api, question, requestOptions(session));
      return last.denied === null || last.denied.length === 0 ? true : null;
    },
  });
  if (proven !== null) {
    const all = last.denied === null ? 'its rights could not be asked about' : 'has all its rights';
    note(session, `${user}: ${all}`);
    return;
  }
  throw failure(
    'EffectNotSeen',
    `step ${session.step}: the grant is written, and the API server still refuses ${user}: ` +
      `${(last.denied ?? []).join(', ')} (CCM1402). Find the authorizer that denies it, then \`ccm-migrate retry\``,
  );
}
