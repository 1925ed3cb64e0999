import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitsUrl } from './commits-url.ts';

const [green, red] = ['a'.repeat(40), 'b'.repeat(40)];
const run = { url: 'https://git.example.com/forge/acme/site/actions/runs/7', repository: 'acme/site' };

test('the commits between two runs have a page at the forge', () => {
  assert.equal(
    commitsUrl(run, green, red),
    `https://git.example.com/forge/acme/site/compare/${green}...${red}`,
  );
});

test('without two commits or a safe address of the repository there is none', () => {
  for (const [from, to] of [
    [null, red],
    [green, null],
    [green, green],
    ['main', red],
    [green, '../../settings'],
  ] as const)
    assert.equal(commitsUrl(run, from, to), undefined);
  for (const url of [null, 'javascript:alert(1)//acme/site/', 'https://git.example.com/other/actions/runs/7'])
    assert.equal(commitsUrl({ ...run, url }, green, red), undefined);
});
