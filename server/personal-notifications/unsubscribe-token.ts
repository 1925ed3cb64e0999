import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';

/** Of links in mails: it must not change. */
export const unsubscribePath = '/api/unsubscribe';

/** Signs links that turn a person's mails off without a sign-in. A link does not expire: mails are read late. */
export interface UnsubscribeTokens {
  make(userId: string): string;
  /** The person of a valid token; undefined for any other text. */
  read(token: string): string | undefined;
}

const idBytes = 16;
const macBytes = 32;
const form = /^[\w-]{64}$/;

/** Previous master keys stay valid, so that a rotation does not break links in mailboxes. */
export function makeUnsubscribeTokens(masterKeys: readonly [Buffer, ...Buffer[]]): UnsubscribeTokens {
  const keys = masterKeys.map((master) => deriveKey(master, 'unsubscribe'));
  const macOf = (key: Buffer, id: Buffer): Buffer => createHmac('sha256', key).update(id).digest();
  return {
    make: (userId) => {
      const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
      const [key = Buffer.alloc(0)] = keys;
      return Buffer.concat([id, macOf(key, id)]).toString('base64url');
    },
    read: (token) => {
      if (!form.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      const [id, mac] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes, idBytes + macBytes)];
      // Compares with every key, in constant time.
      const matches = keys.filter((key) => timingSafeEqual(mac, macOf(key, id)));
      return matches.length === 0 ? undefined : uuidOf(id);
    },
  };
}

function uuidOf(id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
