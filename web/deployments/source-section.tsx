import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeploymentSource, DeploymentSourcePage } from '#contract/metrics/deployments.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { RemovableList } from '../ui/removable-list.tsx';
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
  if (sources.length === 0)
    return <p className="text-muted">Nothing is declared as production. No deployment counts.</p>;
  return (
    <RemovableList
      label="Deployments to production"
      items={sources}
      keyOf={({ sourceId }) => sourceId}
      nameOf={nameOf}
      renderDetails={({ environment, job, repository }) => (
        <p className="break-words text-muted">
          {environment === null ? (
            <>
              {job === null ? 'Runs' : 'Jobs'} on the default branch of <bdi>{repository}</bdi>
            </>
          ) : (
            'Environment of all repositories'
          )}
        </p>
      )}
      reason={reason}
      warn={() =>
        'Its deployments count no more, also those of the past. Declared again, they all count again.'
      }
      onRemove={({ sourceId }) => remove('Removed', sourceId)}
    />
  );
}

const nameOf = ({ environment, workflow, job }: DeploymentSource): string =>
  environment ?? (job === null ? `${workflow}` : `${workflow} · ${job}`);
