import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { countDeployed, type Deployed, type Ended } from './count-deployments.ts';
import { failureOf, type Contents } from './failure-rules.ts';

let keys = 0;
const ended = (sha: string, more: Partial<Ended> = {}): Ended => {
  keys += 1;
  return {
    key: `deployment-${keys}`,
    repository: 'acme/site',
    environment: 'production',
    workflow: null,
    job: null,
    sha,
    ref: 'main',
    at: keys,
    creator: null,
    runId: null,
    attempt: null,
    url: null,
    isDeployed: true,
    ...more,
  };
};
/** In this order, to one place. The forge says that later letters contain the earlier ones in `known`. */
const deployed = (shas: string, known = ''): Deployed[] =>
  countDeployed(
    [...shas].map((sha) => ended(sha)),
    (_, sha, inSha) => known.includes(sha) && sha < inSha,
  );
const nothingContained = () => false;
const nothing = (): undefined => undefined;
const rules = (list: readonly Deployed[], contentsOf: (of: Deployed) => Contents | undefined = nothing) =>
  list.map((each) => failureOf(each, contentsOf)?.rule ?? null);

test('a commit counts once until another commit follows', () => {
  assert.deepEqual(
    deployed('aaabba').map(({ sha }) => sha),
    ['a', 'b', 'a'],
  );
});

test('a deployment that failed counts nowhere and changes nothing', () => {
  const list = [ended('a'), ended('b', { isDeployed: false }), ended('a')];
  assert.deepEqual(
    countDeployed(list, nothingContained).map(({ sha }) => sha),
    ['a'],
  );
});

test('an older commit that is deployed again says that what it replaced failed', () => {
  assert.deepEqual(rules(deployed('aba')), [null, 'rollback', null]);
  assert.deepEqual(rules(deployed('abca')), [null, null, 'rollback', null], 'only what it replaced');
});

test('the newer commit that is deployed again after a rollback is none', () => {
  const list = deployed('abab');
  assert.deepEqual(rules(list), [null, 'rollback', null, null]);
  assert.deepEqual(
    list.map(({ isRepeated, base }) => [isRepeated, base]),
    [
      [false, null],
      [false, 'a'],
      [true, 'b'],
      [true, 'b'],
    ],
  );
});

test('a commit that was never deployed is older when the newest one contains it', () => {
  assert.deepEqual(rules(deployed('bacb')), [null, null, 'rollback', null]);
  assert.deepEqual(rules(deployed('bacb', 'a')), ['rollback', null, 'rollback', null]);
  assert.deepEqual(rules(deployed('bab')), [null, 'rollback', null]);
  assert.deepEqual(rules(deployed('bab', 'a')), ['rollback', null, null], 'the newer one is no rollback');
  assert.equal(deployed('bac', 'a').at(-1)?.base, 'b');
});

test('a deployment after a rollback brings what the newest commit did not have', () => {
  assert.equal(deployed('abac').at(-1)?.base, 'b');
});

test('each place counts alone, in any order of arrival', () => {
  const place = fc.constantFrom('production', 'eu');
  const event = fc.record({
    environment: place,
    sha: fc.constantFrom('a', 'b', 'c'),
    isDeployed: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 20 }).chain((events) => {
        const list = events.map(({ sha, ...more }) => ended(sha, more));
        return fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
        );
      }),
      ([list, shuffled]) => {
        const counted = countDeployed(shuffled, nothingContained);
        const facts = (all: readonly Deployed[]) =>
          all.map(({ next, ...each }) => ({ ...each, next: next?.key }));
        assert.deepEqual(facts(counted), facts(countDeployed(list, nothingContained)));
        for (const environment of ['production', 'eu']) {
          const own = counted.filter((each) => each.environment === environment);
          const alone = countDeployed(
            list.filter((each) => each.environment === environment),
            nothingContained,
          );
          assert.deepEqual(facts(own), facts(alone));
          // Two commits that follow each other differ, and each counted one is the first success after another commit.
          for (const [index, each] of own.entries()) {
            assert.notEqual(each.sha, own[index - 1]?.sha);
            assert.equal(each.next, own[index + 1] ?? null);
            assert.equal(
              each.isRepeated,
              own.slice(0, index).some(({ sha }) => sha === each.sha),
            );
          }
          const succeeded = list.filter((each) => each.environment === environment && each.isDeployed);
          const changes = succeeded.filter(({ sha }, index) => sha !== succeeded[index - 1]?.sha);
          assert.deepEqual(
            own.map(({ key }) => key),
            changes.map(({ key }) => key),
          );
        }
      },
    ),
  );
});

const pull = (number: number, more: Partial<Contents['pulls'][number]> = {}): Contents['pulls'][number] => ({
  repository: 'acme/site',
  number,
  title: `Change ${number}`,
  url: null,
  mergedAt: 0,
  headBranch: 'topic',
  labels: [],
  ...more,
});

/** What failed when the first deployment brought `earlier` and the second `later`. */
function failure(earlier: Partial<Contents> | undefined, later: Partial<Contents> | undefined) {
  const [first, second] = deployed('ab') as [Deployed, Deployed];
  const filled = (given: Partial<Contents> | undefined) => given && { commits: [], pulls: [], ...given };
  const found = failureOf(first, ({ key }) => filled(key === second.key ? later : earlier));
  return found && [found.rule, found.pullRequest, found.by === second.key];
}

test('a deployment whose pull request or commit the next one reverts failed', () => {
  const pulls = [pull(12, { title: 'Cache prices' })];
  const commits = [{ title: 'Cache prices (#12)' }, { title: 'fix: rounding' }];
  const earlier = { pulls, commits };
  const of = (later: Partial<Contents>) => failure(earlier, later);
  assert.deepEqual(of({ pulls: [pull(13, { title: 'Revert "Cache prices"' })] }), ['revert', 13, true]);
  assert.deepEqual(of({ pulls: [pull(13, { headBranch: 'revert-12-topic' })] }), ['revert', 13, true]);
  for (const title of ['Revert "Cache prices (#12)" (#13)', 'Revert "Cache prices"', 'revert: fix: rounding'])
    assert.deepEqual(of({ commits: [{ title }] }), ['revert', null, true], title);
  for (const title of ['Revert "Something else"', 'Cache prices', 'Explain how to revert: Cache prices'])
    assert.equal(of({ commits: [{ title }] }), null, title);
  assert.equal(of({ pulls: [pull(13, { headBranch: 'revert-1-topic' })] }), null);
  assert.equal(failure(undefined, { commits: [{ title: 'Revert "Cache prices"' }] }), null);
});

test('a deployment failed when the next one has a hotfix', () => {
  for (const headBranch of ['hotfix/rounding', 'Hotfix-1', 'hotfix'])
    assert.deepEqual(failure({}, { pulls: [pull(7, { headBranch })] }), ['hotfix', 7, true], headBranch);
  assert.deepEqual(failure(undefined, { pulls: [pull(7, { labels: ['ui', 'HotFix'] })] }), [
    'hotfix',
    7,
    true,
  ]);
  assert.equal(failure({}, { pulls: [pull(7, { headBranch: 'fix/hotfix', labels: ['no hotfix'] })] }), null);
  assert.equal(failure({}, undefined), null, 'nothing is known');
});
