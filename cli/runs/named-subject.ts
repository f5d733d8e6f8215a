import type { CommandAbout } from '../../domain/authority/command-subject.js';
import { isSkipOfGates, waivableBy } from '../../domain/decision/waivers.js';
import { softGateOf } from '../../domain/run/run-findings.js';
import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import type { RunStatus } from '../../domain/run/run-status.js';
import { UsageError } from '../cli-error.js';

/** `--code` and `--gate`, where they were typed. */
export type GivenSubject = Readonly<Partial<Record<keyof CommandAbout, string>>>;

type Shown = Pick<RunStatus, 'holdReason' | 'findings' | 'gates'>;

/**
 * What a command is about, also where no one typed it: it is signed, and counts for nothing else later. An approval names the
 * finding that waits; without a code it is of the handover. A skip names the gate.
 * @throws UsageError where several gates hold the run with one code
 */
export function withSubject(
  given: GivenSubject,
  verb: OperatorVerb,
  { status }: { readonly status: Shown | null },
): GivenSubject {
  if (status === null) return given;
  if (verb === 'skip') return withGate(given, status);
  const isOpen = verb === 'approve' && given.code === undefined;
  if (!isOpen || status.holdReason !== 'blocked') return given;
  const waiting = status.findings.find(({ code }) => waivableBy(code) === 'approve');
  return waiting === undefined ? given : { code: waiting.code };
}

function withGate(given: GivenSubject, status: Shown): GivenSubject {
  const { code = '' } = given;
  if (given.gate !== undefined || !isSkipOfGates(code)) return given;
  const [gate, ...others] = softGatesWith(code, status);
  if (gate === undefined) return given;
  if (others.length === 0) return { code, gate };
  throw new UsageError(
    `several gates hold the run with ${code}, and a skip is of one: add --gate ${[gate, ...others].join(' or --gate ')}`,
  );
}

function softGatesWith(code: string, { findings, gates }: Shown): readonly string[] {
  const held = findings
    .filter((finding) => finding.code === code)
    .flatMap(({ subject }) => softGateOf(subject) ?? []);
  const measured = gates
    .filter(({ hardness, ...verdict }) => hardness === 'soft' && verdict.code === code)
    .map(({ gate }) => gate);
  return [...new Set([...held, ...measured])];
}
