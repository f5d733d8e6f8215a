import { describe, expect, it } from '@jest/globals';
import {
  contradictions,
  controllerDifferences,
  disagreement,
  inheritedList,
  isSwitchedOn,
  withNodeIpam,
  withoutNodeIpam,
} from '../../../domain/managers/controller-list.js';

describe('whether --controllers leaves a cloud controller on', () => {
  it.each([
    ['*', 'service', true],
    ['', 'service', true],
    ['*,-service', 'service', false],
    ['*,-service-lb-controller', 'service', false],
    ['-service,*', 'service', false],
    [' * , -service ', 'service', false],
    ['*,-service,service', 'service', false],
    ['*,-service', 'route', true],
    ['service,route', 'cloud-node-lifecycle', false],
    ['service,node-route-controller', 'route', true],
    ['*,-node-ipam-controller', 'nodeipam', false],
  ] as const)('--controllers=%j leaves %s on: %s', (list, controller, on) => {
    expect(isSwitchedOn(list, controller)).toBe(on);
  });
});

describe('the list of a CCM after a KCM', () => {
  it.each([
    ['*', '*', '1.30.0', '*'],
    ['*', '*,-service', '1.30.0', '*,-service-lb-controller'],
    ['*', '*,-service-lb-controller', '1.27.3', '*,-service'],
    ['', '*,-service', '0.27.3', '*,-service'],
    ['*', '*,-service', 'edge', '*,-service-lb-controller'],
    [
      '*,-cloud-node',
      '*,-service,-cloud-node-lifecycle',
      '1.30.0',
      '*,-cloud-node,-service-lb-controller,-cloud-node-lifecycle-controller',
    ],
    ['*,-service', '*,-service', '1.30.0', '*,-service'],
    ['cloud-node,route', '*,-service', '1.30.0', 'cloud-node,route'],
    // Decided by --configure-cloud-routes and --allocate-node-cidrs: not every build registers these names.
    ['*', '*,-route,-nodeipam', '1.30.0', '*'],
    ['*', '*,-ttl,bootstrapsigner', '1.30.0', '*'],
  ])('a CCM with list %j after a KCM with %j, at %s, gets %j', (own, kcm, version, list) => {
    expect(inheritedList(own, kcm, version)).toBe(list);
    expect(inheritedList(list, kcm, version)).toBe(list);
  });
});

describe("contradictions in the operator's list", () => {
  const ALL = ['service', 'route', 'cloud-node-lifecycle', 'nodeipam'] as const;
  it.each([
    ['', '*,-service', true, []],
    ['*', '*,-service', true, []],
    ['*,-cloud-node', '*,-service', true, []],
    ['*,-service', '*,-service', true, []],
    ['*,service', '*,-service', true, ['service']],
    ['service-lb-controller,route,nodeipam,cloud-node-lifecycle', '*,-service', true, ['service']],
    ['*,-service', '*', true, ['service']],
    ['cloud-node', '*', true, [...ALL]],
    ['*,-route', '*', true, ['route']],
    ['*,-route', '*', false, []],
    ['*,-route', '*,-route', false, []],
    ['*,route', '*,-route', false, []],
    ['*,-nodeipam', '*', true, ['nodeipam']],
    ['*,-nodeipam', '*,-node-ipam-controller', true, []],
  ] as const)(
    'the list %j beside a KCM with %j and routes %s contradicts it in %j',
    (own, controllers, routes, wrong) => {
      expect(contradictions(own, { controllers, routes }, ALL)).toEqual(wrong);
    },
  );

  it('a controller that is not migrated is no contradiction', () => {
    const kcm = { controllers: '*', routes: true };
    expect(contradictions('*,-nodeipam', kcm, ['service', 'route'])).toEqual([]);
  });

  it.each([
    ['*', '*,-service', ['service']],
    ['*,-service', '*', ['service']],
    ['*,-service-lb-controller', '*,-service', []],
    ['*,-route', '*', []],
  ])('the lists %j and %j differ in %j', (one, other, wrong) => {
    expect(controllerDifferences(one, other)).toEqual(wrong);
  });

  it('a contradiction is written out in full', () => {
    expect(disagreement('*,service', '*,-service', ['service'])).toBe(
      '--controllers=*,service, KCM --controllers=*,-service: service',
    );
  });
});

describe('node IPAM in a list', () => {
  it.each([
    ['*', '*,-nodeipam'],
    ['*,-node-ipam-controller', '*,-node-ipam-controller'],
    ['*,-nodeipam', '*,-nodeipam'],
    ['*,nodeipam', '*,-nodeipam'],
    ['*,node-ipam-controller', '*,-nodeipam'],
  ])('the list %j without node IPAM is %j', (list, without) =>
    expect(withoutNodeIpam(list)).toBe(without),
  );

  it.each([
    ['*,-nodeipam', '*'],
    ['*,-node-ipam-controller,a', '*,a'],
    ['*', '*'],
  ])('the list %j with node IPAM again is %j', (list, again) =>
    expect(withNodeIpam(list)).toBe(again),
  );
});
