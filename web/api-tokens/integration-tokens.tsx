import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IntegrationToken } from '#contract/members/api-tokens.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { TokenList } from './token-list.tsx';
import { integrationTokens, tokensQuery } from './token-queries.ts';

const CreateDialog = lazyPart(
  'integration-token-dialog',
  'IntegrationTokenDialog',
  () => import('./integration-token-dialog.tsx'),
);

/** API tokens that belong to the integration. Only admins and the owner see them. */
export function IntegrationTokens({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot see or change them. */
  reason: string | undefined;
}) {
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title="API tokens"
      note="They belong to the integration and keep working when the person who created them leaves."
      end={
        <Button reason={reason} onClick={() => setCreating(true)}>
          Create token…
        </Button>
      }
    >
      {reason === undefined ? (
        <Tokens path={integrationTokens(integrationId)} />
      ) : (
        <p className="text-muted">{reason}.</p>
      )}
      {isCreating && (
        <CreateDialog path={integrationTokens(integrationId)} onClose={() => setCreating(false)} />
      )}
    </Section>
  );
}

function Tokens({ path }: { path: string }) {
  const tokens = useQuery(tokensQuery<IntegrationToken>(path));
  return (
    <Loaded reading={tokens} what="API tokens" skeletonRows={2}>
      {(all) => (
        <TokenList
          path={path}
          tokens={all}
          renderRights={({ role, scopes, createdBy }) => (
            <>
              {scopes.includes('reports') ? 'Uploads test reports' : `Role ${role}`}
              {createdBy !== null && createdBy.name !== null && (
                <>
                  , created by <bdi>{createdBy.name}</bdi>
                </>
              )}
            </>
          )}
        />
      )}
    </Loaded>
  );
}
