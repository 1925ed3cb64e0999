import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { RunCommits } from '#contract/failures/commits.ts';
import { candidatesOf } from '../blame/candidates.ts';
import { branchShas } from './read-commits.ts';
import { makeNamedFiles } from './named-files.ts';
import { failedRun, reportRun, untilLogIs } from '#test/support/forge/failed-log.ts';
import { newRepository, newRun } from '#test/support/forge/forge-repositories.ts';
import { startLinkedProduct } from '#test/support/forge/linked-team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { Compile } from 'typebox/compile';

const linked = await startLinkedProduct();
const check = Compile(RunCommits);
const shaOf = (digit: string) => digit.repeat(40);
const at = '2026-11-20T12:00:00Z';
const commit = (
  digit: string,
  parents: string,
  files: string[],
  message = `Change ${digit}`,
  author = `author-${digit}`,
) => ({
  sha: shaOf(digit),
  message,
  author,
  at,
  files,
  parents: [...parents].map(shaOf),
});

/** A repository whose run at `a` passed and whose run at the last commit fails with an error in src/cart.ts. */
async function failedTeam(name: string, commits: ReturnType<typeof commit>[]) {
  const repository = newRepository(`octo-org/${name}`, { commits });
  const team = await linked.newLinkedTeam([repository]);
  await team.provisioned();
  const green = newRun(repository, new Date(Date.now() - 900_000), {
    head_sha: shaOf('a'),
    name: 'CI',
    path: 'ci.yml',
  });
  const failed = failedRun(repository);
  const head = commits.at(-1)!.sha;
  for (const run of [green, failed.run])
    Object.assign(run.attempts[0]!, {
      html_url: `https://github.com/${repository.name}/actions/runs/${run.id}`,
    });
  Object.assign(failed.run.attempts[0]!, {
    head_sha: head,
    name: 'CI',
    path: 'ci.yml',
    actor: { login: 'pusher' },
    event: 'push',
  });
  repository.logs.set(
    failed.job.id,
    '2026-11-20T12:00:02.0000000Z ##[error]src/cart.ts(3,1): expected 3 but got 4',
  );
  return { repository, team, green: { run: green, job: green.jobs[0] as never }, failed, head };
}

type Failed = Awaited<ReturnType<typeof failedTeam>>;

async function reportBoth({ team, repository, green, failed }: Failed): Promise<void> {
  await reportRun(linked, team, repository, green);
  await reportRun(linked, team, repository, failed);
}

async function commitsOf({ team, failed }: Failed): Promise<RunCommits> {
  const { body } = await team.viewer.call('GET', team.path(`/workflows/${failed.run.id}/commits`));
  if (body['code'] === 'not_found') return nothing;
  assert.ok(check.Check(body), JSON.stringify(body));
  return body;
}

const nothing: RunCommits = {
  state: 'none',
  lastGreen: null,
  firstRed: null,
  repositoryUrl: null,
  commits: [],
  total: 0,
};

const untilRead = (failed: Failed, state: RunCommits['state'] = 'read') =>
  waitUntil(`the commits to be ${state}`, async () => {
    const found = await commitsOf(failed);
    return found.state === state ? found : undefined;
  });

const blameOf = async ({ team, failed }: Failed) =>
  (await team.viewer.call('GET', team.path(`/workflows/${failed.run.id}/failures`))).body['blame'] as {
    firstBad: { sha: string; actor: string } | null;
    candidates: { sha: string; runId: number; actor: string | null }[];
    noBlame: string | null;
    repositoryUrl: string | null;
  };

test('all commits of a push are candidates once the forge told of them, and those that change a named file are marked', async () => {
  const failed = await failedTeam('push', [
    commit('a', '', []),
    commit('b', 'a', ['src/cart.ts'], 'Count twice (#12)', 'ann'),
    commit('c', 'b', ['README.md'], 'Explain ghp_0123456789abcdefghijABCDEFGHIJ012345'),
  ]);
  await reportBoth(failed);
  await untilLogIs(failed.team, failed.failed.run.id, 'read');
  // Nobody has asked yet: the failure itself had them read.
  await waitUntil('the blame to know both', async () => (await blameOf(failed)).candidates.length === 2);
  const blame = await blameOf(failed);
  assert.deepEqual(
    [blame.firstBad, blame.noBlame, blame.repositoryUrl],
    [null, 'several_commits', 'https://github.com/octo-org/push'],
  );
  const { id } = failed.failed.run;
  assert.deepEqual(
    blame.candidates.map(({ sha, runId, actor }) => [sha, runId, actor]),
    [
      [shaOf('b'), id, 'ann'],
      [shaOf('c'), id, 'pusher'],
    ],
  );
  const read = await untilRead(failed);
  assert.deepEqual(
    read.commits.map(({ sha, author, runId, files, isOnBranch, pullRequest }) => [
      sha,
      author,
      runId,
      files,
      isOnBranch,
      pullRequest,
    ]),
    [
      [shaOf('b'), 'ann', null, ['src/cart.ts'], true, null],
      [shaOf('c'), 'author-c', id, [], true, null],
    ],
  );
  assert.deepEqual([read.total, read.lastGreen?.runId], [2, failed.green.run.id]);
  assert.doesNotMatch(JSON.stringify(read), /ghp_0123/);
  const calls = () => linked.forge.calls.filter((call) => call.includes('/octo-org/push/compare/')).length;
  assert.equal(calls(), 1);
  await commitsOf(failed);
  assert.equal(calls(), 1, 'they are read once');
});

