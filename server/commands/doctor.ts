import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Config } from '#platform/runtime/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import { isDemoDeployment } from '#server/identity-provider/this-machine.ts';
import { openDeployment } from '../deployment.ts';
import { openQueue } from '../open-queue.ts';
import { findRunning } from '../running.ts';
import type { Command } from './command.ts';
import { checkQueue } from './doctor-queue.ts';
import { checkIdentityProvider, checkMail } from './doctor-services.ts';
import {
  checkClock,
  checkRoles,
  checkRowLevelSecurity,
  checkVersion,
  reportSizes,
} from './doctor-database.ts';

/** `wrong` needs mending, `note` is worth knowing. */
export interface Finding {
  check: string;
  verdict: 'ok' | 'note' | 'wrong';
  text: string;
}

const marks = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' } as const;

export function doctorCommand(config: () => Config): Command {
  return {
    name: 'doctor',
    summary:
      'check database, roles, row-level security, queue, identity provider, mail and clock, and say what to mend',
    options: { json: { type: 'boolean', help: 'findings as JSON on standard output' } },
    run: async (values) => {
      const settings = config();
      // A server that runs may have been started with another address than this command.
      const publicUrl = (await findRunning(settings.dataDir))?.publicUrl ?? settings.publicUrl;
      const findings = await examine({ ...settings, publicUrl });
      for (const { verdict, check, text } of findings)
        process.stderr.write(`${marks[verdict]}  ${check.padEnd(20)} ${text}\n`);
      if (values['json'] === true) process.stdout.write(`${JSON.stringify(findings)}\n`);
      return findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0;
    },
  };
}

async function examine(config: Config): Promise<Finding[]> {
  const log = makeLog({ logLevel: 'silent' });
  const deployment = await openDeployment(config, log).catch((error: unknown) => error as Error);
  if (deployment instanceof Error) {
    return [
      {
        check: 'database',
        verdict: 'wrong',
        text: `${deployment.message}. Check ${config.databaseUrl === undefined ? 'DATA_DIR and its owner' : 'DATABASE_URL'}.`,
      },
    ];
  }
  const client = new pg.Client({ connectionString: deployment.databaseUrl });
  try {
    await client.connect();
    return [
      await checkVersion(client),
      await checkRoles(client),
      await checkRowLevelSecurity(client),
      await checkClock(client),
      await reportSizes(client),
      ...(await checkQueue(config, () => openQueue(deployment, config, log))),
      await checkIdentityProvider(config),
      await checkMail(config),
      ...checkSettings(config),
    ];
  } finally {
    await client.end();
    await deployment.close();
  }
}

function checkSettings(config: Config): Finding[] {
  const site = path.join(import.meta.dirname, '../../dist/web/index.html');
  return [
    existsSync(site)
      ? { check: 'web app', verdict: 'ok', text: 'built' }
      : { check: 'web app', verdict: 'wrong', text: 'not built. Run: npm run build' },
    isDemoDeployment(config)
      ? {
          check: 'public address',
          verdict: 'note',
          text: `${config.publicUrl} can be reached from this machine only; set PUBLIC_URL and HOST for a forge elsewhere.`,
        }
      : { check: 'public address', verdict: 'ok', text: config.publicUrl },
    config.alarmWebhookUrl === undefined && config.alarmEmail === undefined
      ? {
          check: 'alarm',
          verdict: 'note',
          text: 'ALARM_WEBHOOK_URL and ALARM_EMAIL are unset: dead letters are told in the log and the metrics alone.',
        }
      : { check: 'alarm', verdict: 'ok', text: 'goes to whom the settings name' },
  ];
}
