import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { openDatabaseServer } from '#platform/database/embedded/database-server.ts';
import { knowsMigrations } from '#platform/database/migrate-to.ts';
import { makeLog } from '#platform/runtime/log.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { DamagedBackup, readFrames, type Frame } from '#server/backup/container.ts';
import { decrypted, WrongPassphrase } from '#server/backup/encryption.ts';
import { keyFileIn } from '#platform/runtime/files/data-dir.ts';
import { planKeys, type KeyPlan } from '#server/backup/key-plan.ts';
import { asHeader, type Header } from '#server/backup/notes.ts';
import { restoreBackup } from '#server/backup/restore-backup.ts';
import { noProgress } from '#server/backup/write-backup.ts';
import { findRunning } from '../running.ts';
import { oneFile } from './backup.ts';
import { UsageError, type Command, type OptionValues } from './command.ts';
import { withOwner } from './owner-connection.ts';
import { askPassphrase } from './passphrase.ts';
import { endingSignal, reportProgress } from './report-progress.ts';

export function restoreCommand(config: () => Config): Command {
  return {
    name: 'restore',
    summary: 'load a backup into an empty installation, while the service is stopped',
    options: {
      'key-file': {
        type: 'string',
        value: 'NEW',
        help: 'write the encryption key of the backup to this file, for ENCRYPTION_KEY',
      },
    },
    positionals: 'FILE',
    run: async (values, args) => {
      const file = oneFile(args);
      const settings = config();
      if ((await findRunning(settings.dataDir)) !== undefined)
        throw new Error('Forgewatch runs on this DATA_DIR. Stop it, then restore again.');
      const signal = endingSignal();
      const input = addAbortSignal(signal, await openFile(file));
      const passphrase = settings.backupPassphrase ?? (await askPassphrase(['Passphrase of the backup: ']));
      try {
        const frames = readFrames(decrypted(input, passphrase));
        const header = await readHeader(frames);
        const plan = await planKeys(settings, header.keys, keyFileOf(values));
        process.stdout.write(`${JSON.stringify(await load(settings, signal, { header, frames, plan }))}\n`);
        sayWhere(plan, settings);
        return 0;
      } catch (error) {
        throw signal.aborted ? signal.reason : explained(error, file);
      } finally {
        input.destroy();
      }
    },
  };
}

async function openFile(file: string): Promise<Readable> {
  return file === '-' ? process.stdin : (await open(file)).createReadStream();
}

function keyFileOf(values: OptionValues): string | undefined {
  const value = values['key-file'];
  if (value === '') throw new UsageError('--key-file takes the name of a new file');
  return typeof value === 'string' ? value : undefined;
}

async function readHeader(frames: AsyncGenerator<Frame>): Promise<Header> {
  const { value, done } = await frames.next();
  if (done === true || value.kind !== 'note') throw new DamagedBackup('has no header');
  const header = asHeader(value.value);
  if (!(await knowsMigrations(header.migrations)))
    throw new Error(
      `The backup is of version ${header.version} with a newer schema than this one. Install that version or a newer one, then restore.`,
    );
  return header;
}

async function load(
  settings: Config,
  signal: AbortSignal,
  { header, frames, plan }: { header: Header; frames: AsyncGenerator<Frame>; plan: KeyPlan },
): Promise<object> {
  const server = await openDatabaseServer(settings, undefined, makeLog(settings));
  const progress = noProgress();
  const stopReports = reportProgress('restoring', progress);
  try {
    await withOwner({ config: settings, url: server.url, signal }, (client) =>
      restoreBackup({ client, header, frames, progress, beforeCommit: plan.write }),
    );
  } finally {
    stopReports();
    await server.stop();
  }
  const { version, createdAt } = header;
  return { version, createdAt, tables: progress.tables, rows: progress.rows, keyFile: plan.file ?? null };
}

function sayWhere({ file }: KeyPlan, { dataDir }: Config): void {
  if (file === undefined) return;
  const next =
    file === keyFileIn(dataDir)
      ? 'Processes with another DATA_DIR need its content as ENCRYPTION_KEY.'
      : 'Set ENCRYPTION_KEY to its content in every process of the service before you start it.';
  process.stderr.write(`The encryption key of the backup is in ${file}. ${next}\n`);
}

function explained(error: unknown, file: string): unknown {
  const name = file === '-' ? 'Standard input' : file;
  if (error instanceof WrongPassphrase)
    return new Error(`The passphrase does not open ${name}. Check BACKUP_PASSPHRASE, or type it again.`, {
      cause: error,
    });
  if (error instanceof DamagedBackup)
    return new Error(`${name} ${error.message}. Nothing was restored: use another backup.`, { cause: error });
  return error;
}
