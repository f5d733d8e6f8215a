import { clusterLabels } from '../../config/cluster-groups.js';
import { loadInventories } from '../../config/loaded-inventories.js';
import { unreadable } from '../../config/read-documents.js';
import {
  type AccessPrincipal,
  type AccessSubject,
  rolesOf,
} from '../../domain/authority/access-policy.js';
import {
  type ExplainedHandover,
  type ExplainedVerb,
  explainHandover,
  explainVerbs,
} from '../../domain/authority/explain-access.js';
import { givenAccessPolicy } from '../authority/given-access-policy.js';
import { accessFilesIn, writeAccessFiles } from '../authority/own-access.js';
import {
  judgeSigning,
  signedPolicyFile,
  signingDocument,
  signingLine,
} from '../authority/policy-signing.js';
import { policyLines, publicHalf } from '../authority/public-half.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { privateFolder } from '../state-folder.js';
import { counted } from '../terminal/wording.js';
import { thisUser } from '../this-user.js';
import { typedCommand } from '../typed-command.js';

/** `access init`: a first key, and a first policy that trusts it. Nothing that exists is overwritten. */
export async function accessInit(cli: Cli): Promise<ExitStatus> {
  const folder = cli.arguments[0] ?? '.';
  const given = cli.options.text('key');
  const name = cli.options.text('actor') ?? thisUser();
  const lines = given === null ? null : policyLines(await publicHalf(given));
  const made = accessFilesIn(folder);
  const files = { ...made, signingKey: given ?? made.signingKey };
  if (folder !== '.') await privateFolder(folder);
  await writeAccessFiles(made, { name, lines, flag: 'wx' }).catch((error: unknown) => {
    throw new UsageError(`${folder}: ${unreadable(error)}: nothing that exists is overwritten`);
  });
  if (!isText(cli)) {
    printDocument(cli, 'AccessFiles', { ...files, principal: name });
    return 'reached';
  }
  const { signingKey, workerKey, accessPolicy } = files;
  cli.terminal.out(
    `${[
      `Key     ${signingKey} (${given === null ? 'keep it: it' : 'as it is: its private half'} signs as ${name})`,
      `Worker  ${workerKey} (for the workers: it signs what they report)`,
      `Policy  ${accessPolicy} (${name} may do everything)`,
      'Next: give policy and worker key to the workers, the policy as root and read-only for them:',
      `  CCM_MIGRATE_ACCESS_POLICY=/etc/ccm-migrate/access-policy.yaml \\`,
      `  CCM_MIGRATE_WORKER_KEY=/etc/ccm-migrate/worker.key ccm-migrate worker …`,
      `and sign with the key: ${typedCommand(['apply', '--key', signingKey])} …, or CCM_MIGRATE_KEY`,
    ].join('\n')}\n`,
  );
  return 'reached';
}

/** `access key`: how an AccessPolicy names a key. */
export async function accessKey(cli: Cli): Promise<ExitStatus> {
  const [key = ''] = cli.arguments;
  const half = await publicHalf(key);
  if (isText(cli)) cli.terminal.out(`${policyLines(half).join('\n')}\n`);
  else printDocument(cli, 'AccessKeyLine', { key, ...half });
  return 'reached';
}

/** `access check`: whether workers would accept the file, and what it says. */
export async function accessCheck(cli: Cli): Promise<ExitStatus> {
  const [path = ''] = cli.arguments;
  const file = await signedPolicyFile(path);
  const { name, version, handoverQuorum, principals } = file.policy;
  const tokens = tokensIn(principals);
  const signers = cli.options.text('signers');
  const signing = signers === null ? null : await judgeSigning(file, signers);
  if (isText(cli)) {
    const people = counted(principals.length, 'principal');
    const quorum = handoverQuorum === 1 ? '' : `, ${handoverText(handoverQuorum)}`;
    const lines = tokens.map(tokenLine).join('');
    cli.terminal.out(
      `${cli.theme.mark('ok')} ${path}: policy ${name}, version ${String(version)}, ${people}${quorum}\n${lines}`,
    );
    if (signing !== null) cli.terminal.out(`${signingLine(cli, path, signing)}\n`);
  } else {
    printDocument(cli, 'AccessCheck', {
      ...{ file: path, policy: name, version, handoverQuorum },
      principals: principals.map((each) => each.name),
      tokens,
      ...(signing === null ? {} : { signing: signingDocument(signing) }),
    });
  }
  return signing?.judged.kind === 'refused' ? 'configInvalid' : 'reached';
}

