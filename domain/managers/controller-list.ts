import type { CloudController } from '../vocabulary.js';
import { minorOf } from './minors.js';
import {
  isEnabled,
  registeredCloudController,
  RENAMED_IN_MINOR,
  SPELLINGS,
} from './controller-names.js';

/**
 * Whether `--controllers` lets a cloud controller start. Either spelling counts, whatever the version: a binary exits at
 * start on a name it does not know, so a running one knows its names.
 * Source: k8s.io/controller-manager options/generic.go Validate.
 */
export function isSwitchedOn(list: string, controller: CloudController): boolean {
  return list === '*' || isEnabled(list, SPELLINGS[controller], RENAMED_IN_MINOR);
}

/**
 * Controllers that every CCM registers. Routes are left out, because `--configure-cloud-routes` decides about them and some
 * builds have none; node IPAM too, because few builds have it and it does nothing without `--allocate-node-cidrs`.
 * Source: k8s.io/cloud-provider app/controllermanager.go.
 */
const INHERITED: readonly CloudController[] = ['service', 'cloud-node-lifecycle'];

/**
 * The list of a CCM that runs beside or after a KCM with list `kcm`: what the KCM has switched off stays off, spelled as the
 * CCM's library registers it. The CCM's own entries stay unchanged; returns `own` when nothing is added.
 */
export function inheritedList(own: string, kcm: string, ccmVersion: string): string {
  const minor = minorOf(ccmVersion) ?? RENAMED_IN_MINOR;
  const off = INHERITED.filter((one) => !isSwitchedOn(kcm, one) && isSwitchedOn(own, one));
  const names = off.map((one) => `-${registeredCloudController(one, minor)}`);
  return off.length === 0 ? own : [own === '' ? '*' : own, ...names].join(',');
}

/** The settings of a KCM that decide which cloud controllers run. */
interface KcmSwitches {
  readonly controllers: string;
  /** Effective state of the route controller. */
  readonly routes: boolean;
}

/**
 * Controllers on which a CCM's own list contradicts the KCM: it names one that the KCM has switched off, or omits one that
 * runs and migrates. `*` alone names no controller.
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

/** Controllers on which two effective lists differ, as far as lists decide it. */
export function controllerDifferences(own: string, kcm: string): readonly CloudController[] {
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

/** The list without entries that switch node IPAM off. */
export function withNodeIpam(list: string): string {
  const { short, long } = SPELLINGS.nodeipam;
  const left = list.split(',').filter((entry) => entry !== `-${short}` && entry !== `-${long}`);
  return left.join(',');
}
