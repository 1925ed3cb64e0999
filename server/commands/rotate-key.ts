import type { Database } from '#platform/database/database.ts';
import { addOwnKey, placeOfKeys } from '#platform/runtime/files/data-dir.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { keyIdOf } from '#platform/runtime/secrets/sealing.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { withOwnerDatabase } from '#server/key-rotation/count-by-key.ts';
import { hasOtherProcesses } from '#server/key-rotation/other-processes.ts';
import { rotateKeys, type Rotated } from '#server/key-rotation/rotate-keys.ts';
import { nameOf, sealedColumns } from '#server/key-rotation/sealed-columns.ts';
import { openRuntime, type Runtime } from '#server/runtime.ts';
import { UsageError, type Command } from './command.ts';

export function rotateKeyCommand(config: () => Config): Command {
  return {
    name: 'rotate-key',
    summary: 'encrypt everything that is stored with the first encryption key; prints numbers as JSON',
    options: {
      new: { type: 'boolean', help: 'only add a new key to DATA_DIR/encryption.key, in front of the others' },
    },
    run: (values) => (values['new'] === true ? addKey(config()) : rotate(config())),
  };
}

async function addKey({ encryptionKeys, dataDir }: Config): Promise<number> {
  if (encryptionKeys !== undefined)
    throw new UsageError(
      'ENCRYPTION_KEY is set, so DATA_DIR/encryption.key is not used: put a new key into ENCRYPTION_KEY',
    );
  const file = await addOwnKey(dataDir);
  say(`${file} begins with a new key. Restart Forgewatch now, then run forgewatch rotate-key.`);
  return 0;
}

async function rotate(settings: Config): Promise<number> {
  const runtime = await openRuntime(settings, makeLog(settings));
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());
  try {
    return await withOwnerDatabase(runtime.databaseUrl, async (owner) => {
      const place = placeOfKeys(settings);
      await refuseOtherKeys(runtime, owner, place);
      const { sealer, masterKeys } = runtime;
      const keyIds = masterKeys.map(keyIdOf);
      const rotated = await rotateKeys({ owner, sealer, keyIds, signal: end.signal, say });
      process.stdout.write(`${JSON.stringify(rotated)}\n`);
      return report(rotated, place);
    });
  } catch (error) {
    if (!end.signal.aborted) throw error;
    say('Stopped. Run forgewatch rotate-key again to continue.');
    return 1;
  } finally {
    await runtime.close();
  }
}

/** A process that does not list the new key could read nothing that this command seals. */
async function refuseOtherKeys(
  { masterKeys: [first] }: Runtime,
  owner: Database,
  place: string,
): Promise<void> {
  if (await hasOtherProcesses(owner, keyIdOf(first)))
    throw new Error(
      `A running process encrypts with another key than the first one of ${place}. Restart all processes with the keys of this command, then run it again.`,
    );
}

function report({ unreadable, left }: Rotated, place: string): number {
  for (const column of sealedColumns) {
    const count = unreadable[nameOf(column)];
    if (count !== undefined)
      say(`${nameOf(column)}: ${count} cannot be decrypted. If their key is lost: ${column.ifLost}.`);
  }
  if (Object.keys(unreadable).length > 0)
    say(
      `Values that cannot be decrypted are left as they are. If you have their key, add it at the end of ${place} and run forgewatch rotate-key again.`,
    );
  if (Object.keys(left).length > 0) say('Some values were in use. Run forgewatch rotate-key again.');
  if (Object.keys(unreadable).length > 0 || Object.keys(left).length > 0) return 1;
  say('Everything is encrypted with the first key. forgewatch doctor tells when another key can be removed.');
  return 0;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
