import { placeOfKeys } from '#platform/runtime/files/data-dir.ts';
import { keyIdOf } from '#platform/runtime/secrets/sealing.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import {
  countByKey,
  sealedBy,
  withOwnerDatabase,
  type ColumnCount,
} from '#server/key-rotation/count-by-key.ts';
import { nameOf } from '#server/key-rotation/sealed-columns.ts';
import type { Runtime } from '#server/runtime.ts';
import type { Finding } from './finding.ts';

const check = 'key rotation';
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** What is sealed with each key but the first, when several are configured. Reads the start of every sealed value. */
export async function checkRotation(
  { masterKeys, databaseUrl }: Pick<Runtime, 'masterKeys' | 'databaseUrl'>,
  config: Pick<Config, 'encryptionKeys' | 'queueUrl'>,
): Promise<Finding[]> {
  const keyIds = masterKeys.map(keyIdOf);
  if (keyIds.length === 1) return [{ check, verdict: 'ok', text: 'one key is configured' }];
  const counts = await withOwnerDatabase(databaseUrl, (owner) => countByKey(owner));
  const others = keyIds.slice(1).map((keyId, index): Finding => {
    const key = ordinals[index + 1] ?? `${index + 2}th`;
    const held = holding(counts, (id) => id === keyId);
    return held === undefined
      ? { check, verdict: 'note', text: `nothing is sealed with the ${key} key: ${removal(config)}` }
      : { check, verdict: 'note', text: `sealed with the ${key} key: ${held}. Run forgewatch rotate-key.` };
  });
  const foreign = holding(counts, (id) => !keyIds.includes(id));
  if (foreign === undefined) return others;
  const text = `sealed with a key that is not listed: ${foreign}. forgewatch rotate-key says what to do.`;
  return [...others, { check, verdict: 'wrong', text }];
}

function removal(config: Pick<Config, 'encryptionKeys' | 'queueUrl'>): string {
  const waits =
    config.queueUrl === undefined
      ? ''
      : ', once Amazon SQS holds no message from before the first key was in use';
  return `stop all processes, then remove it from ${placeOfKeys(config)}${waits}.`;
}

/** Undefined when there are none. */
function holding(counts: readonly ColumnCount[], isKey: (keyId: string) => boolean): string | undefined {
  const held = counts.flatMap((count) => {
    const values = sealedBy(count, isKey);
    return values === 0 ? [] : [`${nameOf(count.column)} ${values}`];
  });
  return held.length === 0 ? undefined : held.join(', ');
}
