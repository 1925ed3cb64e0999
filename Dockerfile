# One image for serve, api and worker. Node comes from the base image, Postgres from DATABASE_URL or the packaged one.
# Both architectures: docker buildx build --platform linux/amd64,linux/arm64 .
ARG BASE=docker.io/library/node:26-bookworm-slim
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm run package && sh scripts/package/install-image.sh dist/forgewatch-*.tgz /image

FROM ${BASE}
LABEL org.opencontainers.image.title="Forgewatch" \
  org.opencontainers.image.description="Self-hosted monitor of workflow (CI) activity on GitHub, Gitea and Forgejo" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
# `forgewatch` is a command in the container.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data PATH=/usr/local/bin:/usr/bin:/bin:/app/node_modules/.bin
COPY --from=build /image ./
RUN mkdir /data && chown 1000:1000 /data
# The account `node` of the base image, as a number, which Kubernetes can check.
USER 1000:1000
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 8787) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--v8-pool-size=1", "/app/node_modules/forgewatch/bin/forgewatch.js"]
CMD ["serve"]
