import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { ResponseTooLarge } from '#platform/http/outgoing/bounded-fetch.ts';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { applicationClientOf } from '#server/forges/github/application-client.ts';
import { ForgeFailed, makeForgeClient } from '#server/forge-sign-in/forge-client.ts';
import { makeProviderKeys } from '#server/identity/provider/keys/keys.ts';
import { discoverProvider } from '#server/identity/provider/metadata.ts';
import { configuredProvider } from '#server/identity/sign-in.ts';
import { operatorChannels } from '#server/queue/operator-channels.ts';
import { startEndlessServer, type EndlessServer } from '#test/support/network/endless-server.ts';
import { forgeAppEnv, startForgeApi } from '#test/support/forge/forge-api-server.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const log = pino({ enabled: false });
/** Beside what a limit lets through: what the two sockets hold. */
const inSockets = 16 * 1024 * 1024;

async function wasBrokenOff(server: EndlessServer, limit: number): Promise<void> {
  await waitUntil('the answers to be broken off', () => server.open() === 0);
  assert.ok(server.written() > 0 && server.written() < limit + inSockets, `${server.written()} bytes`);
}

function causes(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causes(error.cause)] : [];
}

const isTooLarge = (error: unknown): true => {
  assert.ok(
    causes(error).some((cause) => cause instanceof ResponseTooLarge),
    String(error),
  );
  return true;
};

test('an answer of the REST API without end fails the call', async () => {
  const endless = await startEndlessServer();
  const app = forgeAppEnv(await startForgeApi());
  const client = applicationClientOf(loadConfig({ ...app, FORGE_API_URL: endless.url }), log)!;
  await assert.rejects(
    client.asApp((octokit) => octokit.request('GET /app')),
    isTooLarge,
  );
  await wasBrokenOff(endless, 16 * 1024 * 1024);
});

test('an answer of the forge to a code or a token without end fails the sign-in', async () => {
  const endless = await startEndlessServer();
  const forge = makeForgeClient({
    forgeUrl: endless.url,
    forgeApiUrl: endless.url,
    clientId: 'client',
    clientSecret: 'secret',
    redirectUri: 'http://localhost/callback',
  });
  const isFailure = (error: unknown) => error instanceof ForgeFailed && isTooLarge(error);
  await assert.rejects(forge.exchangeCode({ code: 'code', codeVerifier: 'verifier' }), isFailure);
  await assert.rejects(forge.readProfile('token'), isFailure);
  await wasBrokenOff(endless, 3 * 256 * 1024 + 2 * inSockets);
});

test('discovery, keys, tokens and claims of an identity provider without end fail', async () => {
  let isEndless = true;
  const endless = await startEndlessServer(({ url: path }, url) => {
    if (isEndless || !path?.includes('well-known')) return undefined;
    const at = (name: string) => `${url}/${name}`;
    return {
      issuer: url,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      userinfo_endpoint: at('userinfo'),
      jwks_uri: at('keys'),
    };
  });
  const provider = configuredProvider(loadConfig({ OIDC_ISSUER: endless.url, OIDC_CLIENT_ID: 'client' }))!;
  await assert.rejects(discoverProvider(provider), isTooLarge);

  isEndless = false;
  const openid = await import('openid-client');
  const found = await discoverProvider(provider);
  await assert.rejects(openid.refreshTokenGrant(found, 'token'), isTooLarge);
  await assert.rejects(openid.fetchUserInfo(found, 'token', 'subject'), isTooLarge);
  const address = async () => found.serverMetadata().jwks_uri!;
  const keys = makeProviderKeys({ address, fetch: provider.fetch, clock: Date.now, log });
  await assert.rejects(keys.find('kid'), isTooLarge);
  await wasBrokenOff(endless, 4 * (64 * 1024 + inSockets));
});

test('the operator’s webhook is notified, however long it takes to answer', async () => {
  const endless = await startEndlessServer();
  const [channel] = operatorChannels({
    alarmWebhookUrl: endless.url,
    alarmEmail: undefined,
    publicUrl: 'http://localhost',
    sendMail: async () => {},
  });
  await channel!.notify({ count: 1, byReason: {}, byGroup: {} });
  await wasBrokenOff(endless, 0);
});
