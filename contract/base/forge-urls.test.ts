import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareUrl } from './compare-url.ts';
import { commitUrl, repositoryUrl } from './forge-urls.ts';

const [green, red] = ['a'.repeat(40), 'b'.repeat(40)];
const site = 'https://git.example.com/forge/acme/site';

test('the address of a run contains that of its repository, and leads to its commits', () => {
  assert.equal(repositoryUrl(`${site}/actions/runs/7`), site);
  assert.equal(commitUrl(site, green), `${site}/commit/${green}`);
  assert.equal(compareUrl(site, green, red), `${site}/compare/${green}...${red}`);
});

test('without commits or the address of a run there is none', () => {
  for (const [from, to] of [
    [null, red],
    [green, null],
    [green, green],
    ['main', red],
    [green, '../../settings'],
  ] as const)
    assert.equal(compareUrl(site, from, to), null);
  for (const sha of [null, 'main', '../settings', '']) assert.equal(commitUrl(site, sha), null);
  for (const url of [null, '', 'https://git.example.com/acme/site']) assert.equal(repositoryUrl(url), null);
});
