import { type PinnedJwk, pinnedJwks, type WantedIssuer } from '../../config/access/issuer-jwks.js';
import { ConfigInvalid } from '../../config/problems.js';
import { wholeFile } from '../../config/read-documents.js';
import { readPolicyBytes } from '../authority/given-access-policy.js';
import { type Cli, isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';

/** `access issuer`: how an AccessPolicy names an issuer with its keys, and a principal that its tokens sign for. Fetches nothing. */
export async function accessIssuer(cli: Cli): Promise<ExitStatus> {
  const [path = ''] = cli.arguments;
  const wanted = wantedBy(cli);
  const read = pinnedJwks((await readPolicyBytes(path)).toString('utf8'), wanted);
  if (read.kind === 'invalid') {
    throw new ConfigInvalid(read.problems.map((problem) => wholeFile(path, problem, 'CCM5003')));
  }
  const { issuer, subject, principal } = wanted;
  if (isText(cli)) cli.terminal.out(`${policyPart(wanted, read.keys).join('\n')}\n`);
  else
    printDocument(cli, 'AccessIssuer', {
      file: path,
      issuer: { issuer, keys: [...read.keys] },
      principal: { name: principal, keys: [{ oidc: { issuer, subject } }] },
    });
  return 'reached';
}

function wantedBy({ options }: Cli): WantedIssuer {
  const named = (flag: 'issuer' | 'subject' | 'principal'): string => {
    const text = options.text(flag);
    if (text === null) throw new UsageError(`--${flag} is required`);
    return text;
  };
  const kids = options.texts('kid');
  return {
    ...{ issuer: named('issuer'), subject: named('subject'), principal: named('principal') },
    kids: kids.length === 0 ? null : kids,
  };
}

/** For `spec`. JSON is YAML, so that no text of an issuer is read as anything but a text. */
function policyPart(
  { issuer, subject, principal }: WantedIssuer,
  keys: readonly PinnedJwk[],
): readonly string[] {
  const [address, name] = [JSON.stringify(issuer), JSON.stringify(principal)];
  return [
    'issuers:',
    `  - issuer: ${address}`,
    '    keys:',
    ...keys.map((key) => `      - ${JSON.stringify(key)}`),
    'principals:',
    `  - name: ${name}`,
    '    keys:',
    `      - oidc: ${JSON.stringify({ issuer, subject })}`,
    '    grants: [] # what it may ask for: a policy without that is refused',
  ];
}
