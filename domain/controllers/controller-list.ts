import type { CloudController } from '../vocabulary.js';
import { minorOf } from './minors.js';
import { isEnabled, registeredCloudController, RENAMED_IN_MINOR, SPELLINGS } from './names.js';

/**
 * Whether `--controllers` leaves a cloud controller to be started. Either spelling counts, whatever the version: a binary
 * ends at start with a name that it does not know, so one that runs knows what it was given.
 * Source: k8s.io/controller-manager options/generic.go Validate.
 */
export function isSwitchedOn(list: string, controller: CloudController): boolean {
  return list === '*' || isEnabled(list, SPELLINGS[controller], RENAMED_IN_MINOR);
}

/**
 * Controllers that every CCM registers. Routes are left out, because `--configure-cloud-routes` says it of them and some
 * builds have none; so is node IPAM, which few have and which does nothing without `--allocate-node-cidrs`.
 * Source: k8s.io/cloud-provider app/controllermanager.go.
 */
const INHERITED: readonly CloudController[] = ['service', 'cloud-node-lifecycle'];

/**
 * The list of a CCM beside or after a KCM with this one: what the KCM has switched off stays off, spelt as the library of
 * the CCM registers it. Its own entries stay as they are; itself where they do.
 */
export function inheritedList(own: string, kcm: string, ccmVersion: string): string {
  const minor = minorOf(ccmVersion) ?? RENAMED_IN_MINOR;
  const off = INHERITED.filter((one) => !isSwitchedOn(kcm, one) && isSwitchedOn(own, one));
  const names = off.map((one) => `-${registeredCloudController(one, minor)}`);
  return off.length === 0 ? own : [own === '' ? '*' : own, ...names].join(',');
}

/** A KCM as far as it decides which cloud controllers run. */
interface KcmSwitches {
  readonly controllers: string;
  /** Effective state of the route controller. */
  readonly routes: boolean;
}

/**
 * Controllers of which a CCM's own list says otherwise than the KCM does: it names one that the KCM has switched off, or
 * leaves out one that runs and migrates. `*` alone is no word on any.
 */
export function contradictions(
  own: string,
  kcm: KcmSwitches,
  migrated: readonly CloudController[],
): readonly CloudController[] {
  const runs = (one: CloudController): boolean =>
    isSwitchedOn(kcm.controllers, one) && (one !== 'route' || kcm.routes);
  const taken = INHERITED.filter((one) => !runs(one) && isNamed(own, one));
  const lost = migrated.filter((one) => runs(one) && !isSwitchedOn(own, one));
  return [...taken, ...lost];
}

/** Controllers of which two lists in force say different things, as far as lists decide it. */
export function differences(own: string, kcm: string): readonly CloudController[] {
  return INHERITED.filter((one) => isSwitchedOn(own, one) !== isSwitchedOn(kcm, one));
}

/** For people. */
export function disagreement(own: string, kcm: string, wrong: readonly CloudController[]): string {
  return `--controllers=${own}, KCM --controllers=${kcm}: ${wrong.join(', ')}`;
}

function isNamed(list: string, controller: CloudController): boolean {
  const entries = list.split(',').filter((entry) => entry.trim() !== '*');
  return entries.join('') !== '' && isSwitchedOn(entries.join(','), controller);
}

/** The list without node IPAM; itself where that is off already. The short name works in every release here. */
export function withoutNodeIpam(list: string): string {
  if (!isSwitchedOn(list, 'nodeipam')) return list;
  const { short, long } = SPELLINGS.nodeipam;
  const others = list.split(',').filter((entry) => entry !== short && entry !== long);
  return [...others, `-${short}`].join(',');
}

/** The list without a word against node IPAM. */
export function withNodeIpam(list: string): string {
  const { short, long } = SPELLINGS.nodeipam;
  const left = list.split(',').filter((entry) => entry !== `-${short}` && entry !== `-${long}`);
  return left.join(',');
}
