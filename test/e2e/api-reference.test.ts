import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { noValue } from '#platform/http/api-reference/example-of.ts';
import { openPage } from '#test/support/browser/browser.ts';
import { referenceSchemas } from '#test/support/product/reference-schemas.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const { baseUrl } = await startTestProgram({}, ['api']);

interface OpenApi {
  openapi: string;
  info: { description: string };
  security: object[];
  paths: Record<
    string,
    Record<
      string,
      { operationId?: string; summary?: string; description?: string; responses: object; security?: object[] }
    >
  >;
}

test('the reference is OpenAPI 3.1 and tells of each operation what it does, who may call and how it refuses', async () => {
  const response = await fetch(`${baseUrl}/openapi.json`);
  const text = await response.text();
  assert.ok(text.length < 420_000, 'operations share errors and schemas');
  const api = JSON.parse(text) as OpenApi;
  assert.equal(api.openapi, '3.1.0');
  assert.match(
    api.info.description,
    /Sec-Fetch-Site: cross-site/,
    'when a request of another site is refused',
  );
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );
  for (const { name, summary, description, responses } of operations) {
    assert.ok(summary, `${name} has no summary`);
    assert.ok(description, `${name} does not say who may call`);
    for (const status of ['400', '5XX'])
      assert.ok(status in responses, `${name} does not say how it refuses`);
  }
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, ids.length, 'each operation has its own name');
  assert.ok(ids.includes('getIntegrationWorkflowsByRunId') && ids.includes('postImportByIntegrationId'));
  const runs = api.paths['/api/integrations/{integrationId}/workflows']?.['get'];
  assert.match(runs?.description ?? '', /viewer/);
  assert.deepEqual(runs?.security ?? api.security, [{ session: [] }, { token: [] }]);
  assert.ok(operations.some(({ name }) => name === 'post /api/import/{integrationId}'));
});

test('an operation documents no refusal that it never answers', async () => {
  const api = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>;
    components: { responses: Record<string, { description: string }> };
  };
  const one = '/api/integrations/{integrationId}';
  for (const [method, path, code] of [
    ['post', '/api/import/{integrationId}', 'not_found'],
    ['post', `${one}/dead-letters/redrive`, 'not_found'],
    ['post', `${one}/invitations/{invitationId}/resend`, 'conflict'],
    ['post', `${one}/invitations/{invitationId}/resend`, 'already_member'],
    ['delete', `${one}/members/{userId}`, 'own_role_not_changeable'],
  ] as const) {
    const refusals = Object.values(api.paths[path]?.[method]?.responses ?? {})
      .map(({ $ref = '' }) => api.components.responses[$ref.split('/').at(-1) ?? '']?.description)
      .join();
    assert.match(refusals, /invalid_request/, 'the refusals of an operation were found');
    assert.ok(!refusals.includes(`\`${code}\``), `${method} ${path} ${code}`);
  }
});

interface Body {
  content?: Record<string, { example?: unknown; examples?: { success?: { $ref: string } } }>;
}

type Described = Record<string, Record<string, { requestBody?: Body; responses: Record<string, Body> }>>;

test('each request body, success answer and webhook has an example that its schema accepts', async () => {
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  const unexplained = [...text.matchAll(new RegExp(`"${noValue}([^"]*)"`, 'g'))].map(([, name]) => name);
  assert.deepEqual([...new Set(unexplained)], [], 'add a value to server/api-examples.ts');
  const api = JSON.parse(text) as {
    paths: Described;
    webhooks: Described;
    components: { examples: Record<string, { value: unknown }> };
  };
  const check = referenceSchemas(api);
  let examples = 0;
  const explain = (at: string[], { content = {} }: Body): void => {
    for (const [type, { example, examples: { success } = {} }] of Object.entries(content)) {
      const value = example ?? api.components.examples[success?.$ref.split('/').at(-1) ?? '']?.value;
      assert.ok(value !== undefined, `${at.join(' ')} has no example`);
      examples += 1;
      if (type === 'application/json')
        assert.equal(check([...at, 'content', type, 'schema'], value), undefined, at.join(' '));
    }
  };
  for (const part of ['paths', 'webhooks'] as const)
    for (const [path, methods] of Object.entries(api[part]))
      for (const [method, { requestBody = {}, responses }] of Object.entries(methods)) {
        explain([part, path, method, 'requestBody'], requestBody);
        for (const [status, response] of Object.entries(responses))
          if (status.startsWith('2')) explain([part, path, method, 'responses', status], response);
      }
  assert.ok(examples > 120, String(examples));
});

test('the reference passes redocly lint with the recommended rules without errors and warnings', async () => {
  const directory = await makeTemporaryDirectory();
  await writeFile(
    path.join(directory, 'openapi.json'),
    await (await fetch(`${baseUrl}/openapi.json`)).text(),
  );
  const linter = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
  const config = fileURLToPath(new URL('../../redocly.yaml', import.meta.url));
  const given = ['lint', 'openapi.json', `--config=${config}`, '--format=json', '--max-problems=1000'];
  // Without these variables it reports usage and asks for newer versions.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [linter, ...given], { cwd: directory, env }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const { problems } = JSON.parse(printed) as {
    problems: { message: string; location: { pointer: string }[] }[];
  };
  assert.deepEqual(
    problems.map(({ message, location }) => `${location[0]?.pointer} ${message}`),
    [],
  );
});

test('the reference can be read as a page, under a content security policy that it keeps', async () => {
  const { page, errors } = await openPage();
  const answer = await page.goto(`${baseUrl}/docs`);
  assert.match(answer?.headers()['content-security-policy'] ?? '', /default-src 'self'/);
  await page.getByText('/api/auth/refresh').waitFor();
  // The page renders the operations of a long document as far as a person has scrolled.
  const last = page.getByText('/api/import/{integrationId}');
  await waitUntil('an operation further down', async () => {
    await page.keyboard.press('End');
    return last.isVisible();
  });
  assert.deepEqual(errors, []);
});
