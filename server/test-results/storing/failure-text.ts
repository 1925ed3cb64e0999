import type { Sealer } from '#platform/runtime/secrets/sealing.ts';

/** What a failed test said. It is encrypted at rest, because it quotes whatever the test prints. */
export interface FailureText {
  message: string | null;
  trace: string | null;
}

interface FailureKey {
  integrationId: string;
  testId: string;
  reportId: string;
}

/** Binds a sealed text to its failure. */
export const failureTextContext = ({ integrationId, testId, reportId }: FailureKey): string =>
  `test_failures ${integrationId} ${testId} ${reportId}`;

export function sealFailureText(
  sealer: Sealer,
  key: FailureKey,
  { message, trace }: FailureText,
): Buffer | null {
  if (message === null && trace === null) return null;
  return sealer.seal(Buffer.from(JSON.stringify({ message, trace })), failureTextContext(key));
}

/** @throws when the value was changed or its key is not configured. */
export function openFailureText(sealer: Sealer, key: FailureKey, sealed: Buffer | null): FailureText {
  if (sealed === null) return { message: null, trace: null };
  return JSON.parse(sealer.open(sealed, failureTextContext(key)).toString()) as FailureText;
}
