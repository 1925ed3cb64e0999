import pg from 'pg';
import { ConfigError, type Config } from '#platform/runtime/settings/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { openRuntime } from '#server/runtime.ts';
import { clusterDirectory } from '#platform/database/embedded/embedded-binaries.ts';
import { describeSpace, leastFreeBytes, readDiskSpace } from '#platform/runtime/files/disk-space.ts';
import { openQueue } from '../open-queue.ts';
import { asRunning, findRunning } from '../running.ts';
import type { Command } from './command.ts';
import { checkRotation } from './doctor/doctor-keys.ts';
import { checkQueue } from './doctor/doctor-queue.ts';
import { checkIdentityProvider, checkMail } from './doctor/doctor-services.ts';
import { checkUsage } from './doctor/doctor-usage.ts';
import { checkEnvironment, checkSettings } from './doctor/doctor-settings.ts';
import type { Finding } from './doctor/finding.ts';
import {
  checkBackup,
  checkClock,
  checkConnections,
  checkKeys,
  checkRoles,
  checkRowLevelSecurity,
  checkTasks,
  checkVersion,
  reportSizes,
} from './doctor/doctor-database.ts';

const check = 'disk';

/** The free space of the packaged Postgres. That of another one is not known here. */
async function checkDisk({
  databaseUrl,
  dataDir,
  minFreeDiskBytes,
}: Pick<Config, 'databaseUrl' | 'dataDir' | 'minFreeDiskBytes'>): Promise<Finding> {
  if (databaseUrl !== undefined) {
    const text =
      'the free space of DATABASE_URL is not known here: watch it there. When it is full, webhooks get 503 storage_full.';
    return { check, verdict: 'note', text };
  }
  const space = await readDiskSpace(await clusterDirectory(dataDir));
  const leastBytes = leastFreeBytes(space, minFreeDiskBytes);
  const facts = `${describeSpace(space, leastBytes)}: ${space.directory}`;
  return space.freeBytes >= leastBytes
    ? { check, verdict: 'ok', text: facts }
    : {
        check,
        verdict: 'wrong',
        text: `${facts}. Webhooks and test reports are refused. Free space or enlarge the disk.`,
      };
}

const marks = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' } as const;

export function doctorCommand(config: () => Config): Command {
  return {
    name: 'doctor',
    summary:
      'check disk, database, roles, row-level security, keys, queue, background work, identity provider, mail, clock and addresses, and say what to fix',
    options: { json: { type: 'boolean', help: 'findings as JSON on standard output' } },
    run: async (values) => {
      const settings = config();
      const running = await findRunning(settings.dataDir);
      const findings = [
        ...checkEnvironment(process.env, settings.dataDir, running),
        ...(await examine(await asRunning(settings))),
      ];
      for (const { verdict, check, text } of findings)
        process.stderr.write(`${marks[verdict]}  ${check.padEnd(20)} ${text}\n`);
      if (values['json'] === true) process.stdout.write(`${JSON.stringify(findings)}\n`);
      return findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0;
    },
  };
}

async function examine(config: Config): Promise<Finding[]> {
  return [
    ...(await findingsOf('disk', () => checkDisk(config))),
    ...(await examineDatabase(config)),
    ...(await findingsOf('identity provider', () => checkIdentityProvider(config))),
    ...(await findingsOf('mail', () => checkMail(config))),
    ...checkSettings(config),
  ];
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  const log = makeLog({ logLevel: 'silent' });
  const runtime = await openRuntime(config, log).catch((error: unknown) => error as Error);
  if (runtime instanceof Error) return [databaseFinding(runtime)];
  const client = new pg.Client({ connectionString: runtime.databaseUrl });
  const checks: [string, () => Promise<Finding | Finding[]>][] = [
    ['database', () => checkVersion(client, config)],
    ['connections', () => checkConnections(client, config)],
    ['roles', () => checkRoles(client)],
    ['row-level security', () => checkRowLevelSecurity(client)],
    ['backup', () => checkBackup(client)],
    ['encryption key', () => checkKeys(client, runtime.sealer)],
    ['key rotation', () => checkRotation(runtime, config)],
    ['clock', () => checkClock(client)],
    ['table sizes', () => reportSizes(client)],
    ['quotas', () => checkUsage(client, config)],
    ['background work', () => checkTasks(client)],
    ['queue', () => checkQueue(config, () => openQueue(runtime, config, log))],
  ];
  const findings: Finding[] = [];
  try {
    await client.connect();
    for (const [check, run] of checks) findings.push(...(await findingsOf(check, run)));
    return findings;
  } finally {
    await client.end();
    await runtime.close();
  }
}

function databaseFinding(error: Error): Finding {
  const next =
    error instanceof ConfigError ? '' : ' Also check the owner of DATA_DIR and its free disk space.';
  return { check: 'database', verdict: 'wrong', text: `${error.message.replace(/\.?$/, '.')}${next}` };
}

/** Reports a check that throws as wrong, so that the other checks still run. */
async function findingsOf(check: string, run: () => Promise<Finding | Finding[]>): Promise<Finding[]> {
  try {
    return [await run()].flat();
  } catch (error) {
    return [{ check, verdict: 'wrong', text: `Check failed: ${(error as Error).message}.` }];
  }
}
