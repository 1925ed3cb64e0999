import assert from 'node:assert/strict';
import { test } from 'node:test';
import { menuTarget } from './menu-keys.ts';

const labels = ['Any', 'Queued', 'Passed', 'Pending'];

test('arrows wrap around', () => {
  assert.equal(menuTarget('ArrowDown', labels, 0), 1);
  assert.equal(menuTarget('ArrowDown', labels, 3), 0);
  assert.equal(menuTarget('ArrowUp', labels, 0), 3);
  assert.equal(menuTarget('ArrowDown', labels, -1), 0);
  assert.equal(menuTarget('ArrowUp', labels, -1), 3);
  assert.equal(menuTarget('End', labels, 1), 3);
  assert.equal(menuTarget('Home', labels, 2), 0);
});

test('a letter moves to the next item that starts with it', () => {
  assert.equal(menuTarget('p', labels, 0), 2);
  assert.equal(menuTarget('P', labels, 2), 3);
  assert.equal(menuTarget('p', labels, 3), 2);
  assert.equal(menuTarget('x', labels, 0), undefined);
});

test('other keys have no target, and neither has an empty menu', () => {
  for (const key of ['Enter', ' ', 'Escape', 'Tab']) assert.equal(menuTarget(key, labels, 0), undefined);
  assert.equal(menuTarget('ArrowDown', [], -1), undefined);
});
