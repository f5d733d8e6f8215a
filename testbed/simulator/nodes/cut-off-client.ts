import type { ApiRefusal, ObjectClient } from '../model.js';

const UNREACHABLE: ApiRefusal = {
  ok: false,
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'dial tcp: connect: no route to host',
};

/** The API server as seen from a node that may be cut off from it. */
export function clientFromNode(client: ObjectClient, connected: () => boolean): ObjectClient {
  return {
    get: (...request) => (connected() ? client.get(...request) : UNREACHABLE),
    list: (...request) => (connected() ? client.list(...request) : UNREACHABLE),
    create: (...request) => (connected() ? client.create(...request) : UNREACHABLE),
    update: (...request) => (connected() ? client.update(...request) : UNREACHABLE),
    delete: (...request) => (connected() ? client.delete(...request) : UNREACHABLE),
  };
}
