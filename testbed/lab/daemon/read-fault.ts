import type { CloudFault } from '../cloud/cloud-call.js';
import {
  API_FAULTS,
  MANAGER_FAULTS,
  NODE_FAULTS,
  PROMETHEUS_FAULTS,
  type LabFault,
} from '../faults.js';

/** A fault received over the control socket. @throws Error that says what is wrong with it. */
export function readFault(text: string): LabFault {
  const body = objectOf(text);
  const { kind, node, manager } = body;
  const nodeKind = NODE_FAULTS.find((one) => one === kind);
  if (nodeKind !== undefined) return { kind: nodeKind, node: textOf('node', node) };
  const managerKind = MANAGER_FAULTS.find((one) => one === kind);
  if (managerKind !== undefined) {
    if (manager !== 'kcm' && manager !== 'ccm') throw new Error('manager must be kcm or ccm');
    return { kind: managerKind, node: textOf('node', node), manager };
  }
  const wholeKind = [...API_FAULTS, ...PROMETHEUS_FAULTS].find((one) => one === kind);
  if (wholeKind !== undefined) return { kind: wholeKind };
  if (kind === 'setCloudFaults') return { kind, faults: cloudFaults(body['faults']) };
  const kinds = [
    ...[...NODE_FAULTS, ...MANAGER_FAULTS, ...API_FAULTS, ...PROMETHEUS_FAULTS],
    'setCloudFaults',
  ];
  throw new Error(`kind must be one of ${kinds.join(', ')}`);
}

function cloudFaults(value: unknown): readonly CloudFault[] {
  if (!Array.isArray(value)) throw new Error('faults must be a list');
  return value.map((each: unknown) => {
    const fault = objectOf(JSON.stringify(each));
    const texts = ['cluster', 'node', 'component', 'op', 'error'].flatMap((name) =>
      fault[name] === undefined ? [] : [[name, textOf(name, fault[name])] as const],
    );
    const numbers = ['delayMs', 'times'].flatMap((name) =>
      fault[name] === undefined ? [] : [[name, numberOf(name, fault[name])] as const],
    );
    return Object.fromEntries<string | number>([...texts, ...numbers]);
  });
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('a fault must be an object');
  return Object.fromEntries(Object.entries(value));
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`${name} must be a string`);
}

function numberOf(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${name} must be a number, 0 or more`);
}
