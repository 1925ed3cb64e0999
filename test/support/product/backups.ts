import assert from 'node:assert/strict';
import { runProduct } from './product-process.ts';

export const backupPassphrase = 'correct horse battery staple';

/** Runs `backup` or `restore`, which must succeed. Returns what it prints. */
export async function runBackup<Summary>(args: string[], env: NodeJS.ProcessEnv): Promise<Summary> {
  const { code, stdout, stderr } = await runProduct(args, { BACKUP_PASSPHRASE: backupPassphrase, ...env });
  assert.equal(code, 0, stderr);
  assert.ok(!`${stdout}${stderr}`.includes(backupPassphrase));
  return JSON.parse(stdout) as Summary;
}
