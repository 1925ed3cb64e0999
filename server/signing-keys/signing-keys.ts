import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
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
  /** All that verify, the signing one first. */
  published: SigningKey[];
}

export interface SigningKeys {
  /** Has the keys once started, and follows their rotation. */
  readonly service: Service;
  /** @throws before the start. */
  current(): SigningKeySet;
  /** Told at the start and when another key signs or is published. */
  onChange(handle: (keys: SigningKeySet) => void): void;
}

export interface SigningKeysDeps {
  db: Database;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}

const lookMs = 3_600_000;

/** RSA keys for one purpose, made at the first start, shared by all processes and rotated (see rotation.ts). */
export function makeSigningKeys(deps: SigningKeysDeps, purpose: string): SigningKeys {
  const handlers: ((keys: SigningKeySet) => void)[] = [];
  let current: SigningKeySet | undefined;
  const look = async (): Promise<void> => {
    const next = await deps.db.withScope('service', (tx) => tendKeys(deps, tx, purpose));
    if (current !== undefined && kidsOf(current) === kidsOf(next)) return;
    current = next;
    for (const handle of handlers) handle(next);
  };
  const following = repeat(deps.log, `rotate the keys of ${purpose}`, lookMs, look);
  return {
    service: {
      name: following.name,
      start: async () => {
        await look();
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

/** Makes the next key when it is due, removes what has ended, and answers the rest. */
async function tendKeys({ sealer, clock }: SigningKeysDeps, tx: Tx, purpose: string): Promise<SigningKeySet> {
  await lockSigningKeys(tx);
  const rows = await listSigningKeys(tx, purpose);
  const times = rows.map(({ kid, signs_from: signsFrom }) => ({ kid, signsFrom }));
  const keys = new Map(rows.map((row) => [row.kid, openKey(sealer, row)]));

  const { nextFrom } = planRotation(times, clock());
  if (nextFrom !== undefined) {
    const key = await makeKey();
    const sealed = sealer.seal(Buffer.from(JSON.stringify(key)), contextOf(key.kid));
    await insertSigningKey(tx, { kid: key.kid, purpose, sealed, signsFrom: nextFrom });
    keys.set(key.kid, key);
    times.push({ kid: key.kid, signsFrom: nextFrom });
  }
  const plan = planRotation(times, clock());
  if (plan.ended.length > 0) await deleteSigningKeys(tx, plan.ended);
  const signing = keys.get(plan.signing ?? '');
  if (signing === undefined) throw new Error(`no key of ${purpose} signs yet: is the clock right?`);
  const others = plan.published.flatMap((kid) => (kid === signing.kid ? [] : (keys.get(kid) ?? [])));
  return { signing, published: [signing, ...others] };
}

function openKey(sealer: Sealer, { kid, private_key: sealed }: SigningKeyRow): SigningKey {
  try {
    return JSON.parse(sealer.open(sealed, contextOf(kid)).toString()) as SigningKey;
  } catch (error) {
    throw new Error(
      'The keys that sign tokens were sealed with another ENCRYPTION_KEY: list it too. Where it is lost, empty the table signing_key, and everybody signs in again.',
      { cause: error },
    );
  }
}

const contextOf = (kid: string): string => `signing_key/${kid}/private_key`;

async function makeKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'RS256' };
}
