import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '#platform/runtime/settings/config.ts';
import { canOfferDemo } from '#platform/runtime/settings/demo-settings.ts';
import { processMark, runsElsewhere } from '#platform/runtime/process-alive.ts';

/** What a running `serve` leaves in `DATA_DIR`, so that other commands find it. */
export interface Running {
  pid: number;
  /** Tells it from a later process of the same id. */
  processMark: string;
  /** Where it listens, for commands on this machine. */
  localUrl: string;
  /** As browsers and the forge see it. */
  publicUrl: string;
  databaseUrl: string;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'running.json');

/** Of this process. Readable by the owner alone: it holds the way into the database. */
export async function announceRunning(
  dataDir: string,
  addresses: Omit<Running, 'pid' | 'processMark'>,
): Promise<void> {
  const { pid } = process;
  const running: Running = { pid, processMark: (await processMark(pid)) ?? String(pid), ...addresses };
  await writeFile(fileIn(dataDir), JSON.stringify(running), { mode: 0o600 });
}

export async function withdrawRunning(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/**
 * The other `serve` that runs on this directory; undefined when there is none, or when it was killed. It need not answer:
 * one that is busy still owns the database, and a second server on the same files would destroy them.
 */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const running = parse(text);
  return running !== undefined && (await runsElsewhere(running.processMark)) ? running : undefined;
}

/** The settings of a command; a server that runs may have been started with another address than it. */
export async function asRunning(settings: Config): Promise<Config> {
  const running = await findRunning(settings.dataDir);
  if (running === undefined) return settings;
  const { publicUrl } = running;
  return {
    ...settings,
    publicUrl,
    demoSignIn: settings.demoSignIn && canOfferDemo({ ...settings, publicUrl }),
  };
}

function parse(text: string): Running | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRunning(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** By hand: it is looked at before Postgres is started, which a library for schemas would hold up. */
function isRunning(value: unknown): value is Running {
  const { pid, ...texts } = { ...(value as Partial<Running>) };
  return (
    Number.isInteger(pid) &&
    [texts.processMark, texts.localUrl, texts.publicUrl, texts.databaseUrl].every(
      (text) => typeof text === 'string',
    )
  );
}
