/** Low and high end of a uniform draw, milliseconds. */
export type Range = readonly [number, number];

/** Latencies of a kubelet, measured on real kubelets 1.29 and 1.30 with containerd (lab runs P12 and P15). */
export interface KubeletDelays {
  /** New manifest (no predecessor of that name) → process. */
  readonly start: Range;
  /** Manifest gone → process gone. */
  readonly stop: Range;
  /** Manifest gone → mirror pod gone. */
  readonly mirrorGone: Range;
  /** Manifest replaced while its pod still runs or terminates → new process. */
  readonly replace: Range;
  /** Mirror pod deleted through the API → a new one of the same process. */
  readonly mirrorBack: Range;
  /** Pod bound to the node → process. */
  readonly boundStart: Range;
  /** Crashed container → its first restart; then back-off from 10 s, doubling. */
  readonly firstRestart: Range;
  /** Interval between attempts to start a pod whose volumes are missing. */
  readonly volumeRetry: Range;
  /** Kubelet's unit restarted → its new process. */
  readonly restart: Range;
  /** New process of the kubelet → it has written its Node's status. */
  readonly nodeStatus: Range;
}

export const MEASURED_DELAYS: KubeletDelays = {
  start: [1700, 2900],
  stop: [20, 60],
  mirrorGone: [450, 2300],
  replace: [11_700, 15_700],
  mirrorBack: [8, 12],
  boundStart: [1000, 2500],
  firstRestart: [500, 1500],
  volumeRetry: [2000, 4000],
  restart: [500, 1500],
  nodeStatus: [1000, 4000],
};

/** `RestartSec` of the kubelet's unit. Source: kubernetes/release cmd/krel/templates/latest/kubelet/kubelet.service. */
export const UNIT_RESTART_MS = 10_000;

/** Source: kubernetes/kubernetes pkg/kubelet/kubelet.go `MaxContainerBackOff` and back-off base, v1.30. */
export const BACK_OFF = { firstMs: 10_000, longestMs: 300_000, forgottenAfterMs: 600_000 } as const;
