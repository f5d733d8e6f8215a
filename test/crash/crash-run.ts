import { exportRun, exportText } from '../../cli/audit/export-run.js';
import { verifyExport } from '../../cli/audit/verify-export.js';
import { packageFile } from '../../devserver/package-files.js';
import { codeDigest } from '../../config/build-id.js';
import type { CrashPoint, LegName } from './crash-point.js';
import { LEGS } from './crash-point.js';
import type { CrashWorld } from './crash-world.js';
import { openWorld } from './crash-world.js';
import type { DrivenLeg } from './drive-leg.js';
import { driveLeg } from './drive-leg.js';
import { Hunt } from './hunt.js';
import type { Effects, SoFar } from './judge-leg.js';
import { effectsOf, judgeLeg, sumOf } from './judge-leg.js';

export interface CrashRunOrder {
  readonly name: string;
  readonly seed: number;
  readonly points: readonly CrashPoint[];
  readonly withServer: boolean;
  /** By direction; null while it is being recorded. */
  readonly golden: ReadonlyMap<LegName, Effects> | null;
  readonly report: (line: string) => void;
}

export interface CrashRun {
  readonly legs: readonly DrivenLeg[];
  readonly complaints: readonly string[];
}

/** Migrates a cluster forward, back and forward again while killing its worker; stops at the first direction that goes wrong. */
export async function crashRun(order: CrashRunOrder): Promise<CrashRun> {
  const report = (line: string): void => {
    order.report(`${order.name} ${line}`);
  };
  const world = await openWorld({ name: order.name, seed: order.seed, nodes: 3 });
  const legs: DrivenLeg[] = [];
  let soFar: SoFar = { effects: new Map(), golden: new Map() };
  try {
    for (const leg of LEGS) {
      const points = order.points.filter((point) => point.leg === leg);
      const withServer = order.withServer && leg === 'back';
      const hunt = { leg, points, withServer, report };
      const driven = await driveLeg(world, leg, (since) => new Hunt(world, hunt, since));
      legs.push(driven);
      soFar = {
        effects: sumOf(soFar.effects, effectsOf(driven)),
        golden: sumOf(soFar.golden, order.golden?.get(leg) ?? new Map()),
      };
      const complaints = [
        ...(await judgeLeg(world, driven, order.golden === null ? null : soFar)),
        ...(await exportComplaints(world, driven)),
      ];
      report(
        `${leg}: ${String(driven.struck.length)} kills in ${driven.seconds.toFixed(0)} s, ${complaints.length === 0 ? 'right' : 'WRONG'}`,
      );
      if (complaints.length > 0) return { legs, complaints };
    }
    return { legs, complaints: [] };
  } catch (error) {
    return {
      legs,
      complaints: [`${order.name}: ${error instanceof Error ? error.message : String(error)}`],
    };
  } finally {
    await world.close();
  }
}

const FLIPS = 8;

/** An export of the run verifies; with one bit flipped it does not. */
async function exportComplaints(
  world: CrashWorld,
  { leg, workflowId, runId }: DrivenLeg,
): Promise<readonly string[]> {
  const order = { workflowId, runId, cluster: '', evidenceDir: world.evidenceDir };
  const text = exportText(await exportRun(world.client, order));
  const whole = await failedChecks(text);
  const missed: number[] = [];
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const at = Math.floor(((flip + 0.5) / FLIPS) * text.length);
    if ((await failedChecks(withFlippedBit(text, at))).length === 0) missed.push(at);
  }
  return [
    ...whole.map((check) => `${leg}: its export fails ${check}`),
    ...missed.map((at) => `${leg}: no check noticed the flipped bit in character ${String(at)}`),
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
