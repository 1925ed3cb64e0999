import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenPrefix } from '#contract/members/api-tokens.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 178 random bits: a token cannot be guessed. */
const secretLength = 30;

/** The largest CRC-32 has six digits in base 62. */
const checksumLength = 6;

const form = new RegExp(`^${tokenPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/**
 * A new token: `fw_`, 30 random digits of base 62 and their CRC-32 as 6 digits. These are the rules of GitHub's tokens, so
 * that a scanner can tell a leaked token from other text without asking anybody:
 * https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
 */
export function makeToken(): string {
  const secret = Array.from({ length: secretLength }, () => digits[randomInt(digits.length)]).join('');
  return `${tokenPrefix}${secret}${checksumOf(secret)}`;
}

/** False for texts that this service has not made. They need no question to the database. */
export function isWellFormedToken(text: string): boolean {
  if (!form.test(text)) return false;
  const secret = text.slice(tokenPrefix.length, -checksumLength);
  return text.endsWith(checksumOf(secret));
}

/** CRC-32 in base 62 with leading zeros. */
export function checksumOf(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  while (text.length < checksumLength) {
    text = `${digits[rest % digits.length]}${text}`;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}

/** What is stored. A token has enough random bits that a plain hash cannot be reversed. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
