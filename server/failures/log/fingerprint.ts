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
