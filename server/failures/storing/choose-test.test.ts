import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseTest, lineOfTest, type CandidateTest } from './choose-test.ts';

const candidate = (name: string, facts: Partial<CandidateTest> = {}): CandidateTest => ({
  testId: name,
  className: '',
  name,
  file: null,
  isOfJob: true,
  isQuarantined: false,
  ...facts,
});

/** The id of the test that is chosen for what the log names, and what else failed. */
function choose(tests: CandidateTest[], subject: string | null, otherSubjects: string[] = []) {
  const chosen = chooseTest(tests, { subject, otherSubjects });
  return chosen && [chosen.test.testId, ...chosen.others];
}

const formOf: [tool: string, test: CandidateTest, subject: string][] = [
  [
    'pytest',
    candidate('test_pays[1-EUR]', { className: 'tests.test_cart' }),
    'tests/test_cart.py::test_pays[1-EUR]',
  ],
  ['Vitest', candidate('cart > pays', { className: 'src/cart.test.ts' }), 'src/cart.test.ts > cart > pays'],
  ['Jest', candidate('cart pays', { className: 'cart pays' }), 'cart › pays'],
  ['Go', candidate('TestPays/in_euro', { className: 'acme/shop' }), 'TestPays/in_euro'],
  ['Surefire', candidate('pays', { className: 'com.acme.CartTest' }), 'CartTest.pays'],
  ['a title alone', candidate('cart > pays'), 'pays'],
  ['a file', candidate('starts', { className: 'src/cart.test.ts' }), 'src/cart.test.ts'],
];

test('the test that the log names is chosen among others, in the forms of tools', () => {
  for (const [tool, named, subject] of formOf)
    assert.equal(choose([candidate('adds'), named, candidate('ships')], subject)?.[0], named.testId, tool);
});

test('the longest name in the log wins, and the class decides between equal names', () => {
  assert.equal(
    choose([candidate('TestPays'), candidate('TestPays/eur')], 'TestPays/eur')?.[0],
    'TestPays/eur',
  );
  const cart = candidate('pays', { testId: 'cart', className: 'com.acme.CartTest' });
  const shop = candidate('pays', { testId: 'shop', className: 'com.acme.ShopTest' });
  assert.equal(choose([cart, shop], 'ShopTest.pays')?.[0], 'shop');
});

test('a name in the log that is no test stays the cause', () => {
  assert.equal(choose([candidate('pays')], 'src/cart.ts(3,1): error TS2322'), undefined);
  assert.equal(choose([candidate('pays')], 'repays the debt'), undefined, 'a part of a word');
  assert.deepEqual(choose([candidate('adds'), candidate('pays')], 'pays', ['adds', 'lint']), [
    'pays',
    'adds',
    'lint',
  ]);
});

test('without a name in the log the first test of the job is chosen, and none in quarantine', () => {
  const quarantined = candidate('adds', { isQuarantined: true });
  const elsewhere = candidate('mails', { isOfJob: false });
  assert.deepEqual(choose([quarantined, elsewhere, candidate('pays'), candidate('ships')], null), [
    'pays',
    'ships',
  ]);
  assert.equal(choose([quarantined, elsewhere], null), undefined);
  assert.deepEqual(choose([quarantined, elsewhere], 'adds'), ['adds'], 'the log names it');
});

test('names without letters and digits are like nothing', () => {
  assert.equal(choose([candidate('???')], 'pays'), undefined);
  assert.equal(choose([candidate('pays')], '???'), undefined);
});

test('a line names the class unless it is the name, and the message on one line', () => {
  assert.equal(
    lineOfTest({ className: 'Cart', name: 'pays' }, 'expected 1\n  to be 2'),
    'Cart › pays: expected 1 to be 2',
  );
  assert.equal(lineOfTest({ className: 'pays', name: 'pays' }, null), 'pays failed');
});
