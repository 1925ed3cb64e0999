import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityOf } from './claims.ts';

const cognito = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI';
const claims = {
  iss: cognito,
  sub: 'a-sub',
  'cognito:username': 'GitHub_583231',
  'custom:forge_id': '583231',
  identities: [{ providerName: 'GitHub', userId: '583231' }],
};
const forgeIdOf = (changes: object): [string | undefined, boolean] => {
  const { forgeId, isForgeIdDoubtful } = identityOf({ ...claims, ...changes }, undefined);
  return [forgeId, isForgeIdDoubtful];
};

test('a forge ID of Cognito is accepted when the linked account and the username agree', () => {
  assert.deepEqual(forgeIdOf({}), ['583231', false]);
});

for (const [title, changes] of [
  ['another than that of the linked account', { 'custom:forge_id': '1' }],
  ['without a linked account', { identities: undefined }],
  ['with a linked account that is no list', { identities: 'userId 583231' }],
  ['with another name', { 'cognito:username': 'GitHub_1583231' }],
  ['with a name that ends in it by chance', { 'cognito:username': 'GitHub583231' }],
] as const) {
  test(`a forge id of Cognito ${title} is doubtful and not kept`, () => {
    assert.deepEqual(forgeIdOf(changes), [undefined, true]);
  });
}

const elsewhere = { iss: 'https://id.example.com', identities: undefined };
for (const forgeId of [
  '0',
  '01',
  '-1',
  '1e3',
  ' 1',
  '1 ',
  '٣',
  '9223372036854775808',
  '12345678901234567890',
]) {
  test(`the forge ID "${forgeId}" is refused from every provider`, () => {
    assert.deepEqual(forgeIdOf({ ...elsewhere, 'custom:forge_id': forgeId }), [undefined, true]);
  });
}

test('the claims of any other provider are accepted as they are', () => {
  assert.deepEqual(forgeIdOf({ ...elsewhere, 'custom:forge_id': '9223372036854775807' }), [
    '9223372036854775807',
    false,
  ]);
  assert.deepEqual(forgeIdOf({ ...elsewhere, 'custom:forge_id': undefined }), [undefined, false]);
});

for (const [claim, isVerified] of [
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  [undefined, false],
  [1, false],
] as const) {
  test(`email_verified ${JSON.stringify(claim)} ${isVerified ? 'vouches' : 'does not vouch'} for the address`, () => {
    const { isEmailVerified } = identityOf(
      { ...elsewhere, email: 'a@example.com', email_verified: claim },
      {},
    );
    assert.equal(isEmailVerified, isVerified);
  });
}
