import assert from 'node:assert/strict';
import { test } from 'node:test';
import published from '#server/masking/vendor-rules.json' with { type: 'json' };
import { convertRule } from './convert-rule.ts';
import { parseExpression } from './expression.ts';
import { printExpression } from './print-expression.ts';

const printed = (source: string): string => printExpression(parseExpression(source));

test('an expression of Go becomes one of JavaScript', () => {
  for (const [source, expected] of [
    [String.raw`ab\.c[\w.-]{0,50}?x*`, String.raw`ab\.c[\-.0-9A-Z_a-z]{0,50}x*`],
    ['dp(?i)t_[a-z0-9]{3}', 'dp(?i:t_)[0-9A-Za-z]{3}'],
    ['(?i)a(?-i:b)c', '(?i:a)b(?i:c)'],
    ['a(?i:b|c)d', 'a(?:(?i:b)|(?i:c))d'],
    ['[[:alnum:]_]+', '[0-9A-Z_a-z]+'],
    ['(?P<name>x)y', '(x)y'],
    [String.raw`[^\s"\x60]`, '[^\\x09\\x0a\\x0c\\x0d "`]'],
  ] as const)
    assert.equal(printed(source), expected);
});

test('an expression that JavaScript would read in another way is refused', () => {
  for (const source of ['a(?U)b', String.raw`\p{L}`, 'a(b', '[a'])
    assert.throws(() => parseExpression(source));
});

const only = (id: string, regex: string) => {
  const [rule, ...others] = convertRule({ id, regex }, regex);
  assert.deepEqual(others, []);
  return rule;
};

test('a token is found by its prefix, also when it is shorter or longer', () => {
  assert.deepEqual(only('a', String.raw`\b(dop_v1_[a-f0-9]{64})(?:[\x60'"\s;]|\\[nr]|$)`), {
    id: 'a',
    anchors: ['dop_v1_'],
    secret: 'dop_v1_[0-9a-f]{32,}',
    isWord: true,
    isPrefixed: true,
  });
});

test('a token is found by a literal inside of it, or by the characters that a class has', () => {
  assert.deepEqual(only('a', String.raw`[a-z0-9]{14}\.atlasv1\.[a-z0-9]{60}`), {
    id: 'a',
    anchors: ['.atlasv1.'],
    offset: 14,
    secret: String.raw`[0-9a-z]{14}\.atlasv1\.[0-9a-z]{60}`,
    isWord: true,
  });
  assert.deepEqual(only('a', 'SK[01][a-f]{32}')?.anchors, ['SK0', 'SK1']);
  assert.throws(() => only('a', String.raw`\d{15}(?:\||%)[0-9a-z]{27}`), /no literal/);
});

const named = String.raw`(?i)[\w.-]{0,50}?(?:acme)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}([a-z0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)`;

test('a value is found by the name of its vendor', () => {
  assert.deepEqual(only('a', named), {
    id: 'a',
    anchors: ['acme'],
    ignoresCase: true,
    name: '(?i:acme)',
    secret: '[0-9A-Za-z]{32}',
  });
});

test('a name with a value and a token are two rules', () => {
  const rules = convertRule({ id: 'a' }, String.raw`${named}|\b(ACME_[a-z]{30})(?:[\x60'"\s;]|\\[nr]|$)`);
  assert.deepEqual(
    rules.map(({ id, anchors }) => [id, anchors]),
    [
      ['a', ['acme']],
      ['a-2', ['ACME_']],
    ],
  );
});

test('an expression whose cost grows with more than the length of the text is refused or bounded', () => {
  assert.equal(only('a', String.raw`xapp-\d+-[a-z]+`)?.secret, 'xapp-[0-9]{1,1000}-[a-z]+');
  for (const regex of ['abc(?:a*b*)*c', 'abc(?:[a-z]{1,9}){1,9}x', 'abc[a-z]{1,200}[a-z]{1,200}x'])
    assert.throws(() => only('a', regex), /cost|quantifier/, regex);
});

test('the published rules are those of one version of gitleaks, with its licence', () => {
  assert.match(published.source, /^gitleaks v\d+\.\d+\.\d+/);
  assert.match(published.licence.join('\n'), /^MIT License\n\nCopyright/);
  assert.ok(published.rules.length > 190);
  for (const { anchors } of published.rules) assert.ok(anchors.every((anchor) => anchor.length >= 3));
});
