import { describe, expect, it } from '@jest/globals';
import { MINORS } from '../../../domain/managers/minors.js';
import type { LeaderEntry } from '../../../domain/managers/controller-names.js';
import {
  builtInDefault,
  CLOUD_NODE,
  DEFAULT_LEADER_NAME,
  dispositions,
  isEnabled,
  registeredCloudController,
  SERVICE_ACCOUNT_TOKEN,
} from '../../../domain/managers/controller-names.js';
import type { CloudController, Disposition, Manager } from '../../../domain/vocabulary.js';
import { CLOUD_CONTROLLERS } from '../../../domain/vocabulary.js';

const SHORT: Record<CloudController, string> = {
  service: 'service',
  route: 'route',
  'cloud-node-lifecycle': 'cloud-node-lifecycle',
  nodeipam: 'nodeipam',
};
const LONG: Record<CloudController, string> = {
  service: 'service-lb-controller',
  route: 'node-route-controller',
  'cloud-node-lifecycle': 'cloud-node-lifecycle-controller',
  nodeipam: 'node-ipam-controller',
};

describe('registered names', () => {
  it.each(MINORS)('1.%i registers the short or the long names, as upstream does', (minor) => {
    const names = Object.fromEntries(
      CLOUD_CONTROLLERS.map((c) => [c, registeredCloudController(c, minor)]),
    );
    expect(names).toEqual(minor < 28 ? SHORT : LONG);
  });
});

type Four = readonly [Disposition, Disposition, Disposition, Disposition];
const all = (disposition: Disposition): Four => [
  disposition,
  disposition,
  disposition,
  disposition,
];
const entries = (names: readonly string[], component: string): LeaderEntry[] =>
  names.map((name) => ({ name, component }));
const short3 = ['route', 'service', 'cloud-node-lifecycle'];
const long3 = ['node-route-controller', 'service-lb-controller', 'cloud-node-lifecycle-controller'];
const three: Four = ['migrated', 'migrated', 'migrated', 'nonMigrated'];
const none: Four = ['unowned', 'unowned', 'unowned', 'nonMigrated'];

/** Upstream's {component} × {manager} table, and the result in each release. Order: service, route, lifecycle, nodeipam. */
const ROWS: readonly [string, readonly LeaderEntry[], Manager, number, Four][] = [
  ['nothing listed', [], 'kcm', 30, all('nonMigrated')],
  ['own component', entries(long3, 'kube-controller-manager'), 'kcm', 30, three],
  ['other component', entries(long3, 'kube-controller-manager'), 'ccm', 30, none],
  ['own component of a CCM', entries(long3, 'cloud-controller-manager'), 'ccm', 30, three],
  ['other component of a KCM', entries(long3, 'cloud-controller-manager'), 'kcm', 30, none],
  ['wildcard', entries(long3, '*'), 'ccm', 30, three],
  ['wildcard at 1.22', entries(short3, '*'), 'kcm', 22, three],
  ['no wildcard at 1.21', entries(short3, '*'), 'kcm', 21, none],
  ['own component at 1.21', entries(short3, 'kube-controller-manager'), 'kcm', 21, three],
  ["the guide's names at 1.27", entries(short3, '*'), 'kcm', 27, three],
  [
    "the guide's names at 1.28",
    entries(short3, '*'),
    'kcm',
    28,
    ['nonMigrated', 'nonMigrated', 'nonMigrated', 'nonMigrated'],
  ],
  ['long names at 1.27', entries(long3, '*'), 'ccm', 27, all('nonMigrated')],
  ['both spellings at 1.27', entries([...short3, ...long3], '*'), 'kcm', 27, three],
  ['both spellings at 1.28', entries([...short3, ...long3], '*'), 'ccm', 28, three],
  ['star as a name matches nothing', entries(['*'], '*'), 'kcm', 27, all('nonMigrated')],
  [
    'a misspelt component',
    entries(['service'], 'kube-controller-manger'),
    'kcm',
    27,
    ['unowned', 'nonMigrated', 'nonMigrated', 'nonMigrated'],
  ],
  [
    'the last duplicate wins',
    [...entries(['nodeipam'], 'cloud-controller-manager'), ...entries(['nodeipam'], '*')],
    'kcm',
    25,
    ['nonMigrated', 'nonMigrated', 'nonMigrated', 'migrated'],
  ],
];

describe('dispositions', () => {
  it.each(ROWS)(
    "dispositions follow upstream's table: %s",
    (_, listed, manager, minor, [service, route, lifecycle, nodeipam]) => {
      expect(dispositions(listed, manager, minor)).toEqual({
        service,
        route,
        'cloud-node-lifecycle': lifecycle,
        nodeipam,
      });
    },
  );
});

describe('built-in default', () => {
  it.each(MINORS)("the built-in default of 1.%i migrates what upstream's does", (minor) => {
    const listed = builtInDefault(minor);
    if (minor === 21) return expect(listed).toBeNull();
    const seen = dispositions(listed ?? [], 'ccm', minor);
    expect([seen.service, seen.route, seen['cloud-node-lifecycle'], seen.nodeipam]).toEqual(
      minor < 28 ? three : ['nonMigrated', 'nonMigrated', 'migrated', 'nonMigrated'],
    );
  });

  it('the built-in default names its lock', () => {
    expect(DEFAULT_LEADER_NAME).toBe('cloud-provider-extraction-migration');
  });
});

describe('--controllers', () => {
  it.each([
    ['', 30, true],
    ['*', 30, true],
    ['*,-cloud-node', 30, false],
    ['*,-cloud-node-controller', 30, false],
    ['*,-cloud-node', 27, false],
    ['*,-cloud-node-controller', 27, true],
    ['cloud-node', 30, true],
    ['cloud-node-controller', 30, true],
    ['service', 30, false],
    [' * , cloud-node ', 30, true],
    ['-cloud-node,cloud-node', 30, false],
  ])('--controllers=%j at 1.%i runs cloud-node: %s', (flag, minor, runs) => {
    expect(isEnabled(flag, CLOUD_NODE, minor)).toBe(runs);
  });

  it('--controllers decides whether the token controller runs', () => {
    expect(isEnabled('*,-serviceaccount-token', SERVICE_ACCOUNT_TOKEN, 30)).toBe(false);
  });
});
