import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ForgeConnectionState } from '#contract/integrations/forge-connection.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { Connection } from './token-connection.tsx';
import { TokenForm } from './token-form.tsx';

const askEveryMs = 5000;

/** The connection to a forge by access token, and the state of its webhooks and history. */
export function TokenSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot change it. */
  reason: string | undefined;
}) {
  const path = `/api/integrations/${integrationId}/forge-connection`;
  const client = useQueryClient();
  const reading = useQuery({
    ...jsonQuery<ForgeConnectionState>(path),
    refetchInterval: readEvery(askEveryMs),
  });
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  return (
    <Section
      title="Forge access token"
      note="Creates the webhooks of the repositories that you choose on GitHub, Gitea or Forgejo, reads their history, and re-runs."
    >
      <Loaded reading={reading} what="forge access token" skeletonRows={1}>
        {({ connection }) =>
          connection === null ? (
            <TokenForm path={path} reason={reason} onSaved={readAgain} />
          ) : (
            <Connection path={path} connection={connection} reason={reason} onChange={readAgain} />
          )
        }
      </Loaded>
    </Section>
  );
}
