import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '#platform/runtime/process-alive.ts';

/** What a running `serve` leaves in `DATA_DIR`, so that other commands find it. */
export interface Running {
  pid: number;
  /** Where it listens, for commands on this machine. */
  localUrl: string;
  /** As browsers and the forge see it. */
  publicUrl: string;
  databaseUrl: string;
}

const fileIn = (dataDir: string): string => path.join(dataDir, 'running.json');

/** Readable by the owner alone: it holds the way into the database. */
export async function announceRunning(dataDir: string, running: Running): Promise<void> {
  await writeFile(fileIn(dataDir), JSON.stringify(running), { mode: 0o600 });
}

export async function withdrawRunning(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/**
 * The `serve` that runs on this directory; undefined when there is none, or when it was killed. It need not answer: one
 * that is busy still owns the database, and a second server on the same files would destroy them.
 */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const running = parse(text);
  return running !== undefined && (await isForgewatch(running.pid)) ? running : undefined;
}

/** A process id may belong to something else by now; where /proc can tell, it must be one of ours. */
async function isForgewatch(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return command === undefined || command.includes('forgewatch');
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
    [texts.localUrl, texts.publicUrl, texts.databaseUrl].every((text) => typeof text === 'string')
  );
}
