import { createHash } from 'node:crypto';
import { normalizeErrorLine } from './normalize/rules.ts';

export interface FailureIdentity {
  workflowPath: string;
  jobName: string;
  stepName: string | null;
  errorLine: string | null;
}

/** Equal for failures with the same cause: 32 hexadecimal digits. */
export function fingerprint({ workflowPath, jobName, stepName, errorLine }: FailureIdentity): string {
  const parts = [workflowPath, withoutMatrix(jobName), stepName, normalizeErrorLine(errorLine ?? '')];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** A matrix adds its values in parentheses to the name of the job, or of the calling job before ` / `. */
function withoutMatrix(jobName: string): string {
  return jobName
    .split(' / ')
    .map((part) => (part.endsWith(')') && part.includes(' (') ? part.slice(0, part.indexOf(' (')) : part))
    .join(' / ');
}

/** The id of the group: equal for the same fingerprint in the same repository. Its form is that of a UUID. */
export function groupIdOf(repository: string, fingerprint: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([repository, fingerprint]))
    .digest('hex');
  // Version 8 is for custom contents (RFC 9562).
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