test('a merge is the only candidate, and what came with it is listed beside it', async () => {
  const failed = await failedTeam('merge', [
    commit('a', '', []),
    commit('b', 'a', ['src/cart.ts']),
    commit('c', 'ab', ['src/cart.ts'], 'Merge pull request #12 from octo-org/topic'),
  ]);
  await reportBoth(failed);
  const { commits } = await untilRead(failed);
  assert.deepEqual(
    commits.map(({ sha, isOnBranch }) => [sha, isOnBranch]),
    [
      [shaOf('b'), false],
      [shaOf('c'), true],
    ],
  );
  const { firstBad } = await blameOf(failed);
  assert.deepEqual([firstBad?.sha, firstBad?.actor], [shaOf('c'), 'pusher']);
});

test('commits that are gone after a forced push are unreadable, and a run that passed lists none', async () => {
  const failed = await failedTeam('forced', [commit('b', '', []), commit('c', 'b', [])]);
  await reportBoth(failed);
  await untilRead(failed, 'unreadable');
  assert.equal((await blameOf(failed)).candidates.length, 1);
  const { body } = await failed.team.viewer.call(
    'GET',
    failed.team.path(`/workflows/${failed.green.run.id}/commits`),
  );
  assert.equal(body['state'], 'none');
});

test('files are found by their path, by a part of it and with folders of another machine before it', () => {
  const isNamed = makeNamedFiles([
    '  at add (/home/ci/_work/site/site/src/cart.ts:3:1)',
    'FAILED tests/test_cart.py::test_sum',
    String.raw`C:\work\lib\sum.cs(4): error`,
    'see a.b',
  ]);
  const named = ['src/cart.ts', 'tests/test_cart.py', 'api/tests/test_cart.py', 'lib/sum.cs', 'a.b'];
  assert.deepEqual(named.filter(isNamed), named);
  assert.deepEqual(['cart.tsx', 'other/cart.ts', 'src/cart.t', 'tests/other.py', ''].filter(isNamed), []);
});

test('a hostile text takes linear time', () => {
  const before = performance.now();
  const isNamed = makeNamedFiles([
    'a/'.repeat(400_000),
    '.'.repeat(400_000),
    'a.'.repeat(400_000),
    'x'.repeat(400_000),
  ]);
  assert.equal(isNamed('src/cart.ts'), false);
  assert.ok(performance.now() - before < 1000);
});

test('the commits of a branch are a chain of first parents that ends, whatever the forge says', () => {
  const sha = fc.constantFrom(...'abcdef');
  const list = fc.array(fc.record({ sha, parents: fc.array(sha, { maxLength: 3 }) }), { maxLength: 8 });
  fc.assert(
    fc.property(list, sha, (commits, head) => {
      const chain = [...branchShas(commits, head)];
      assert.equal(chain.length === 0, commits.length === 0);
      for (const [index, each] of chain.entries())
        if (index > 0)
          assert.equal(commits.findLast((one) => one.sha === chain[index - 1])?.parents[0], each);
    }),
  );
});

test('a commit without a run stands for the next run of the branch', () => {
  const own = (runId: number, digit: string) => ({ runId, sha: digit, title: null, actor: `by-${digit}` });
  const known = ['1', '2', '3', '4'].map((digit) => ({ sha: digit, title: digit, author: `of-${digit}` }));
  const found = candidatesOf([own(7, '2'), own(9, '4')], known, 9);
  assert.deepEqual(
    found.map(({ sha, runId, actor }) => `${sha} ${runId} ${actor}`),
    ['1 7 of-1', '2 7 by-2', '3 9 of-3', '4 9 by-4'],
  );
  assert.deepEqual(candidatesOf([own(7, '2')], [], 9), [own(7, '2')]);
});
