import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { Service } from '#platform/runtime/service.ts';
import { planRotation } from './rotation.ts';
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type SigningKeyRow,
} from './store.ts';

/** A private RSA key as JWK, with `kid`, `use` and `alg`. */
export type SigningKey = JWK & { kid: string };

export interface SigningKeySet {
  signing: SigningKey;
  /** All keys that verify, the signing one first. */
  published: SigningKey[];
}

export interface SigningKeys {
  /** Loads the keys at start and follows their rotation. */
  readonly service: Service;
  /** @throws before `service` has started. */
  current(): SigningKeySet;
  /** Calls `handle` at start and whenever the keys change. */
  onChange(handle: (keys: SigningKeySet) => void): void;
}

export type SigningKeysDeps = Pick<SharedDeps, 'db' | 'log' | 'clock' | 'sealer'>;

const checkMs = 3_600_000;

/** RSA keys for one purpose: created at the first start, shared by all processes and rotated (`server/signing-keys/rotation.ts`). */
export function makeSigningKeys(deps: SigningKeysDeps, purpose: string): SigningKeys {
  const handlers: ((keys: SigningKeySet) => void)[] = [];
  let current: SigningKeySet | undefined;
  const check = async (): Promise<void> => {
    const next = await deps.db.withScope('service', (tx) => rotateKeys(deps, tx, purpose));
    if (current !== undefined && kidsOf(current) === kidsOf(next)) return;
    current = next;
    for (const handle of handlers) handle(next);
  };
  const following = repeat(deps.log, `rotate the keys of ${purpose}`, checkMs, check);
  return {
    service: {
      name: following.name,
      start: async () => {
        await check();
        await following.start();
      },
      stop: following.stop,
    },
    current: () => {
      if (current === undefined) throw new Error(`the keys of ${purpose} are not loaded yet`);
      return current;
    },
    onChange: (handle) => handlers.push(handle),
  };
}

const kidsOf = ({ published }: SigningKeySet): string => published.map(({ kid }) => kid).join(' ');

/** Creates the next key when it is due, deletes keys that are not needed, and returns the others. */
async function rotateKeys(
  { sealer, clock }: SigningKeysDeps,
  tx: Tx,
  purpose: string,
): Promise<SigningKeySet> {
  await lockSigningKeys(tx);
  const rows = await listSigningKeys(tx, purpose);
  const times = rows.map(({ kid, signs_from: signsFrom }) => ({ kid, signsFrom }));
  const keys = new Map(rows.map((row) => [row.kid, openKey(sealer, row)]));

  const { nextFrom } = planRotation(times, clock());
  if (nextFrom !== undefined) {
    const key = await makeKey();
    const sealed = sealer.seal(Buffer.from(JSON.stringify(key)), signingKeyContext(key.kid));
    await insertSigningKey(tx, { kid: key.kid, purpose, sealed, signsFrom: nextFrom });
    keys.set(key.kid, key);
    times.push({ kid: key.kid, signsFrom: nextFrom });
  }
  const plan = planRotation(times, clock());
  if (plan.ended.length > 0) await deleteSigningKeys(tx, plan.ended);
  const signing = keys.get(plan.signing ?? '');
  if (signing === undefined)
    throw new Error(`no key of ${purpose} is valid yet. Check the clock of this machine.`);
  const others = plan.published.flatMap((kid) => (kid === signing.kid ? [] : (keys.get(kid) ?? [])));
  return { signing, published: [signing, ...others] };
}

function openKey(sealer: Sealer, { kid, private_key: sealed }: SigningKeyRow): SigningKey {
  try {
    return JSON.parse(sealer.open(sealed, signingKeyContext(kid)).toString()) as SigningKey;
  } catch (error) {
    throw new Error(
      'The token signing keys are encrypted with another ENCRYPTION_KEY. Add that key to the list. If it is lost, delete all rows of the table signing_key; everybody must then sign in again.',
      { cause: error },
    );
  }
}

/** Binds a sealed key to its id. */
export const signingKeyContext = (kid: string): string => `signing_key/${kid}/private_key`;

async function makeKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'RS256' };
}
