import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstRequests } from './first-requests.ts';
import { openPage } from './open-page.ts';

const id = '0195a5d0-0000-7000-8000-000000000001';
const now = Date.parse('2026-11-23T12:30:00Z');
const at = (pathname: string, search = ''): string[] => {
  const page = openPage({ pathname, search });
  return page === undefined ? [] : firstRequests(page, now);
};
const person = ['/api/integrations?limit=100', '/api/user'];

test('a dashboard starts with its numbers', () => {
  const own = (page: string, search?: string) =>
    at(`/integrations/${id}/${page}`, search)
      .filter((path) => !person.includes(path))
      .map((path) => path.replace(`/api/integrations/${id}/`, ''));
  assert.deepEqual(own('overview'), ['overview?range=24h&timeZone=UTC', 'incidents?status=open&limit=50']);
  assert.deepEqual(own('overview', '?range=7d&show=mine'), [
    'overview?range=7d&timeZone=UTC',
    'incidents?status=open&show=mine&limit=50',
  ]);
  assert.deepEqual(own('metrics'), [
    'metrics?granularity=day&from=2026-10-25T00%3A00%3A00.000Z&timeZone=UTC',
  ]);
  assert.deepEqual(own('metrics', '?days=2&branch=default&unknown=1'), [
    'metrics?branch=default&granularity=hour&from=2026-11-21T13%3A00%3A00.000Z&timeZone=UTC',
  ]);
});

test('every other page of an integration starts with the person', () => {
  assert.deepEqual(at(`/integrations/${id}/members`), person);
  assert.deepEqual(at(`/integrations/${id}/runs`), person);
  assert.deepEqual(at(`/integrations/${id}/constructor`), person);
});

test('home and a run start with what they show', () => {
  const own = (pathname: string) => at(pathname).filter((path) => !person.includes(path));
  assert.deepEqual(own('/'), ['/api/home']);
  assert.deepEqual(own(`/integrations/${id}/runs/42`), [`/api/integrations/${id}/workflows/42`]);
  assert.deepEqual(at('/', '?key=0123456789abcdef'), []);
});

test('pages without a session, and addresses that name no integration, send nothing early', () => {
  for (const path of [
    '/sign-in',
    `/wall/${id}`,
    '/integrations/new',
    '/integrations/../overview',
    '/account',
  ])
    assert.deepEqual(at(path), [], path);
});
