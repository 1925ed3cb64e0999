import type { FailureReason } from '#contract/failures/failure-reason.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';

/** The part of a reason that quotes the log. It is encrypted at rest. */
export type SealedPart = Pick<FailureReason, 'excerpts' | 'missing'>;

export interface JobKey {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number;
}

/** Binds a sealed excerpt to its job. */
export const excerptContext = ({ integrationId, runId, attempt, jobId }: JobKey): string =>
  `failure_reasons ${integrationId} ${runId} ${attempt} ${jobId}`;

export function sealExcerpt(sealer: Sealer, key: JobKey, { excerpts, missing }: SealedPart): Buffer {
  const part: SealedPart = { excerpts, missing };
  return sealer.seal(Buffer.from(JSON.stringify(part)), excerptContext(key));
}

/** Without excerpts when nothing is stored. @throws when the value was changed or its key is not configured. */
export function openExcerpt(sealer: Sealer, key: JobKey, sealed: Buffer | null): SealedPart {
  if (sealed === null) return { excerpts: [], missing: null };
  return JSON.parse(sealer.open(sealed, excerptContext(key)).toString()) as SealedPart;
}
