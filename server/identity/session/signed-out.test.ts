import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { systemClock } from '#platform/runtime/clock.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertSignedOut } from './signed-out-store.ts';
import { makeSignedOut, type EndableTokens } from './signed-out.ts';

const database = await createTestDatabase();
const log = pino({ level: 'silent' });
const listener = makeListener(roleConnection(database.url, 'forgewatch_api', testMasterKey), log);
const signedOut = makeSignedOut({ db: database.api, listener, log, clock: systemClock });

/** Seconds since the epoch; the sign-out is in the middle of this second. */
const second = Math.floor(Date.now() / 1000) - 100;
const expiresAt = new Date(Date.now() + hourMs);
const entries = ['user:username:ann', 'session:of ben', 'token:of cid'].map((entry) => ({
  entry,
  expiresAt,
}));
await database.api.withScope('service', (tx) => insertSignedOut(tx, entries));
await updateRows(database, 'signed_out', { signed_out_at: new Date((second + 0.5) * 1000) });
await signedOut.reload();

const subjectAnn = { cognitoIdClaim: 'sub', cognitoId: 'ann' };

for (const [what, isEnded, tokens] of [
  ['of the person, issued before', true, { cognitoId: 'ann', issuedAt: second - 1 }],
  ['of the person, issued in that second', true, { cognitoId: 'ann', issuedAt: second }],
  ['of the person, issued after it', false, { cognitoId: 'ann', issuedAt: second + 1 }],
  ["of a person whose subject is that person's username", false, { ...subjectAnn, issuedAt: second - 1 }],
  ['of the session, issued before', true, { sessionId: 'of ben', issuedAt: second - 1 }],
  ['of the session, given again in that second', false, { sessionId: 'of ben', issuedAt: second }],
  ['that are named, whenever issued', true, { tokenIds: ['another', 'of cid'], issuedAt: second + 50 }],
  ['of others', false, { issuedAt: second - 50 }],
] as const) {
  test(`tokens ${what}: ${isEnded ? 'ended' : 'good'}, from memory and from the database`, async () => {
    const dee = { cognitoIdClaim: 'username', cognitoId: 'dee', sessionId: 'of dee', tokenIds: ['of dee'] };
    const asked = { ...dee, ...tokens } as EndableTokens;
    assert.equal(signedOut.isSignedOut(asked), isEnded);
    assert.equal(await signedOut.isSignedOutNow(asked), isEnded);
  });
}
