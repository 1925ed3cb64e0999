import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

test('a channel URL may use only allowed ports', async () => {
  const program = await startTestProgram({ ALERT_ALLOWED_PORTS: '443, 8443' });
  const { integrationId } = await program.createIntegration();
  const browser = await signInAsDemo(program.publicUrl);
  const statusOf = async (url: string): Promise<number> => {
    const path = `/api/integrations/${integrationId}/notification-rules`;
    const answer = await browser.fetch(program.publicUrl + path, {
      method: 'POST',
      headers: { origin: program.publicUrl, 'content-type': 'application/json' },
      body: JSON.stringify(ruleBody({ channels: [{ type: 'webhook', url }] })),
    });
    return answer.status;
  };
  assert.equal(await statusOf('https://hooks.example.com:8443/in'), 201);
  assert.equal(await statusOf('https://hooks.example.com/in'), 201);
  assert.equal(await statusOf('https://hooks.example.com:8080/in'), 400);
  assert.equal(await statusOf('http://hooks.example.com:8443/in'), 400);
});

test('only port 443 is allowed by default, and an invalid port stops the start', () => {
  assert.deepEqual(loadConfig({}).alertAllowedPorts, [443]);
  for (const wrong of ['0', '65536', 'https', '443,', '1-1024'])
    assert.throws(
      () => loadConfig({ ALERT_ALLOWED_PORTS: wrong }),
      /ALERT_ALLOWED_PORTS.*ports from 1/s,
      wrong,
    );
});
