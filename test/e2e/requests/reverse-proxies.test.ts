import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { signature } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { installedProxies, isInstalled, startInstalledProxy } from '#test/support/network/installed-proxy.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({ TRUSTED_PROXIES: '127.0.0.1/32' }, ['api', 'worker']);
const team = await product.newTeam();
const token = await personalToken(product, team.owner);
const invented = '203.0.113.7';
const mebibyte = 1024 ** 2;
/** A client at an address that is not that of the proxy. */
const options = {
  servername: 'ci.example.com',
  headers: { host: 'ci.example.com' },
  localAddress: '127.0.0.2',
};

for (const proxy of installedProxies) {
  const skip = !(process.platform === 'linux' && isInstalled(proxy)) && `there is no ${proxy.program} here`;

  test(
    `webhooks, live updates and the client's address pass ${proxy.program} as the guide sets it up`,
    { skip },
    async () => {
      const port = await freePort();
      await startInstalledProxy(proxy, port, Number(new URL(product.baseUrl).port));
      const call = callThrough(port);
      await waitUntil('the proxy to pass requests', async () => (await call('GET', '/healthz')) === 200);

      const ticket = await token.call('GET', '/api/auth/ws-token');
      const { pathname } = new URL(String(ticket.body['url']));
      const socket = new WebSocket(
        `wss://127.0.0.1:${port}${pathname}?channel=workflows&token=${String(ticket.body['token'])}`,
        options,
      );
      const update = once(socket, 'message');
      await once(socket, 'open');
      const whole = JSON.stringify(runPayload({}));
      const event = `${whole}${' '.repeat(25 * mebibyte - whole.length)}`;
      // A busy machine may refuse such a body with 503 once.
      await waitUntil('the webhook to be accepted', async () => (await post(call, event)) === 200);
      const [message] = (await update) as [Buffer];
      assert.equal(
        (JSON.parse(String(message)) as { integrationId: string }).integrationId,
        team.integrationId,
      );
      socket.terminate();
      // Forgewatch answers before it has the whole body. A proxy that still sends then may not see the answer.
      const refusals = proxy.program === 'nginx' ? [413] : [413, 502];
      assert.ok(refusals.includes(await post(call, `${event} `)));

      const own = await personalToken(product, team.owner);
      const headers = { authorization: `Bearer ${own.token}`, 'x-forwarded-for': invented };
      assert.equal(await call('GET', team.path(), headers), 200);
      await waitUntil('the use of the token to be stored', async () => {
        const { items } = (await team.owner.call('GET', '/api/user/tokens')).body;
        return (
          items.find(({ tokenId }) => tokenId === own.tokenId)?.['lastUsedAddress'] === options.localAddress
        );
      });
    },
  );
}

function post(call: Call, body: string): Promise<number> {
  return call(
    'POST',
    `/api/import/${team.integrationId}`,
    {
      'content-type': 'application/json',
      'x-github-event': 'workflow_run',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': signature(team.webhookSecret, body),
    },
    body,
  );
}

/** Resolves to the status. A proxy that is not there yet counts as 502. */
type Call = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: string,
) => Promise<number>;

function callThrough(port: number): Call {
  return (method, path, headers = {}, body = '') =>
    new Promise((resolve) => {
      const sent = request({
        ...options,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...options.headers, ...headers },
      });
      sent.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', () => resolve(502));
      sent.end(body);
    });
}
