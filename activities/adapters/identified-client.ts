import type { Identify } from './cluster-identity.js';
import type { HttpClient } from './http.js';

/** Adds the expected cluster of the node to each request: docs/contracts/node-access-api.md. */
export function identifiedClient(http: HttpClient, identify: Identify): HttpClient {
  return {
    send: async (request, options) => {
      const { uid: cluster, authorities: authority } = await identify();
      return http.send({ ...request, query: { ...request.query, cluster, authority } }, options);
    },
    stream: (request, limits) => http.stream(request, limits),
  };
}
