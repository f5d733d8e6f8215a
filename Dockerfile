# syntax=docker/dockerfile:1
# Node 24: development still supports 20.19 (engines), but Node 20 left maintenance on 2026-04-30; 24 is
# supported until 2028-04-30. Debian, not Alpine: Temporal's native core has no musl build.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY .npmrc package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build
# What the product needs to run, and of Temporal's native core only the build for this machine: the
# package ships five platforms of 25 to 30 MB each.
RUN npm prune --omit=dev --no-audit --no-fund \
 && node tools/keep-own-platform.mjs

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="ccm-migrate worker" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    CCM_MIGRATE_HEALTH_ADDRESS=127.0.0.1:9090 \
    CCM_MIGRATE_STATE_DIR=/var/lib/ccm-migrate
# CA certificates for the API servers' and Temporal's TLS; tini reaps and passes signals where no `--init` is given.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node /var/lib/ccm-migrate
WORKDIR /opt/ccm-migrate
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
USER node
VOLUME /var/lib/ccm-migrate
EXPOSE 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
  CMD ["node", "--eval", "fetch(`http://${process.env.CCM_MIGRATE_HEALTH_ADDRESS}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "--max-old-space-size=1024", "dist/workers/main.js"]
