# syntax=docker/dockerfile:1
#
# The gateway as an image that runs without root, on a read-only root file system, with no shell and no npm in it. For production
# name both base images by digest:
#   docker build --build-arg BUILD_IMAGE=node:22-bookworm-slim@sha256:… \
#                --build-arg RUNTIME_IMAGE=gcr.io/distroless/nodejs22-debian12@sha256:… --tag artist-gateway .
ARG BUILD_IMAGE=node:22-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs22-debian12

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts
COPY src ./src
COPY adapters ./adapters
RUN npm run build
RUN npm prune --omit=dev --omit=optional --ignore-scripts
# Maps, types and guides are half of what packages install, and no program loads them. Their licences stay.
RUN find node_modules -regextype posix-extended -type f -regex '.*[.](map|[cm]?ts|md)' ! -iname 'licen[cs]e*' -delete
RUN mkdir state

FROM ${RUNTIME_IMAGE}
WORKDIR /app
COPY package.json LICENSE ./
COPY docs ./docs
COPY examples ./examples
COPY fixtures ./fixtures
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# A volume that is mounted here first belongs to the gateway's user: set STATE_DIR=/app/state to keep the last good copies in it.
COPY --from=build --chown=65532:65532 /build/state ./state
# In a small container Node gives young objects 1 to 8 MiB of room; its threads that collect garbage share the gateway's core
# (docs/operating.md, "Memory and caches").
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=16 --v8-pool-size=1" MALLOC_ARENA_MAX=1 \
    HOST=0.0.0.0 PORT=3000 OPERATIONS_HOST=0.0.0.0 OPERATIONS_PORT=9090
USER 65532:65532
EXPOSE 3000 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["/nodejs/bin/node", "--eval", "fetch('http://127.0.0.1:3000/api/v1/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "--initial-old-space-size=160", "--enable-source-maps", "dist/adapters/cli/artist-gateway.js"]
CMD ["serve"]
