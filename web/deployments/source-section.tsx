import { useQuery } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import type { DeploymentSource, DeploymentSourcePage } from '#contract/metrics/deployments.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { clip } from '../ui/text/clip.ts';
import { useRemove } from '../ui/use-remove.ts';

const SourceDialog = lazyPart('source-dialog', 'SourceDialog', () => import('./source-dialog.tsx'));

/** What counts as a deployment to production. Everybody sees it, admins declare it. */
export function DeploymentSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot change it. */
  reason: string | undefined;
}) {
  const path = `/api/integrations/${integrationId}/deployment-sources`;
  const [isAdding, setAdding] = useState(false);
  const reading = useQuery(jsonQuery<DeploymentSourcePage>(path));
  return (
    <Section
      title="Deployments"
      note="Health counts deployments to production: those of the environments and workflows that are declared here, and no others."
      end={
        <Button reason={reason} onClick={() => setAdding(true)}>
          Declare production…
        </Button>
      }
    >
      <Loaded reading={reading} what="deployments" skeletonRows={1}>
        {(page) => (
          <>
            <SourceList path={path} sources={page.items} reason={reason} />
            {isAdding && (
              <SourceDialog
                integrationId={integrationId}
                path={path}
                page={page}
                onClose={() => setAdding(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function SourceList({
  path,
  sources,
  reason,
}: {
  path: string;
  sources: readonly DeploymentSource[];
  reason: string | undefined;
}) {
  const remove = useRemove(path);
  const [removing, setRemoving] = useState<DeploymentSource>();
  if (sources.length === 0)
    return <p className="text-muted">Nothing is declared as production. No deployment counts.</p>;
  return (
    <>
      <ul aria-label="Deployments to production">
        {sources.map((source) => (
          <li
            key={source.sourceId}
            className="flex items-start justify-between gap-4 border-t border-line py-2 first:border-t-0"
          >
            <div className="min-w-0">
              <bdi className="font-medium break-words">{nameOf(source)}</bdi>
              <p className="break-words text-muted">
                {source.environment === null ? (
                  <>
                    {source.job === null ? 'Runs' : 'Jobs'} on the default branch of{' '}
                    <bdi>{source.repository}</bdi>
                  </>
                ) : (
                  'Environment of all repositories'
                )}
              </p>
            </div>
            <IconButton
              label={`Remove ${nameOf(source)}`}
              reason={reason}
              onClick={() => setRemoving(source)}
            >
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {removing && (
        <ConfirmDialog
          title={`Remove ${clip(nameOf(removing), 80)}?`}
          action="Remove"
          onConfirm={() => remove('Removed', removing.sourceId)}
          onClose={() => setRemoving(undefined)}
        >
          <p>Its deployments count no more, also those of the past. Declared again, they all count again.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const nameOf = ({ environment, workflow, job }: DeploymentSource): string =>
  environment ?? (job === null ? `${workflow}` : `${workflow} · ${job}`);
