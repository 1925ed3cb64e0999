import { createHash } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '#platform/database/database.ts';
import { errors } from './library.ts';
import {
  consumeState,
  deleteGrant,
  deleteState,
  deleteStateOfGrant,
  findState,
  findStateByUid,
  upsertState,
  type StateRow,
} from './store.ts';

/** For entries without a lifetime, which this configuration does not create. */
const withoutLifetimeSeconds = 86_400;

const hashOf = (id: string): Buffer => createHash('sha256').update(id).digest();

/** Storage of `oidc-provider`, shared by all processes. IDs are stored as hashes. */
export function postgresAdapter(db: Database): (model: string) => Adapter {
  return (model) => ({
    upsert: async (id, payload, expiresIn) => {
      const { jti: _id, ...rest } = payload;
      await upsertState(db, {
        model,
        idHash: hashOf(id),
        payload: rest,
        uid: payload.uid,
        grantId: payload.grantId,
        expiresIn: expiresIn ?? withoutLifetimeSeconds,
      });
    },
    find: async (id) => payloadOf(await findState(db, model, hashOf(id)), id),
    findByUid: async (uid) => payloadOf(await findStateByUid(db, model, uid), undefined),
    // Only the device flow uses it, which is disabled.
    findByUserCode: async () => undefined,
    consume: async (id) => {
      if (await consumeState(db, model, hashOf(id))) return;
      // The token was used twice, so it may be stolen: revoke the whole grant (RFC 9700, 4.14.2).
      const used = await findState(db, model, hashOf(id));
      const grantId = used?.payload['grantId'];
      if (typeof grantId === 'string') await deleteGrant(db, grantId, hashOf(grantId));
      throw new errors.InvalidGrant('already used');
    },
    destroy: (id) => deleteState(db, model, hashOf(id)),
    revokeByGrantId: (grantId) => deleteStateOfGrant(db, model, grantId),
  });
}

function payloadOf(row: StateRow | undefined, id: string | undefined): AdapterPayload | undefined {
  if (row === undefined) return undefined;
  return {
    ...row.payload,
    ...(id === undefined ? {} : { jti: id }),
    ...(row.consumed_at === null ? {} : { consumed: Math.floor(row.consumed_at.getTime() / 1000) }),
  };
}