interface SigningTokens {
  readonly principal: string;
  readonly issuer: string;
  readonly subject: string;
  readonly keyId: string;
  readonly revoked: boolean;
}

/** Whom an issuer speaks for: who may get its tokens is decided there, and not in the policy. */
function tokensIn(principals: readonly AccessPrincipal[]): SigningTokens[] {
  return principals.flatMap(({ name: principal, keys }) =>
    keys.flatMap((key) => {
      if (!('oidc' in key)) return [];
      const { keyId, revoked, oidc } = key;
      const { issuer, subject } = oidc;
      return [{ principal, issuer: issuer.issuer, subject, keyId, revoked }];
    }),
  );
}

function tokenLine({ principal, issuer, subject, revoked }: SigningTokens): string {
  const of = `tokens of ${issuer} for ${subject}`;
  return revoked ? `  ${principal}: ${of} sign no more\n` : `  ${principal}: ${of} sign\n`;
}

/** `access explain`: who may do what on a cluster or a fleet, and why not. */
export async function accessExplain(cli: Cli): Promise<ExitStatus> {
  const [path = ''] = cli.arguments;
  const policy = await givenAccessPolicy(path);
  const subject = await subjectOf(cli);
  const wanted = cli.options.text('principal');
  const principals = policy.principals.filter(({ name }) => wanted === null || name === wanted);
  if (principals.length === 0) throw new UsageError(`${path} has no principal ${wanted ?? ''}`);
  const explained = principals.map((principal) => ({
    principal: principal.name,
    roles: [...rolesOf(principal, subject)],
    tokens: tokensIn([principal]).flatMap(({ revoked, issuer, subject: of }) =>
      revoked ? [] : [{ issuer, subject: of }],
    ),
    verbs: explainVerbs(principal, subject),
  }));
  const handover = explainHandover(policy, subject);
  if (isText(cli)) {
    cli.terminal.out(explained.map((each) => explanationText(cli, each)).join(''));
    if (handover.quorum > 1) cli.terminal.out(explainedHandoverText(cli, handover));
  } else {
    printDocument(cli, 'AccessExplanation', {
      ...{ file: path, cluster: subject.cluster?.name ?? '', fleet: subject.fleet, handover },
      principals: explained,
    });
  }
  return 'reached';
}

function handoverText(quorum: number): string {
  return `a handover takes approvals of ${String(quorum)} people`;
}

/** Who asked for a run may be one of the approvers, so that one more than the quorum is safe. */
function explainedHandoverText({ theme }: Cli, { quorum, approvers }: ExplainedHandover): string {
  const mark = theme.mark(approvers.length < quorum ? 'failed' : 'ok');
  const who = approvers.length === 0 ? 'no one may' : `${approvers.join(', ')} may`;
  return `${mark} ${handoverText(quorum)}: here ${who}\n`;
}

interface Explained {
  readonly principal: string;
  readonly roles: readonly string[];
  readonly tokens: readonly Pick<SigningTokens, 'issuer' | 'subject'>[];
  readonly verbs: readonly ExplainedVerb[];
}

function explanationText({ theme }: Cli, { principal, roles, tokens, verbs }: Explained): string {
  const has = roles.length === 0 ? 'no role here' : roles.join(', ');
  const lines = verbs.map(
    ({ verb, target, allowed, why }) =>
      `  ${theme.mark(allowed ? 'ok' : 'failed')} ${verb}${target === '' ? '' : ` --target ${target}`}: ${why}\n`,
  );
  const signs = tokens.map(
    ({ issuer, subject }) =>
      `  signs with a token of ${issuer} for ${subject}: --key oidc::COMMAND\n`,
  );
  return `${principal}: ${has}\n${signs.join('')}${lines.join('')}`;
}

/** Labels stand in the inventory; without one a cluster is known by its name alone. */
async function subjectOf(cli: Cli): Promise<AccessSubject> {
  const { options } = cli;
  const fleet = options.text('fleet') ?? '';
  const name = options.text('cluster');
  if (name === null) {
    if (fleet === '') throw new UsageError('name a --cluster or a --fleet');
    return { cluster: null, fleet };
  }
  const files = options.texts('file');
  if (files.length === 0) return { cluster: { name, labels: new Map() }, fleet };
  const found = (await loadInventories(files)).find((each) => each.name === name);
  if (found === undefined) throw new CliError('CCM5008', `${name} is not in ${files.join(', ')}`);
  return { cluster: { name, labels: clusterLabels(found) }, fleet };
}
