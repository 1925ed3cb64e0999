import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Unlink from 'lucide-react/icons/unlink';
import { useState } from 'react';
import type { ForgeAppSetup, ForgeAppState, LinkedInstallation } from '#contract/forge-app.ts';
import { getJson, sendJson } from '../api/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FormError } from '../ui/form.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Section } from '../ui/page-body.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { keepSetup } from './pending-setup.ts';

const askEveryMs = 5000;

export const forgeAppPath = (integrationId: string): string => `/api/integrations/${integrationId}/forge-app`;

/** Organizations whose members belong to the integration, and how far they have been read. */
export function ForgeAppSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person may not change it. */
  reason: string | undefined;
}) {
  const path = forgeAppPath(integrationId);
  const reading = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<ForgeAppState>(path, signal),
    refetchInterval: askEveryMs,
  });
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
      note="Members of an organization that has it installed join by themselves, and leave with it."
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
                None is set up. Whoever runs Forgewatch makes one at the forge and sets FORGE_APP_ID,
                FORGE_APP_PRIVATE_KEY and FORGE_APP_SLUG.
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function Installation({
  path,
  installation,
  reason,
}: {
  path: string;
  installation: LinkedInstallation;
  reason: string | undefined;
}) {
  const [isLeaving, setLeaving] = useState(false);
  const client = useQueryClient();
  const { installationId, account } = installation;
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  const sync = useMutation({
    mutationFn: () => sendJson('POST', `${path}/${installationId}/sync`),
    onSettled: readAgain,
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line p-3">
      <div className="min-w-0 grow">
        <bdi className="font-medium">{account.login}</bdi>
        <p className="text-muted">
          <SyncState installation={installation} />
        </p>
      </div>
      <Button reason={reason} disabled={sync.isPending} onClick={() => sync.mutate()}>
        Read again
      </Button>
      <IconButton label={`Unlink ${account.login}`} reason={reason} onClick={() => setLeaving(true)}>
        <Unlink size={15} aria-hidden />
      </IconButton>
      {sync.error && <FormError error={sync.error} />}
      {isLeaving && (
        <ConfirmDialog
          title={`Unlink ${account.login}?`}
          action="Unlink"
          onConfirm={async () => {
            await sendJson('DELETE', `${path}/${installationId}`);
            toast(`${account.login} was unlinked`);
            await readAgain();
          }}
          onClose={() => setLeaving(false)}
        >
          <p>Who joined through it alone loses access at once. Roles given by hand stay.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function SyncState({ installation: { isSuspended, sync } }: { installation: LinkedInstallation }) {
  if (isSuspended) return 'Suspended at the forge; members stay as they are.';
  if (sync.error !== null) return <span className="text-failed">{sync.error}</span>;
  if (sync.state === 'waiting') return 'Its members are about to be read.';
  if (sync.state === 'running') return `${sync.members} members read so far…`;
  return (
    <>
      {sync.members} members, read{' '}
      {sync.finishedAt !== null && <TimeAgo time={sync.finishedAt} isFocusable />}
    </>
  );
}
