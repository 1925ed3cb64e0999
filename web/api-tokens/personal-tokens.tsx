import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PersonalToken, TokenScope } from '#contract/members/api-tokens.ts';
import type { User } from '#contract/members/identity.ts';
import { IntegrationChoice } from '../integrations/integration-choice.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { CheckField, FieldGroup } from '../ui/form/field.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { TokenDialog } from './token-dialog.tsx';
import { TokenList } from './token-list.tsx';
import { personalTokens, tokensQuery } from './token-queries.ts';

type Memberships = User['memberships'];

/** API tokens that act as the person. */
export function PersonalTokens({ memberships }: { memberships: Memberships }) {
  const [isCreating, setCreating] = useState(false);
  const [isRevoking, setRevoking] = useState(false);
  const remove = useRemove(personalTokens);
  const tokens = useQuery(tokensQuery<PersonalToken>(personalTokens));
  return (
    <Section
      title="API tokens"
      note="Programs use the API with a token. It never allows more than your role does at that moment."
      end={<Button onClick={() => setCreating(true)}>Create token…</Button>}
    >
      <Loaded reading={tokens} what="API tokens" skeletonRows={2}>
        {(all) => (
          <TokenList
            path={personalTokens}
            tokens={all}
            renderRights={({ scopes, integrationIds }) =>
              `${rightsOf(scopes)}, ${placesOf(integrationIds, memberships)}`
            }
          />
        )}
      </Loaded>
      {(tokens.data?.length ?? 0) > 1 && (
        <div className="mt-3">
          <Button variant="danger" onClick={() => setRevoking(true)}>
            Revoke all…
          </Button>
        </div>
      )}
      {isRevoking && (
        <ConfirmDialog
          title="Revoke all your API tokens?"
          action="Revoke all"
          onConfirm={() => remove('All API tokens revoked')}
          onClose={() => setRevoking(false)}
        >
          <p>Programs that use one of them are refused immediately.</p>
        </ConfirmDialog>
      )}
      {isCreating && <CreateDialog memberships={memberships} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function rightsOf(scopes: readonly TokenScope[]): string {
  if (scopes.includes('write')) return 'Read and write';
  return scopes.includes('read') ? 'Read only' : 'Uploads test reports';
}

function placesOf(integrationIds: readonly string[] | null, memberships: Memberships): string {
  if (integrationIds === null) return 'all my integrations';
  const labels = memberships.flatMap((one) =>
    integrationIds.includes(one.integrationId) ? [one.label] : [],
  );
  return labels.length === 0 ? 'no integration of mine' : labels.join(', ');
}

function CreateDialog({ memberships, onClose }: { memberships: Memberships; onClose: () => void }) {
  const [scope, setScope] = useState<TokenScope>('read');
  const [chosen, setChosen] = useState<string[] | null>(null);
  return (
    <TokenDialog
      path={personalTokens}
      rights={{
        scopes: scope === 'write' ? ['read', 'write'] : [scope],
        ...(chosen && { integrationIds: chosen }),
      }}
      onClose={onClose}
    >
      <FieldGroup label="Access" name="scopes">
        <CheckField
          type="radio"
          name="scope"
          label="Read only"
          hint="Lists, runs, metrics and live updates."
          checked={scope === 'read'}
          onChange={() => setScope('read')}
        />
        <CheckField
          type="radio"
          name="scope"
          label="Read and write"
          hint="Everything that your role allows. Changes name the token in the event log."
          checked={scope === 'write'}
          onChange={() => setScope('write')}
        />
        <CheckField
          type="radio"
          name="scope"
          label="Test reports"
          hint="Only uploads test reports from jobs."
          checked={scope === 'reports'}
          onChange={() => setScope('reports')}
        />
      </FieldGroup>
      {memberships.length > 1 && (
        <IntegrationChoice memberships={memberships} chosen={chosen} onChange={setChosen} />
      )}
    </TokenDialog>
  );
}
