import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ShareLink } from '#contract/integrations/wallboard.ts';
import { Button } from '../ui/button.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { RemovableList } from '../ui/removable-list.tsx';
import { exactTime } from '../ui/time/exact-time.ts';
import { shareLinksPath, shareLinksQuery } from './share-link-queries.ts';

const ShareLinkDialog = lazyPart(
  'share-link-dialog',
  'ShareLinkDialog',
  () => import('./share-link-dialog.tsx'),
);

/** The wallboard, and links to it for screens without an account. Only admins and the owner see the links. */
export function WallboardSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot see or change the links. */
  reason: string | undefined;
}) {
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title="Wallboard"
      note="The state of each workflow for a large screen. A share link shows it without an account."
      end={
        <Button reason={reason} onClick={() => setCreating(true)}>
          Create share link…
        </Button>
      }
    >
      <Link to="/wall/$integrationId" params={{ integrationId }} className="text-accent underline">
        Open the wallboard
      </Link>
      {reason === undefined && (
        <div className="mt-2">
          <Links integrationId={integrationId} />
        </div>
      )}
      {isCreating && <ShareLinkDialog integrationId={integrationId} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function Links({ integrationId }: { integrationId: string }) {
  const remove = useRemove(shareLinksPath(integrationId));
  const links = useQuery(shareLinksQuery(integrationId));
  return (
    <Loaded reading={links} what="share links" skeletonRows={1}>
      {(all) => (
        <RemovableList
          label="Share links"
          items={all}
          keyOf={({ linkId }) => linkId}
          nameOf={({ name }) => name}
          renderDetails={({ filter, createdAt }) => (
            <p className="text-muted">
              {filterText(filter)}, created {exactTime(createdAt)}
            </p>
          )}
          action="Revoke"
          warn={() => 'Screens that show it lose the wallboard within seconds.'}
          onRemove={({ linkId }) => remove('Share link revoked', linkId)}
        />
      )}
    </Loaded>
  );
}

function filterText({ repository, workflow }: ShareLink['filter']): string {
  const parts = [workflow, repository].flatMap((part) => part?.replaceAll(',', ', ') ?? []);
  return parts.length === 0 ? 'All workflows' : parts.join(' of ');
}
