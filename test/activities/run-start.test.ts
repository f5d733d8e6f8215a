import { expect, it } from '@jest/globals';
import { runStartOf } from '../../activities/run-start.js';
import { policyOf } from '../support/cluster-builder.js';
import { TIMINGS } from './run-context.js';

it('the labels of a cluster are beside its run and not in its input', () => {
  const start = {
    ...{ cluster: { name: 'a', uid: 'u' }, region: 'eu', fleet: '', wave: '' },
    target: 'ccm',
    ...{ policy: policyOf(), materials: { ccmManifest: '' }, timings: TIMINGS },
    ...{ planDigest: 'sha256:0', actor: 'ana', reason: 'CHG-1', ticket: '' },
  } as const;
  const { memo, input } = runStartOf(start, { files: ['f'], groups: ['region=eu'] });
  expect(memo).toMatchObject({ files: ['f'], groups: ['region=eu'], member: null });
  expect(input).not.toHaveProperty('groups');
});
