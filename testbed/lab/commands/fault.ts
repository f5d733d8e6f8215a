import { askLab } from '../daemon/control-client.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import type { Command } from './lab-command.js';

type Reader = (words: readonly string[]) => object;

const KINDS: Readonly<Record<string, Reader>> = {
  crash: ([node]) => ({ kind: 'crashNode', node }),
  boot: ([node]) => ({ kind: 'bootNode', node }),
  cut: ([node]) => ({ kind: 'cutNetwork', node }),
  mend: ([node]) => ({ kind: 'mendNetwork', node }),
  'full-disk': ([node]) => ({ kind: 'fillDisk', node }),
  'free-disk': ([node]) => ({ kind: 'freeDisk', node }),
  kill: ([node, manager]) => ({ kind: 'killManager', node, manager }),
  pause: ([node, manager]) => ({ kind: 'pauseManager', node, manager }),
  resume: ([node, manager]) => ({ kind: 'resumeManager', node, manager }),
  'kill-api': () => ({ kind: 'killApiServer' }),
  'restore-api': () => ({ kind: 'restoreApiServer' }),
  'kill-prometheus': () => ({ kind: 'killPrometheus' }),
  'restore-prometheus': () => ({ kind: 'restorePrometheus' }),
  'expire-certificate': () => ({ kind: 'expireCertificate' }),
  'renew-certificate': () => ({ kind: 'renewCertificate' }),
  'slow-cloud': ([ms]) => ({ kind: 'setCloudFaults', faults: [{ delayMs: Number(ms) }] }),
  'fail-cloud': ([op, error]) => ({ kind: 'setCloudFaults', faults: [{ op, error }] }),
  'heal-cloud': () => ({ kind: 'setCloudFaults', faults: [] }),
};

/** Injects one fault into a running lab. */
export async function fault({ words }: Command): Promise<number> {
  const [kind = '', ...rest] = words.rest;
  const read = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (read === undefined) {
    throw new LabUnavailable(`fault needs one of ${Object.keys(KINDS).join(', ')}`);
  }
  const path = `/faults?cluster=${encodeURIComponent(words.cluster)}`;
  const answer = await askLab(words.lab, 'POST', path, read(rest));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  return 0;
}
