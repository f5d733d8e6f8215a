import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** RFC 3927 and RFC 4291 §2.5.6; the list recognises an IPv4 address in IPv6 notation. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** Cloud metadata services have such addresses and hand out credentials to any caller; API servers do not. */
export function isLinkLocal(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  return family !== 0 && LINK_LOCAL.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Resolves a name as Node does, but never to such an address: a name can be made to point anywhere. */
export const lookup: LookupFunction = (host, options, callback) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '');
      return;
    }
    const usable = addresses.filter(({ address }) => !isLinkLocal(address));
    const [first] = usable;
    if (first === undefined) callback(refusal(host, addresses), '');
    else if (options.all === true) callback(null, usable);
    else callback(null, first.address, first.family);
  });
};

function refusal(host: string, addresses: readonly LookupAddress[]): NodeJS.ErrnoException {
  const found = addresses.map(({ address }) => address).join(', ');
  return Object.assign(
    new Error(`${host} is the link-local address ${found}: a metadata service, not an API server`),
    { code: 'ELINKLOCAL' },
  );
}
