import { useIntegrationParams } from '../integrations/integration-params.ts';
import { clip } from '../ui/text/clip.ts';
import { TextLink } from '../ui/text/text-link.tsx';

/** A link from a failed job to its failure group. */
export function SameFailures({ groupId, job }: { groupId: string; job: string }) {
  const params = { ...useIntegrationParams(), groupId };
  return (
    <TextLink to="/integrations/$integrationId/failures/$groupId" params={params}>
      This failure elsewhere<span className="sr-only">: {clip(job)}</span>
    </TextLink>
  );
}
