import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailableName } from './mailable-name.ts';

test('a name of a team, a product or a person can be mailed', () => {
  for (const name of [
    'Platform',
    'CI/CD',
    'Zoë O’Neill',
    'Team 7 (Berlin)',
    'C# & .NET',
    'モバイル',
    'v1.2',
    'A: B',
  ])
    assert.equal(mailableName(name), name);
});

test('a name that a mail program makes clickable, a long one and one that hides characters cannot', () => {
  for (const name of [
    'https://evil.example',
    'Win at evil.example now',
    'evil．example',
    'evil。example',
    'mailto:a',
    'ann@localhost',
    'Call +1 (800) 555-0100',
    'http://192.168.10.1',
    'x'.repeat(61),
    'a\u202eb',
    'a\u200bb',
    'a\nb',
    '  ',
    null,
  ])
    assert.equal(mailableName(name), undefined, JSON.stringify(name));
});
