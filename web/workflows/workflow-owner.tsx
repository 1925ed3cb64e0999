import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Owner, OwnerAnswer, OwnerQuery } from '#contract/alerts/workflow-owners.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { clip } from '../ui/text/clip.ts';

const OwnerDialog = lazyPart('owner-dialog', 'OwnerDialog', () => import('./owner-dialog.tsx'));

const ownerQuery = (integrationId: string, place: OwnerQuery) => {
  const path = `/api/integrations/${integrationId}/workflow-owner${queryString({ ...place })}`;
  return queryOptions({ queryKey: [path], queryFn: ({ signal }) => getJson<OwnerAnswer>(path, signal) });
};

const nameOf = ({ email, name }: Owner): string => clip(email ?? name ?? 'a member', 80);

/** Who is responsible for the workflow, and a dialog that changes it. */
export function WorkflowOwner({ integrationId, ...place }: OwnerQuery & { integrationId: string }) {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const reason = useRoleReason(integrationId, 'admin');
  const { data } = useQuery(ownerQuery(integrationId, place));
  const { owner, ofRepository } = data ?? { owner: null, ofRepository: false };
  return (
    // Keeps its room until the owner is known.
    <div className={`contents ${data === undefined ? 'invisible' : ''}`}>
      <span className="text-xs wrap-anywhere text-muted">
        {owner === null ? (
          'No owner'
        ) : (
          <>
            Owner{ofRepository && ' of the repository'}: <bdi>{nameOf(owner)}</bdi>
          </>
        )}
      </span>
      <Button reason={reason} onClick={() => setOpen(true)}>
        {owner === null ? 'Set owner…' : 'Change owner…'}
      </Button>
      {isOpen && data && (
        <OwnerDialog
          integrationId={integrationId}
          place={place}
          known={data}
          onSaved={() => client.invalidateQueries()}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
