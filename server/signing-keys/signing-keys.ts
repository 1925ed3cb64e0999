import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { Service } from '#platform/runtime/service.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
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

/** A key signs from `signsFrom` until the next key starts to sign. */
interface KeyTime {
  kid: string;
  signsFrom: Date;
}

/** The time that one key signs. */
const periodMs = 90 * 24 * hourMs;

/** A key is published this long before and after it signs: longer than caches keep keys and tokens live. */
const overlapMs = 24 * hourMs;

interface Rotation {
  /** Undefined when no key exists. */
  signing: string | undefined;
  /** Keys that verify, including the signing one. */
  published: string[];
  /** Create a key now that signs from this time. Undefined when none is due. */
  nextFrom: Date | undefined;
  /** Keys that are no longer needed. */
  ended: string[];
}

/** Decides which key signs, which keys are published, and whether a new key is due. */
function planRotation(keys: readonly KeyTime[], nowMs: number): Rotation {
  const inOrder = keys.toSorted((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  const signing = inOrder.findLast(({ signsFrom }) => signsFrom.getTime() <= nowMs);
  const newest = inOrder.at(-1);
  const endOf = (index: number): number => inOrder[index + 1]?.signsFrom.getTime() ?? Infinity;
  const isPublished = (_key: KeyTime, index: number): boolean => endOf(index) + overlapMs > nowMs;
  return {
    signing: signing?.kid,
    published: inOrder.filter(isPublished).map(({ kid }) => kid),
    nextFrom: nextFrom(newest, nowMs),
    ended: inOrder.filter((key, index) => !isPublished(key, index)).map(({ kid }) => kid),
  };
}

function nextFrom(newest: KeyTime | undefined, nowMs: number): Date | undefined {
  if (newest === undefined) return new Date(nowMs);
  const due = newest.signsFrom.getTime() + periodMs;
  if (due - overlapMs > nowMs) return undefined;
  return new Date(Math.max(due, nowMs + overlapMs));
}
