import { importJWK, type CryptoKey } from 'jose';

const maxKeys = 20;
const kidMaxChars = 128;
const leastModulusBits = 2048;
const leastExponent = 3n;

/**
 * Usable keys of a JWK set, by key ID: RSA keys for RS256 with at least 2,048 bits and a unique ID. Other entries
 * are skipped.
 */
export async function usableKeys(set: unknown): Promise<ReadonlyMap<string, CryptoKey>> {
  const listed = (Object(set) as { keys?: unknown }).keys;
  const candidates = (Array.isArray(listed) ? listed : []).slice(0, maxKeys).filter(isCandidate);
  const once = candidates.filter(({ kid }) => candidates.filter((other) => other.kid === kid).length === 1);
  const found = new Map<string, CryptoKey>();
  for (const { kid, n, e } of once) {
    const key = await importJWK({ kty: 'RSA', n, e }, 'RS256').catch(() => undefined);
    if (key !== undefined && !(key instanceof Uint8Array)) found.set(kid, key);
  }
  return found;
}

interface Candidate {
  kid: string;
  n: string;
  e: string;
}

function isCandidate(value: unknown): value is Candidate {
  const { kty, kid, use, alg, key_ops: operations, n, e } = Object(value) as Record<string, unknown>;
  return (
    kty === 'RSA' &&
    typeof kid === 'string' &&
    kid.length <= kidMaxChars &&
    (use === undefined || use === 'sig') &&
    (alg === undefined || alg === 'RS256') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    typeof n === 'string' &&
    typeof e === 'string' &&
    isStrong(n, e)
  );
}

function isStrong(n: string, e: string): boolean {
  const [modulus, exponent] = [numberOf(n), numberOf(e)];
  return (
    modulus.toString(2).length >= leastModulusBits && exponent >= leastExponent && !hasFingerprint(modulus)
  );
}

function numberOf(base64url: string): bigint {
  const hex = Buffer.from(base64url, 'base64url').toString('hex');
  return hex === '' ? 0n : BigInt(`0x${hex}`);
}

/** Primes that reveal the structure of CVE-2017-15361 (ROCA) moduli. */
const fingerprintPrimes = [
  11n,
  13n,
  17n,
  19n,
  37n,
  53n,
  61n,
  71n,
  73n,
  79n,
  97n,
  103n,
  107n,
  109n,
  127n,
  151n,
  157n,
];

/**
 * Keys affected by CVE-2017-15361 can be factored. Their moduli are powers of 65537 modulo each of these primes;
 * about one in 10⁸ other moduli is too.
 */
function hasFingerprint(modulus: bigint): boolean {
  return fingerprintPrimes.every((prime) => {
    const remainder = modulus % prime;
    let power = 1n;
    for (let exponent = 0n; exponent < prime; exponent++) {
      if (power === remainder) return true;
      power = (power * 65_537n) % prime;
    }
    return false;
  });
}
