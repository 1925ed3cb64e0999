import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPageGlobals } from '#test/support/browser/page-globals.ts';

const content =
  'home-page assets/home.js,runs-route assets/runs.js assets/shared.js,run-route assets/run.js,rule-route assets/rule.js';
setPageGlobals({ document: { querySelector: () => ({ content }) } });
const { openPage } = await import('./open-page.ts');
const { pageFiles } = await import('./page-files.ts');

test('a list and an entry of it have files of their own', () => {
  const id = '0195a5d0-0000-7000-8000-000000000001';
  const filesAt = (path: string): string[] | undefined => {
    const page = openPage({ pathname: `/integrations/${path}`, search: '' });
    return page && pageFiles(page);
  };
  assert.deepEqual(filesAt(`${id}/runs`), ['assets/runs.js', 'assets/shared.js']);
  assert.deepEqual(filesAt(`${id}/runs/`), ['assets/runs.js', 'assets/shared.js']);
  assert.deepEqual(filesAt(`${id}/runs/42`), ['assets/run.js']);
  assert.deepEqual(filesAt(`${id}/rules/new`), ['assets/rule.js']);
  assert.deepEqual(filesAt(`${id}/settings/webhooks/1`), []);
  assert.equal(filesAt('new'), undefined);
  const home = openPage({ pathname: '/', search: '' });
  assert.deepEqual(home && pageFiles(home), ['assets/home.js']);
});
