import { createHmac } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Tx } from '#platform/database/database.ts';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import { countMails } from './store.ts';

export interface MailQuota {
  /** What is counted, such as `invitations of <user>`; stored as a keyed hash. */
  counted: string;
  mails?: number;
  /** In a day, which begins with its first mail. */
  most: number;
}

/** The key of what is counted, the same in all processes. */
export function mailCountKey([masterKey]: readonly [Buffer, ...Buffer[]]): Buffer {
  return deriveKey(masterKey, 'mail-counts');
}

/**
 * Counts mails of the day, in all processes together, and returns undefined. Above the limit it counts nothing and returns
 * in how many seconds the day ends. Each count is locked until the transaction ends.
 */
export async function limitMails(
  tx: Tx,
  countKey: Buffer,
  { counted, mails = 1, most }: MailQuota,
): Promise<number | undefined> {
  const countedHash = createHmac('sha256', countKey).update(counted).digest();
  const waitSeconds = await countMails(tx, countedHash, mails, most);
  return waitSeconds === undefined ? undefined : Math.max(1, Math.ceil(waitSeconds));
}

/** Where mail to the address arrives: a tag after a plus sign, and upper case, lead to the same mailbox. */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const name = email.slice(0, at).toLowerCase();
  const domain = email.slice(at + 1).toLowerCase();
  const tag = name.indexOf('+', 1);
  return `${tag === -1 ? name : name.slice(0, tag)}@${domainToASCII(domain) || domain}`;
}
