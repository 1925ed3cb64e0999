import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { forgeAppEnv, startForgeApi } from '#test/support/forge/forge-api-server.ts';
import { RateLimited, statusOf } from '#server/forges/errors.ts';
import { applicationClientOf } from './application-client.ts';

const forge = await startForgeApi();
const client = applicationClientOf(loadConfig(forgeAppEnv(forge)), pino({ enabled: false }))!;

/** How the forge's answer to a call is understood. */
async function failureFor(answer: { status: number; message?: string; headers?: Record<string, string> }) {
  forge.interfere = (call) => (call.includes('/members') ? answer : undefined);
  const failed = await client
    .asInstallation('77', (octokit) => octokit.request('GET /orgs/{org}/members', { org: 'octo-org' }))
    .then(() => assert.fail('the call succeeded'))
    .catch((error: unknown) => error);
  return failed instanceof RateLimited ? { waitMs: failed.waitMs } : statusOf(failed);
}

const secondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';

for (const [message, answer] of [
  ['its own words', { status: 403, message: secondary }],
  [
    'a budget that is not empty',
    { status: 403, message: secondary, headers: { 'x-ratelimit-remaining': '7' } },
  ],
  ['the hourly limit’s words', { status: 403, message: 'API rate limit exceeded for installation ID 77.' }],
  ['former words', { status: 403, message: 'You have triggered an abuse detection mechanism.' }],
  ['429', { status: 429 }],
  ['a time to wait that is no number', { status: 403, headers: { 'retry-after': 'soon' } }],
] as const) {
  test(`a limit is known by ${message}, and its length is unknown`, async () => {
    assert.deepEqual(await failureFor(answer), { waitMs: undefined });
  });
}

test('a rate limit with a known duration is waited for that long', async () => {
  const told = { 'retry-after': '90' };
  assert.deepEqual(await failureFor({ status: 403, message: secondary, headers: told }), { waitMs: 90_000 });
  const reset = String(Math.ceil(Date.now() / 1000) + 300);
  const empty = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
  const failure = await failureFor({ status: 403, headers: empty });
  assert.ok(typeof failure === 'object' && failure.waitMs! > 290_000 && failure.waitMs! <= 301_000);
});

test('a missing permission is not taken for a rate limit', async () => {
  const message = 'Resource not accessible by integration';
  assert.equal(await failureFor({ status: 403, message, headers: { 'x-ratelimit-remaining': '7' } }), 403);
});
