import type { ReactNode } from 'react';
import { clip } from '../ui/text/clip.ts';
import { TextLink } from '../ui/text/text-link.tsx';

/** A link to the log of a job, or to a line of it. */
export function LogLink({
  integrationId,
  runId,
  jobId,
  job,
  line,
  children,
}: {
  integrationId: string;
  runId: number;
  jobId: number;
  job: string;
  line?: number | undefined;
  children: ReactNode;
}) {
  return (
    <TextLink
      to="/integrations/$integrationId/runs/$runId/jobs/$jobId/log"
      params={{ integrationId, runId: String(runId), jobId: String(jobId) }}
      search={line === undefined ? {} : { line }}
    >
      {children}
      <span className="sr-only"> of {clip(job)}</span>
    </TextLink>
  );
}
