# Runs without root on a read-only root file system, without shell and npm. Start it with --init and --stop-timeout 20
# (docs/deploying.md). The base images have tags without digests, so that a build gets their newest fixes.
FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json biome.json ./
RUN npm ci --ignore-scripts
COPY src ./src
COPY adapters ./adapters
COPY tools ./tools
COPY scripts ./scripts
COPY partners ./partners
COPY docs ./docs
COPY fixtures ./fixtures
RUN npm run build
RUN npm prune --omit=dev --omit=optional --ignore-scripts
# Delete tests, maps, types and guides of packages, half of their size. Keep the licences.
RUN find node_modules -depth -type d -regextype posix-extended -regex '.*/(tests?|__tests__|benchmarks?|examples?|[.]github)' -exec rm -r {} +
RUN find node_modules dist/[!s]* dist/src -type f -regextype posix-extended -regex '.*[.](map|[cm]?ts|md)' ! -iname 'licen[cs]e*' -delete
RUN find node_modules dist -type d -empty -delete
RUN mkdir state

FROM gcr.io/distroless/nodejs24-debian13:nonroot
WORKDIR /app
COPY package.json LICENSE ./
COPY docs ./docs
COPY fixtures ./fixtures
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# A new volume mounted here belongs to the gateway's user. Set STATE_DIR=/app/state to use it.
COPY --from=build --chown=65532:65532 /build/state ./state
# In a small container Node sets the young generation to 1 to 8 MiB, and its garbage collector threads share the gateway's core
# (docs/scaling.md, "Memory and caches"). `::` is IPv6 and IPv4; on a machine without IPv6 set HOST and OPERATIONS_HOST to 0.0.0.0.
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=16 --v8-pool-size=1" MALLOC_ARENA_MAX=1 \
    HOST=:: PORT=3000 OPERATIONS_HOST=:: OPERATIONS_PORT=9090
USER 65532:65532
EXPOSE 3000 9090
# Requests /live, or without an operations port the public health. Every 30 s, because each check starts Node (50 MB); at startup
# every 2 s.
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s --start-interval=2s \
  CMD ["/nodejs/bin/node", "--eval", "const { HOST, PORT, OPERATIONS_HOST, OPERATIONS_PORT } = process.env; const off = OPERATIONS_PORT === '0'; const host = (off ? HOST : OPERATIONS_HOST) || '127.0.0.1'; const any = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }; require('http').get({ host: any[host] ?? host, port: (off ? PORT : OPERATIONS_PORT) || (off ? 3000 : 9090), path: off ? '/api/v1/health' : '/live', agent: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "--initial-old-space-size=160", "dist/tools/cli/artist-gateway.js"]
CMD ["serve"]
