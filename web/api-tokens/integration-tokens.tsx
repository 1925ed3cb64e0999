import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IntegrationToken, IntegrationTokenRole } from '#contract/members/api-tokens.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, FieldGroup } from '../ui/form/field.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { TokenDialog } from './token-dialog.tsx';
import { TokenList } from './token-list.tsx';
import { integrationTokens, tokensQuery } from './token-queries.ts';

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
          renderRights={({ role, createdBy }) => (
            <>
              Role {role}
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

const roles: { role: IntegrationTokenRole; hint: string }[] = [
  { role: 'viewer', hint: 'Reads lists, runs, metrics and live updates.' },
  { role: 'member', hint: 'Also changes what members may change, such as notification rules.' },
];

function CreateDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const [chosen, setChosen] = useState<IntegrationTokenRole>('viewer');
  return (
    <TokenDialog path={path} rights={{ role: chosen }} onClose={onClose}>
      <FieldGroup label="Role" name="role">
        {roles.map(({ role, hint }) => (
          <CheckField
            key={role}
            type="radio"
            name="token-role"
            label={role}
            hint={hint}
            checked={role === chosen}
            onChange={() => setChosen(role)}
          />
        ))}
      </FieldGroup>
    </TokenDialog>
  );
}
