import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepUrl } from './step-url.ts';

const step = { number: 4, name: 'Run tests' };
const github = 'https://github.com/acme/site/actions/runs/7/job/42';

test('GitHub opens the step and its line', () => {
  assert.equal(stepUrl(github, step), `${github}#step:4:1`);
  assert.equal(stepUrl(github, step, 120), `${github}#step:4:120`);
  assert.equal(stepUrl(github, step, null), `${github}#step:4:1`);
});

test('another forge opens the job', () => {
  const gitea = 'https://git.example.com/acme/site/actions/runs/7/jobs/0';
  assert.equal(stepUrl(gitea, step, 120), gitea);
  assert.equal(stepUrl(`${github}?pr=3`, step), `${github}?pr=3`);
});

test('without a step the job opens, and without a safe address nothing does', () => {
  assert.equal(stepUrl(github, null), github);
  for (const url of [null, '', 'javascript:alert(1)/job/42', '/acme/site/job/42', 'data:text/html,x/job/1'])
    assert.equal(stepUrl(url, step), undefined);
});
