import { useMutation, useQuery } from '@tanstack/react-query';
import type { ForgeAppSetup, ForgeAppState } from '#contract/integrations/forge-app.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';
import { Button } from '../ui/button.tsx';
import { FormError } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { Installation } from './installation.tsx';
import { keepSetup } from './pending-setup.ts';

const askEveryMs = 5000;

export const forgeAppPath = (integrationId: string): string => `/api/integrations/${integrationId}/forge-app`;

/** The linked organizations and the state of their syncs. */
export function ForgeAppSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot change it. */
  reason: string | undefined;
}) {
  const path = forgeAppPath(integrationId);
  const reading = useQuery({ ...jsonQuery<ForgeAppState>(path), refetchInterval: readEvery(askEveryMs) });
  const install = useMutation({
    mutationFn: () => sendJson<ForgeAppSetup>('POST', `${path}/setup`),
    onSuccess: ({ installUrl, proof }) => {
      keepSetup({ integrationId, proof });
      location.assign(installUrl);
    },
  });
  return (
    <Section
      title="Forge application"
      note="Members of a linked organization are added and removed automatically. Webhooks are created in its repositories."
    >
      <Loaded reading={reading} what="forge application" skeletonRows={1}>
        {({ isConfigured, installations }) => (
          <div className="flex flex-col gap-3">
            {installations.map((installation) => (
              <Installation
                key={installation.installationId}
                path={path}
                installation={installation}
                reason={reason}
              />
            ))}
            {install.error && <FormError error={install.error} />}
            {isConfigured ? (
              <div>
                <Button
                  reason={reason}
                  disabled={install.isPending}
                  aria-busy={install.isPending}
                  onClick={() => install.mutate()}
                >
                  Link an organization…
                </Button>
              </div>
            ) : (
              <p className="text-muted">
                Not configured. The operator creates a forge application and sets FORGE_APP_ID,
                FORGE_APP_PRIVATE_KEY and FORGE_APP_SLUG.
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Section>
  );
}
