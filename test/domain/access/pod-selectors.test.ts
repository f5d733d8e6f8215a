import { expect, it } from '@jest/globals';
import { selectEachOther } from '../../../domain/access/pod-selectors.js';

const VENDOR = { 'k8s-app': 'aws-cloud-controller-manager' };
const OURS = { app: 'ccm' };

it.each([
  ['the same selector', VENDOR, VENDOR, VENDOR, VENDOR, true],
  ['ours selects its pods', VENDOR, VENDOR, OURS, { ...OURS, ...VENDOR }, true],
  ['it selects ours', VENDOR, { ...OURS, ...VENDOR }, OURS, OURS, true],
  ['each has its own', VENDOR, VENDOR, OURS, OURS, false],
  ['the same key, another value', OURS, OURS, { app: 'x' }, { app: 'x' }, false],
  ['one without a selector', {}, VENDOR, {}, VENDOR, false],
])(
  'two workloads collide when one selects the pods of the other: %s',
  (_, selector, labels, otherSelector, otherLabels, expected) => {
    expect(
      selectEachOther({ selector, labels }, { selector: otherSelector, labels: otherLabels }),
    ).toBe(expected);
  },
);
