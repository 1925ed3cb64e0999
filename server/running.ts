import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '#platform/runtime/settings/config.ts';
import { canOfferDemo } from '#platform/runtime/settings/demo-settings.ts';
import packageJson from '../package.json' with { type: 'json' };
import { processMark, runsElsewhere } from '#platform/runtime/processes/process-alive.ts';

/** Describes a running `serve`. Written to `DATA_DIR` for other commands. */
export interface Running {
  pid: number;
  version: string;
  /** Distinguishes the process from a later one with the same ID. */
  processMark: string;
  /** Base URL for commands on this machine. */
  localUrl: string;
  /** Base URL for browsers and the forge. */
  publicUrl: string;
  webOrigins: readonly string[];
  databaseUrl: string;
  /** Where the forge of the sample traffic listens; missing where it does not run. */
  sampleForgeUrl?: string | undefined;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'running.json');

/** Announces this process. The file is private, because it contains the database password. */
export async function announceRunning(
  dataDir: string,
  addresses: Omit<Running, 'pid' | 'processMark' | 'version'>,
): Promise<void> {
  const { pid } = process;
  const mark = (await processMark(pid)) ?? String(pid);
  const running: Running = { pid, version: packageJson.version, processMark: mark, ...addresses };
  await writeFile(fileIn(dataDir), JSON.stringify(running), { mode: 0o600 });
}

export async function withdrawRunning(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/**
 * Finds another running `serve` on this directory. Does not check whether it answers: a busy one still owns the database,
 * and a second server on the same files would corrupt them.
 */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const running = parse(text);
  return running !== undefined && (await runsElsewhere(running.processMark)) ? running : undefined;
}

/** Settings of a command, with the public URL and the origins of the running server, which may have been started with others. */
export async function asRunning(settings: Config): Promise<Config> {
  const running = await findRunning(settings.dataDir);
  if (running === undefined) return settings;
  const { publicUrl, webOrigins } = running;
  return {
    ...settings,
    publicUrl,
    webOrigins,
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

/** Validated by hand, because loading a schema library would delay the start of Postgres. */
function isRunning(value: unknown): value is Running {
  const { pid, webOrigins, sampleForgeUrl = '', ...texts } = { ...(value as Partial<Running>) };
  return (
    Number.isInteger(pid) &&
    Array.isArray(webOrigins) &&
    typeof sampleForgeUrl === 'string' &&
    [texts.version, texts.processMark, texts.localUrl, texts.publicUrl, texts.databaseUrl].every(
      (text) => typeof text === 'string',
    )
  );
}
