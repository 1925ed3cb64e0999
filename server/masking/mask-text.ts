import { allSecrets, findSecrets, findTokens } from './find-secrets.ts';
import { mask, masked, type TextRange } from './mask.ts';
import { PrivateKeys } from './private-keys.ts';
import { SecretLines } from './secret-lines.ts';

/** A text that a person writes, such as a title or a name, without tokens, private keys and passwords in URLs. */
export function maskProse(text: string): string {
  return maskLines(text, findTokens);
}

/** A step without a name is called after its script, so its name quotes a command. */
export function maskStepName(name: string): string {
  return maskLines(name, name.startsWith('Run ') ? findSecrets : findTokens);
}

/** What a program printed, such as the message of a failed test. */
export function maskLog(text: string): string {
  const secrets = new SecretLines();
  const lines = text.split('\n');
  return lines
    .map((line, index) => masked(line, allSecrets(line, secrets.find(line, lines[index + 1] ?? ''))))
    .join('\n');
}

function maskLines(text: string, find: (line: string) => TextRange[]): string {
  const keys = new PrivateKeys();
  const maskLine = (line: string): string => (keys.isKey(line) ? mask : masked(line, find(line)));
  return text.includes('\n') ? text.split('\n').map(maskLine).join('\n') : maskLine(text);
}
