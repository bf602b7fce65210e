# The gateway as an image that runs without root, on a read-only root file system, with no shell and no npm in it. Start it with
# --init and --stop-timeout 20, as docs/deploying.md says.
# The bases have tags without digests: a build gets their newest fixes, and the release pins what it was built from by its own digest.
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
# No program loads the tests, maps, types and guides of packages, which are half of them. Their licences stay.
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
# A volume that is mounted here first belongs to the gateway's user: set STATE_DIR=/app/state to keep the last good copies in it.
COPY --from=build --chown=65532:65532 /build/state ./state
# In a small container Node gives young objects 1 to 8 MiB of room; its threads that collect garbage share the gateway's core
# (docs/scaling.md, "Memory and caches"). `::` is IPv6 and IPv4; on a machine without IPv6 set HOST and OPERATIONS_HOST to 0.0.0.0.
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=16 --v8-pool-size=1" MALLOC_ARENA_MAX=1 \
    HOST=:: PORT=3000 OPERATIONS_HOST=:: OPERATIONS_PORT=9090
USER 65532:65532
EXPOSE 3000 9090
# Whether the event loop turns, whatever the stores do; without an operations port the public health. It asks the address that is
# listened on. Every 30 s, because each check starts Node for some 50 MB; at the start every 2 s.
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s --start-interval=2s \
  CMD ["/nodejs/bin/node", "--eval", "const { HOST, PORT, OPERATIONS_HOST, OPERATIONS_PORT } = process.env; const off = OPERATIONS_PORT === '0'; const host = (off ? HOST : OPERATIONS_HOST) || '127.0.0.1'; const any = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }; require('http').get({ host: any[host] ?? host, port: (off ? PORT : OPERATIONS_PORT) || (off ? 3000 : 9090), path: off ? '/api/v1/health' : '/live', agent: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "--initial-old-space-size=160", "dist/tools/cli/artist-gateway.js"]
CMD ["serve"]
