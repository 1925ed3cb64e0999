import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { openDatabaseServer } from '#platform/database/embedded/database-server.ts';
import { loadMasterKeys } from '#platform/runtime/files/data-dir.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { refuseIfThere, writeWhole } from '#server/backup/backup-file.ts';
import { encrypted } from '#server/backup/encryption.ts';
import { noProgress, recordBackup, writeBackup, type Progress } from '#server/backup/write-backup.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { findRunning } from '../running.ts';
import { UsageError, type Command } from './command.ts';
import { countClosed } from './doctor/doctor-database.ts';
import { withOwner } from './owner-connection.ts';
import { askPassphrase } from './passphrase.ts';
import { endingSignal, reportProgress } from './report-progress.ts';

export function backupCommand(config: () => Config): Command {
  return {
    name: 'backup',
    summary:
      'write database and encryption key to a file that a passphrase opens; also while the service runs',
    options: {},
    positionals: 'FILE',
    run: async (_values, args) => {
      const file = oneFile(args);
      const settings = config();
      if (file !== '-') await refuseIfThere(file);
      const passphrase =
        settings.backupPassphrase ??
        (await askPassphrase(['Passphrase of the backup: ', 'The same again: ']));
      const summary = `${JSON.stringify(await backUp(settings, file, passphrase))}\n`;
      (file === '-' ? process.stderr : process.stdout).write(summary);
      return 0;
    },
  };
}

/** `-` stands for standard output or input. */
export function oneFile(args: readonly string[]): string {
  const [file, ...others] = args;
  if (file === undefined || file === '' || others.length > 0)
    throw new UsageError('Name one FILE, or - for a pipe');
  return file;
}

async function backUp(settings: Config, file: string, passphrase: string): Promise<object> {
  const signal = endingSignal();
  const started = performance.now();
  const masterKeys = await loadMasterKeys(settings);
  const running = await findRunning(settings.dataDir);
  const server = await openDatabaseServer(settings, running?.databaseUrl, makeLog(settings));
  const progress = noProgress();
  const stopReports = reportProgress('backing up', progress);
  try {
    const bytes = await withOwner({ config: settings, url: server.url, signal }, async (client) => {
      await checkKeys(client, masterKeys);
      const written = await write(client, masterKeys, { file, passphrase, progress, signal });
      await recordBackup(client).catch(reportUnrecorded);
      return written;
    });
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const { tables, rows } = progress;
    return { ...(file === '-' ? {} : { file }), version: packageJson.version, tables, rows, bytes, seconds };
  } finally {
    stopReports();
    await server.stop();
  }
}

/** Returns the size of the file; undefined for standard output. */
async function write(
  client: pg.Client,
  masterKeys: readonly Buffer[],
  to: { file: string; passphrase: string; progress: Progress; signal: AbortSignal },
): Promise<number | undefined> {
  const { file, passphrase, progress, signal } = to;
  const keys = masterKeys.map((key) => key.toString('base64'));
  const frames = writeBackup(client, { version: packageJson.version, keys }, progress);
  const content = await encrypted(Readable.from(frames), passphrase);
  if (file !== '-') return writeWhole(file, content, signal);
  await pipeline(content, process.stdout, { signal, end: false });
  return undefined;
}

/** The backup is complete without it. */
function reportUnrecorded(error: Error): void {
  process.stderr.write(`The time of the backup was not recorded for /metrics and doctor: ${error.message}\n`);
}

/** A backup with another key than that of the data could not be read. */
async function checkKeys(client: pg.Client, masterKeys: readonly [Buffer, ...Buffer[]]): Promise<void> {
  const { closed, all } = await countClosed(client, makeSealer(masterKeys));
  if (closed === 0) return;
  const found = `The key opens ${all - closed} of ${all} webhook secrets`;
  if (closed === all)
    throw new Error(
      `${found}: run backup with the ENCRYPTION_KEY or DATA_DIR of the service. See forgewatch doctor.`,
    );
  process.stderr.write(`${found}. The backup holds this key only. See forgewatch doctor.\n`);
}
