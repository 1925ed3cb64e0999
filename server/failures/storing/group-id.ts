import { createHash } from 'node:crypto';

/** The id of the group: equal for the same fingerprint in the same repository. Its form is that of a UUID. */
export function groupIdOf(repository: string, fingerprint: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([repository, fingerprint]))
    .digest('hex');
  const [a, b, c, d, e] = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(13, 16),
    hash.slice(17, 20),
    hash.slice(20, 32),
  ];
  // Version 8 is for custom contents (RFC 9562).
  return `${a}-${b}-8${c}-8${d}-${e}`;
}
