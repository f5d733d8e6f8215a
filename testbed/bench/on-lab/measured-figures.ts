import { ofEachOwned, type ControllerTruth, type OwnedController } from '../../base/truth/truth.js';
import type { ClusterTruth } from '../../lab/truth/cluster-truth.js';
import { countMoves, sum } from '../../base/truth/ownership-log.js';

/** Measurements of one controller in one direction. */
export interface LoopFigures {
  /** Duration of each period without an owner. */
  readonly gapSeconds: readonly number[];
  readonly orphanSeconds: number;
  readonly overlapSeconds: number;
  /** How often the owner changed to another process. */
  readonly moves: number;
}

export interface MeasuredFigures {
  readonly controllers: Readonly<Record<OwnedController, LoopFigures>>;
  /** The loops that stay in the KCM: without an owner while no kube-controller-manager led. */
  readonly kcm: LoopFigures;
}

/** Start and end of a direction, epoch ms. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The measurements of a time window, from the lab's evidence. */
export function measuredFigures(
  truth: Pick<ClusterTruth, 'controllers' | 'kcmLeadership'>,
  window: Window,
): MeasuredFigures {
  return {
    controllers: ofEachOwned((loop) => loopFigures(truth.controllers[loop], window)),
    kcm: loopFigures(truth.kcmLeadership, window),
  };
}

interface Stretch {
  readonly seconds: number;
  readonly owners: readonly string[];
}

export function loopFigures(
  { intervals }: Pick<ControllerTruth, 'intervals'>,
  window: Window,
): LoopFigures {
  const stretches = intervals.flatMap(({ fromMs, toMs, owners }): readonly Stretch[] => {
    const ms = Math.min(toMs ?? window.toMs, window.toMs) - Math.max(fromMs, window.fromMs);
    return ms > 0 ? [{ seconds: ms / 1000, owners }] : [];
  });
  const lasting = (isSo: (owners: number) => boolean): readonly number[] =>
    stretches.filter(({ owners }) => isSo(owners.length)).map(({ seconds }) => seconds);
  const gapSeconds = lasting((owners) => owners === 0);
  return {
    gapSeconds,
    orphanSeconds: sum(gapSeconds),
    overlapSeconds: sum(lasting((owners) => owners > 1)),
    moves: countMoves(stretches),
  };
}
