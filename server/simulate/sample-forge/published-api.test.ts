import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pino from 'pino';
import { createSimulator } from '../simulator.ts';
import { publishedApi } from '#test/support/forge/published-api.ts';
import { makeSampleForge } from './sample-forge.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
const integrationId = 'b51a3c3e-0000-4000-8000-000000000001';
const forge = await makeSampleForge({
  clock: () => now,
  log: pino({ enabled: false }),
  masterKeys: [randomBytes(32)],
  publicUrl: 'http://published-api.test',
});
const api = publishedApi('github-rest');
const events = [
  ...createSimulator({ seed: 'published api', startAt: new Date(now - 600_000) })
    .stream({ rate: 5 })
    .take(2000),
];
/** A running one is not re-run. */
const ended = new Set(
  events.flatMap(({ eventType, payload }) =>
    eventType === 'workflow_run' && payload.action === 'completed' ? [payload.workflow_run.id] : [],
  ),
);
const failed = events.findLast(
  ({ eventType, payload }) =>
    eventType === 'workflow_job' &&
    payload.workflow_job.conclusion === 'failure' &&
    ended.has(payload.workflow_job.run_id),
);
assert.ok(failed?.eventType === 'workflow_job');
const { id: job, run_id: run, head_sha: sha } = failed.payload.workflow_job;
const repository = `/repos/${failed.payload.repository.full_name}`;

const long = events.findLast(
  ({ eventType, payload }) =>
    eventType === 'workflow_job' &&
    payload.action === 'completed' &&
    payload.workflow_job.name.startsWith('database'),
);
assert.ok(long?.eventType === 'workflow_job');
const nightly = `/repos/${long.payload.repository.full_name}/actions/runs/${long.payload.workflow_job.run_id}`;

for (const event of events) forge.note(integrationId, event);
after(() => forge.stop());

for (const route of [
  'GET /user',
  'GET /user/repos',
  `GET ${repository}/actions/runs`,
  `GET ${repository}/branches/main`,
  `GET ${repository}/rules/branches/main`,
  `GET ${repository}/actions/runs/${run}`,
  `GET ${repository}/actions/runs/${run}/attempts/1`,
  `GET ${repository}/actions/runs/${run}/jobs`,
  `GET ${repository}/actions/jobs/${job}/logs`,
  `GET ${nightly}/artifacts`,
  `GET ${repository}/actions/artifacts/${job}/zip`,
  `GET ${repository}/check-runs/${job}/annotations`,
  `GET ${repository}/compare/${'0'.repeat(40)}...${sha}`,
  `GET ${repository}/commits/${sha}`,
  `GET ${repository}/pulls`,
  `GET ${repository}/hooks`,
  `POST ${repository}/hooks`,
  `PATCH ${repository}/hooks/1`,
  `DELETE ${repository}/hooks/1`,
  `POST ${repository}/actions/runs/${run}/rerun`,
  `POST ${repository}/actions/runs/${run}/rerun-failed-jobs`,
  `POST ${repository}/actions/jobs/${job}/rerun`,
])
  test(`the forge of the sample traffic answers ${route.replaceAll(/[\da-f]{40}|\d{2,}/g, 'ID')} as GitHub publishes it`, async () => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await fetch(`${forge.url}/api/v3${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `token ${forge.tokenOf(integrationId)}` },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    api.answer({ method, path }, answer.status, isJson ? JSON.parse(text) : text);
  });
