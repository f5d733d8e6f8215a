import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { accessPolicy, authorityBy, ISSUER, tokenPrincipal } from '../../support/signing.js';
import { issuerOf, newIssuerKey } from '../../support/token-issuer.js';
import { type Environment, openEnvironment } from '../environment.js';
import { signedRuns } from './signed-runs.js';

const CI = tokenPrincipal('ci', newIssuerKey('k-1', 'ES256'), 'requester');
const [KEY] = CI.keys;
const NEXT = newIssuerKey('k-2', 'ES256');

/** The policy, with other keys of the issuer or the subject revoked. */
function trusting({ keys = [CI.made], revoked = false }): AccessPolicy {
  const oidc = { issuer: issuerOf(ISSUER, keys), subject: 'repo:ci' };
  return accessPolicy([{ ...CI, keys: [{ keyId: KEY?.keyId ?? '', revoked, oidc }] }]);
}

describe('a run that a token asked for', () => {
  let environment: Environment;
  let access: AccessPolicy;
  beforeEach(async () => {
    access = trusting({});
    environment = await openEnvironment({ authority: authorityBy(() => access) });
  });
  afterEach(async () => {
    await environment.close();
  });
  const { asked, fence, step } = signedRuns(() => environment, CI);

  it('is carried out, and on record as of its principal', async () => {
    await fence(asked());
    await step(asked());
    const accepted = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'authority' ? [entry.authority] : [],
    );
    expect(accepted).toMatchObject([{ verdict: 'accepted', verb: 'apply', principal: 'ci' }]);
  });

  it('goes on beside a new key of the issuer', async () => {
    await fence(asked());
    const begun = asked();
    access = trusting({ keys: [CI.made, NEXT] });
    await step(begun);
  });

  it.each<[string, Parameters<typeof trusting>[0], string]>([
    ['its subject is revoked', { revoked: true }, 'its key was revoked'],
    [
      'the key of its issuer is gone',
      { keys: [NEXT] },
      'the key of its token is not in the policy',
    ],
  ])('holds at its next step when %s', async (_, change, why) => {
    await fence(asked());
    const begun = asked();
    access = trusting(change);
    await expect(step(begun)).rejects.toMatchObject({
      ...{ type: 'AuthorityLost', message: expect.stringContaining(why) },
    });
  });
});
