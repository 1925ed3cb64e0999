import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { makeHttpServer } from './server.ts';
import { installWebSite } from './web-site.ts';

test('a new build is served without a restart, and its page may run its own script only', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-web-'));
  t.after(() => rm(directory, { recursive: true }));
  const app = makeHttpServer(pino({ level: 'silent' }));
  await installWebSite(app, 'ws://localhost', directory);
  const get = (url: string) => app.inject({ url, headers: { host: 'localhost', accept: 'text/html' } });

  const missing = await get('/integrations');
  assert.deepEqual(
    [missing.statusCode, missing.json().detail],
    [404, 'The web app is not built. Run: npm run build'],
  );

  for (const version of ['old', 'newer']) {
    await rm(path.join(directory, 'assets'), { recursive: true, force: true });
    await mkdir(path.join(directory, 'assets'));
    await writeFile(path.join(directory, `assets/app-${version}.js`), version);
    await writeFile(path.join(directory, 'index.html'), `<script>start('${version}')</script>`);
    const page = await get('/integrations');
    assert.equal(page.body, `<script>start('${version}')</script>`);
    const [, scripts = ''] = /script-src ([^;]*)/.exec(String(page.headers['content-security-policy'])) ?? [];
    assert.equal(scripts, `'self' 'sha256-${hash('sha256', `start('${version}')`, 'base64')}'`);
    const file = await get(`/assets/app-${version}.js`);
    assert.deepEqual([file.statusCode, file.body], [200, version]);
    assert.match(String(file.headers['cache-control']), /immutable/);
  }
  for (const gone of ['/assets/app-old.js', '/index.html', '/assets/..%5cindex.html'])
    assert.ok([400, 404].includes((await get(gone)).statusCode), gone);
});

test('the page is sent as small as the browser accepts, and not again while it is the same', async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'forgewatch-web-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const suffix of ['', '.br', '.gz'])
    await writeFile(path.join(directory, `index.html${suffix}`), `page${suffix}`);
  const app = makeHttpServer(pino({ level: 'silent' }));
  await installWebSite(app, 'ws://localhost', directory);
  const get = (headers: Record<string, string>) =>
    app.inject({ url: '/', headers: { host: 'localhost', ...headers } });

  for (const [accepted, body, encoding] of [
    ['', 'page', undefined],
    ['gzip, deflate, br, zstd', 'page.br', 'br'],
    ['GZIP', 'page.gz', 'gzip'],
    ['br;q=0.0, gzip ; q=0.5', 'page.gz', 'gzip'],
    ['br; q=0, gzip;q=0, *', 'page', undefined],
  ] as const) {
    const answer = await get({ 'accept-encoding': accepted });
    assert.deepEqual([answer.body, answer.headers['content-encoding']], [body, encoding], accepted);
    assert.equal(answer.headers['cache-control'], 'public, max-age=0');
    assert.match(String(answer.headers.vary), /accept-encoding/i);
    const tag = String(answer.headers.etag);
    const again = await get({ 'accept-encoding': accepted, 'if-none-match': tag });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', tag]);
  }
  const { etag } = (await get({})).headers;
  await writeFile(path.join(directory, 'index.html'), 'a new page');
  assert.equal((await get({ 'if-none-match': String(etag) })).body, 'a new page');
});
