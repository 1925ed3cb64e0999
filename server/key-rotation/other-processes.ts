import type { Database } from '#platform/database/database.ts';
import { listProcesses } from './rotation-store.ts';

/** What a process calls its sessions, which names the key that it seals with. */
export const processName = (role: string, keyId: string): string => `${role} seals with ${keyId}`;

/** Whether a process is connected that seals with another key. */
export async function hasOtherProcesses(owner: Database, keyId: string): Promise<boolean> {
  const processes = await owner.withScope('service', (tx) => listProcesses(tx, processName('%', '%')));
  return processes.some((name) => !name.endsWith(processName('', keyId)));
}
