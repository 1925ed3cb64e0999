import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { once } from 'node:events';
import net from 'node:net';
import { isAlive, processMark, runsElsewhere } from '../../runtime/processes/process-alive.ts';
import { startTimeoutMs } from './embedded-process.ts';

/**
 * Claims the cluster for this process. Stops the Postgres of a killed process. Refuses while the owning process runs,
 * because two servers would corrupt the files. Returns the function that releases the cluster for the next process.
 */
export async function takeOver(cluster: string): Promise<() => Promise<void>> {
  const ownerFile = `${cluster}.owner`;
  const socketFile = `${cluster}.socket`;
  const owner = (await readFile(ownerFile, 'utf8').catch(() => '')).trim();
  if (await runsElsewhere(owner)) {
    throw new Error(`${cluster} is in use by process ${parseInt(owner)}. Stop it, or set another DATA_DIR.`);
  }
  // A process of another container has an ID that means nothing here.
  if (await isSocketHeld(socketFile)) {
    throw new Error(
      `${cluster} is in use by a process of another container. Run this command in that container, or stop it.`,
    );
  }
  await writeFile(ownerFile, `${await processMark(process.pid)}\n`, { mode: 0o600 });
  const releaseSocket = await holdSocket(socketFile);
  await endOrphan(cluster);
  return async () => {
    await releaseSocket();
    await rm(ownerFile, { force: true });
  };
}

async function endOrphan(cluster: string): Promise<void> {
  const lock = path.join(cluster, 'postmaster.pid');
  const orphan = await readServer(lock);
  if (orphan === undefined || !isAlive(orphan.pid)) return;
  if (!(await runs(orphan.pid, cluster))) {
    // Another process or thread has this ID now, as small IDs come again in containers, and Postgres would take it for its server. The
    // owner file and the socket say that nobody uses the cluster.
    await rm(lock, { force: true });
    return;
  }
  process.kill(orphan.pid, 'SIGINT');
  const deadline = Date.now() + startTimeoutMs;
  while (isAlive(orphan.pid)) {
    if (Date.now() > deadline)
      throw new Error(`An earlier Postgres (process ${orphan.pid}) does not end: stop it, then start again.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Reads the lock file of Postgres, which has the process ID in its first line. */
async function readServer(lock: string): Promise<{ pid: number } | undefined> {
  const [first = ''] = (await readFile(lock, 'utf8').catch(() => '')).split('\n');
  const pid = Number(first);
  return Number.isInteger(pid) && pid > 0 ? { pid } : undefined;
}

/** Checks with /proc, where available, that the process still is this server. */
async function runs(pid: number, what: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return command === undefined || command.includes(what);
}

/**
 * Holds a Unix socket as a lock that ends with its process, because Node has no file locks. Other containers that share the
 * directory see it, while they do not see the process. It locks nothing on file systems without sockets, on Windows, and when
 * the path has more than 107 bytes. Returns the function that releases it.
 */
async function holdSocket(file: string): Promise<() => Promise<void>> {
  const server = net
    .createServer((socket) => socket.destroy())
    // A connection that cannot be accepted is no reason to end the service.
    .on('error', () => {})
    .unref();
  try {
    await rm(file, { force: true });
    await once(server.listen(file), 'listening');
  } catch {
    return async () => {};
  }
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

/** Whether a process, also of another container on this machine, holds the socket. */
async function isSocketHeld(file: string): Promise<boolean> {
  const socket = net.connect(file);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
