import type { Manager } from '../../../domain/vocabulary.js';
import type { Listener, SeenHost } from './host-answer.js';

/** Defaults of --secure-port. Source: k8s.io/cloud-provider ports.go, kubernetes/kubernetes cmd/kube-controller-manager ports.go. */
const SECURE_PORTS: Readonly<Record<Manager, number>> = { kcm: 10257, ccm: 10258 };

const SECURE_PORT = /^--secure-port=(\d{1,5})$/;

/**
 * Where a manager serves its metrics on its node: the port from its arguments, else the default; null when nothing
 * listens there.
 */
export function listenerOf({ host, listeners }: SeenHost, manager: Manager): Listener | null {
  const named = host.processes
    .filter((process) => process.manager === manager)
    .flatMap((process) => process.arguments)
    .map((word) => SECURE_PORT.exec(word)?.[1])
    .filter((port) => port !== undefined)
    .map(Number);
  const port = named[0] ?? SECURE_PORTS[manager];
  const there = listeners.filter((listener) => listener.port === port);
  // Where several share the port under different addresses, the least trusted one decides about a token.
  return there.toSorted((a, b) => b.uid - a.uid)[0] ?? null;
}
