import { describe, expect, it } from '@jest/globals';
import { isLinkLocal, lookup } from '../../../../activities/adapters/credentials/link-local.js';

function found(host: string, options: object): Promise<unknown> {
  return new Promise((resolve) => {
    lookup(host, options, (error, address, family) => {
      resolve(error === null ? [address, family] : error.message);
    });
  });
}

describe('link-local addresses', () => {
  it.each(['169.254.0.1', 'fe80::1', 'febf::1', '[fe80::1]', '::ffff:169.254.169.254'])(
    '%s is a link-local address',
    (address) => expect(isLinkLocal(address)).toBe(true),
  );
  it.each(['169.253.0.1', '10.0.0.1', 'fec0::1', '::1', '::ffff:10.0.0.1', 'fe80.example'])(
    '%s is not a link-local address',
    (address) => expect(isLinkLocal(address)).toBe(false),
  );

  it('a name must not resolve to link-local addresses; any other is accepted', async () => {
    expect(await found('127.0.0.1', {})).toEqual(['127.0.0.1', 4]);
    expect(await found('127.0.0.1', { all: true })).toEqual([
      [{ address: '127.0.0.1', family: 4 }],
      undefined,
    ]);
    expect(await found('169.254.169.254', {})).toMatch(/link-local address 169\.254\.169\.254/);
    expect(await found('name.invalid', {})).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });
});
