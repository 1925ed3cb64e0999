import { useQuery } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import type { Badge } from '#contract/integrations/badges.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { CopyText } from '../ui/text/copy-text.tsx';
import { badgesPath, badgesQuery, markdownOf } from './badge-queries.ts';

const BadgeDialog = lazyPart('badge-dialog', 'BadgeDialog', () => import('./badge-dialog.tsx'));

/** Public images of the state of workflows. Everybody sees them, admins create and remove them. */
export function BadgeSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot change them. */
  reason: string | undefined;
}) {
  const [isCreating, setCreating] = useState(false);
  const badges = useQuery(badgesQuery(integrationId));
  return (
    <Section
      title="Badges"
      note="A badge shows in a README whether a workflow passes. Everybody who knows its address sees it, also without an account."
      end={
        <Button reason={reason} onClick={() => setCreating(true)}>
          Create badge…
        </Button>
      }
    >
      <Loaded reading={badges} what="badges" skeletonRows={1}>
        {(all) => <BadgeList integrationId={integrationId} badges={all} reason={reason} />}
      </Loaded>
      {isCreating && <BadgeDialog integrationId={integrationId} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function BadgeList({
  integrationId,
  badges,
  reason,
}: {
  integrationId: string;
  badges: readonly Badge[];
  reason: string | undefined;
}) {
  const remove = useRemove(badgesPath(integrationId));
  const [removing, setRemoving] = useState<Badge>();
  if (badges.length === 0)
    return <p className="text-muted">No badges. Nothing of this integration is public.</p>;
  return (
    <>
      <ul aria-label="Badges" className="flex flex-col gap-4">
        {badges.map((badge) => (
          <li key={badge.badgeId} className="flex flex-col gap-1">
            <div className="flex items-center justify-between gap-4">
              <p className="min-w-0 break-words">
                <bdi className="font-medium">{badge.workflow}</bdi> of <bdi>{badge.repository}</bdi> on{' '}
                {badge.branch === null ? 'the default branch' : <bdi>{badge.branch}</bdi>}
              </p>
              <IconButton
                label={`Remove the badge of ${badge.workflow}`}
                reason={reason}
                onClick={() => setRemoving(badge)}
              >
                <Trash2 size={15} aria-hidden />
              </IconButton>
            </div>
            <img src={`/badge/${badge.badgeId}.svg`} alt="The badge" height={20} className="h-5 self-start" />
            <CopyText name="Markdown" text={markdownOf(badge, integrationId)} />
          </li>
        ))}
      </ul>
      {removing && (
        <ConfirmDialog
          title={`Remove the badge of ${removing.workflow}?`}
          action="Remove"
          onConfirm={() => remove('Badge removed', removing.badgeId)}
          onClose={() => setRemoving(undefined)}
        >
          <p>Pages that show it show a broken image. A new badge has another address.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
