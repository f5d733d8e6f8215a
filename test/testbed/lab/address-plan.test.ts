import { describe, expect, it } from '@jest/globals';
import {
  apiAddress,
  gatewayAddress,
  LAST_CLUSTER,
  LAST_LAB,
  LAST_MACHINE,
  machineAddress,
} from '../../../testbed/lab/network/address-plan.js';
import { bridgeName, cableName } from '../../../testbed/lab/network/link-names.js';

describe('addresses and interfaces of labs never collide', () => {
  it('addresses of a lab lie in the network for benchmarks, separate for each lab', () => {
    expect(gatewayAddress(1)).toBe('198.18.16.1');
    expect(apiAddress(1, 1)).toBe('198.18.17.2');
    expect(machineAddress(1, 1, 1)).toBe('198.18.17.11');
    expect(gatewayAddress(LAST_LAB)).toBe('198.19.240.1');
    expect(machineAddress(LAST_LAB, LAST_CLUSTER, LAST_MACHINE)).toBe('198.19.255.253');
  });

  it('addresses of a lab are all different', () => {
    const all = Array.from({ length: LAST_LAB }, (_, lab) => lab + 1).flatMap((lab) => [
      gatewayAddress(lab),
      ...Array.from({ length: LAST_CLUSTER }, (_, cluster) => cluster + 1).flatMap((cluster) => [
        apiAddress(lab, cluster),
        machineAddress(lab, cluster, 1),
        machineAddress(lab, cluster, LAST_MACHINE),
      ]),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('addresses beyond the plan are refused', () => {
    expect(() => gatewayAddress(0)).toThrow('lab 0');
    expect(() => gatewayAddress(LAST_LAB + 1)).toThrow('lab 32');
    expect(() => apiAddress(1, LAST_CLUSTER + 1)).toThrow('cluster 16');
    expect(() => machineAddress(1, 1, LAST_MACHINE + 1)).toThrow('244');
  });

  it('interfaces have names that the kernel accepts', () => {
    expect(bridgeName(LAST_LAB).length).toBeLessThanOrEqual(15);
    expect(cableName(LAST_LAB, LAST_CLUSTER, 253).length).toBeLessThanOrEqual(15);
  });
});
