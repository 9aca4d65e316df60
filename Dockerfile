# syntax=docker/dockerfile:1
# The image of Concord: docs/operate/image.md says how to build it, what was tried and what wasn't.
# Pin both images by digest for a release: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… and likewise RUNTIME_IMAGE.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot

# Compiles. No package needs a script of its own at its installation: what is native in them is optional.
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY explorer explorer
COPY src src
# What `prepare` would run, which `--ignore-scripts` leaves out.
RUN npm run build

# What runs, and nothing else: without tools, types, source maps and pages.
FROM ${NODE_IMAGE} AS app
ARG SOURCE_DATE_EPOCH=0
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/sbom.mjs /tmp/sbom.mjs
# Without scripts, for `prepare` needs the compiler, which isn't here.
RUN npm ci --omit=dev --ignore-scripts \
  && SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH} node /tmp/sbom.mjs > sbom.cdx.json \
  && rm -rf node_modules/.package-lock.json node_modules/@types package-lock.json .npmrc
COPY --from=build /build/dist dist
COPY cypher cypher
COPY explorer explorer
COPY LICENSE ./
RUN find node_modules dist -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) \
    ! -iname 'licen[cs]e*' -delete \
  && find . -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +

FROM ${NODE_IMAGE} AS node

FROM ${RUNTIME_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="concord" \
      org.opencontainers.image.description="A shared knowledge graph service for software agents, on Neo4j" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=app /app /app
WORKDIR /app
ENV NODE_ENV=production \
    PORT=4000
# `nonroot` of distroless, by number, so that Kubernetes can see that it isn't root.
USER 65532:65532
EXPOSE 4000 4001
STOPSIGNAL SIGTERM
# Alive, and not ready: a Neo4j that is away must not kill the container. Kubernetes has probes of its own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=6 \
  CMD ["/usr/local/bin/node", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch((process.env.TLS_CERT_FILE ? 'https' : 'http') + '://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that SIGTERM reaches it: no shell and no npm stand between.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=64"]
CMD ["dist/main.js"]
