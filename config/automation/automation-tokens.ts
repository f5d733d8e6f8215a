import { z } from 'zod';
import {
  AUTOMATION_VERBS,
  type AutomationToken,
} from '../../domain/automation/automation-token.js';
import { API_VERSION } from '../kinds/envelope.js';
import { type InvalidDocument, invalidDocument, readOneDocument } from '../one-document.js';

const scope = z.array(
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9._*-]+$/, 'use a name, in which "*" stands for any characters'),
);

const token = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'use lowercase letters, digits and "-"')
    .meta({
      description: 'Who asks: commands come from automation/NAME. Two entries may share it.',
    }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits')
    .meta({ description: 'SHA-256 of the token: printf %s TOKEN | sha256sum' }),
  expires: z.iso
    .datetime({ offset: true, message: 'write a time such as 2027-01-31T00:00:00Z' })
    .meta({ description: 'From then on it counts no more.' }),
  verbs: z.array(z.enum(AUTOMATION_VERBS)).min(1).default(['pause']).meta({
    description: 'rollBack also needs automation.rollBack: allowed in the policy of the run.',
  }),
  clusters: scope.max(1000).default([]).meta({ description: 'Names or UIDs of clusters.' }),
  fleets: scope
    .max(1000)
    .default([])
    .meta({ description: 'Names of fleets; it may command the runs of their clusters, too.' }),
});

/** Who may call `ccm-migrate server`, as written. */
export const AutomationTokens = z
  .strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('AutomationTokens'),
    tokens: z.array(token).max(1000),
  })
  .meta({
    title: 'AutomationTokens',
    description: 'Who may call the hooks of ccm-migrate server.',
  });

export type ReadTokens =
  { readonly kind: 'valid'; readonly tokens: readonly AutomationToken[] } | InvalidDocument;

/** So many entries of one name may be live: the old one and the new one while a token is changed. */
const LIVE_PER_NAME = 2;

/** Reads a file of tokens, YAML or JSON, as a whole or not at all. Problems name places and never quote a value. */
export function readAutomationTokens(text: string, nowMs: number): ReadTokens {
  const read = readOneDocument(text, AutomationTokens);
  if (read.kind === 'invalid') return read;
  const tokens = read.content.tokens.map(({ expires, ...rest }) => ({
    ...rest,
    expiresAtMs: Date.parse(expires),
  }));
  const contradictions = [...crowded(tokens, nowMs), ...repeated(tokens)];
  return contradictions.length > 0 ? invalidDocument(contradictions) : { kind: 'valid', tokens };
}

function crowded(tokens: readonly AutomationToken[], nowMs: number): readonly string[] {
  const live = tokens.filter(({ expiresAtMs }) => expiresAtMs > nowMs).map(({ name }) => name);
  return [...new Set(live)]
    .filter((name) => live.filter((each) => each === name).length > LIVE_PER_NAME)
    .map((name) => `more than ${LIVE_PER_NAME} live tokens are named ${name}`);
}

/** One token with two names would have two sets of rights. */
function repeated(tokens: readonly AutomationToken[]): readonly string[] {
  const digests = new Set(tokens.map(({ sha256 }) => sha256));
  return digests.size < tokens.length ? ['one sha256 is given twice'] : [];
}
