import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { exportRun, exportText } from '../../cli/audit/export-run.js';
import { verifyExport } from '../../cli/audit/verify-export.js';
import { packageFile } from '../../devserver/package-files.js';
import { codeDigest } from '../../config/build-id.js';
import type { CrashPoint, DirectionName } from './crash-point.js';
import { DIRECTIONS } from './crash-point.js';
import type { CrashEnvironment } from './crash-environment.js';
import { openEnvironment } from './crash-environment.js';
import type { DrivenDirection } from './drive-direction.js';
import { driveDirection } from './drive-direction.js';
import { Hunt } from './hunt.js';
import type { Effects, SoFar } from './judge-direction.js';
import { effectsOf, judgeDirection, sumOf } from './judge-direction.js';

export interface CrashRunOptions {
  readonly name: string;
  readonly seed: number;
  readonly points: readonly CrashPoint[];
  readonly withServer: boolean;
  /** By direction; null while it is being recorded. */
  readonly golden: ReadonlyMap<DirectionName, Effects> | null;
  readonly report: (line: string) => void;
}

export interface CrashRun {
  readonly directions: readonly DrivenDirection[];
  readonly complaints: readonly string[];
}

/** Migrates a cluster forward, back and forward again while killing its worker; stops at the first direction that goes wrong. */
export async function crashRun(order: CrashRunOptions): Promise<CrashRun> {
  const report = (line: string): void => {
    order.report(`${order.name} ${line}`);
  };
  const environment = await openEnvironment({ name: order.name, seed: order.seed, nodes: 3 });
  const directions: DrivenDirection[] = [];
  let soFar: SoFar = { effects: new Map(), golden: new Map() };
  try {
    for (const direction of DIRECTIONS) {
      const points = order.points.filter((point) => point.direction === direction);
      const withServer = order.withServer && direction === 'back';
      const hunt = { direction, points, withServer, report };
      const driven = await driveDirection(
        environment,
        direction,
        (since) => new Hunt(environment, hunt, since),
      );
      directions.push(driven);
      soFar = {
        effects: sumOf(soFar.effects, effectsOf(driven)),
        golden: sumOf(soFar.golden, order.golden?.get(direction) ?? new Map()),
      };
      const complaints = [
        ...(await judgeDirection(environment, driven, order.golden === null ? null : soFar)),
        ...(await exportComplaints(environment, driven)),
      ];
      report(
        `${direction}: ${String(driven.struck.length)} kills in ${driven.seconds.toFixed(0)} s, ${complaints.length === 0 ? 'right' : 'WRONG'}`,
      );
      if (complaints.length > 0) return { directions, complaints };
    }
    return { directions, complaints: [] };
  } catch (error) {
    return {
      directions,
      complaints: [`${order.name}: ${error instanceof Error ? error.message : String(error)}`],
    };
  } finally {
    await environment.close();
  }
}

const FLIPS = 8;

/** An export of the run verifies; with one bit flipped it does not. */
async function exportComplaints(
  environment: CrashEnvironment,
  { direction, workflowId, runId }: DrivenDirection,
): Promise<readonly string[]> {
  const evidence = createFileEvidenceStore(environment.evidenceDir);
  const order = { workflowId, runId, cluster: '', evidence };
  const text = exportText(await exportRun(environment.client, order));
  const whole = await failedChecks(text);
  const missed: number[] = [];
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const at = Math.floor(((flip + 0.5) / FLIPS) * text.length);
    if ((await failedChecks(withFlippedBit(text, at))).length === 0) missed.push(at);
  }
  return [
    ...whole.map((check) => `${direction}: its export fails ${check}`),
    ...missed.map(
      (at) => `${direction}: no check noticed the flipped bit in character ${String(at)}`,
    ),
  ];
}

async function failedChecks(text: string): Promise<readonly string[]> {
  const { checks } = await verifyExport(text, await codeDigest(packageFile('dist')));
  return checks
    .filter(({ result }) => result === 'fail')
    .map(({ check, detail }) => `${check}: ${detail}`);
}

function withFlippedBit(text: string, at: number): string {
  return `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ 1)}${text.slice(at + 1)}`;
}
