import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import Unlink from 'lucide-react/icons/unlink';
import { useState } from 'react';
import type { ForgeAppSetup, ForgeAppState, LinkedInstallation } from '#contract/integrations/forge-app.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FormError } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { formatCount } from '../ui/locale.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { Fact } from '../ui/text/fact.tsx';
import { keepSetup } from './pending-setup.ts';
import { History } from './history.tsx';

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

/** A linked organization: members, webhooks and history. */
function Installation({
  path,
  installation,
  reason,
}: {
  path: string;
  installation: LinkedInstallation;
  /** Why this person cannot change it. */
  reason: string | undefined;
}) {
  const [isLeaving, setLeaving] = useState(false);
  const client = useQueryClient();
  const remove = useRemove(path);
  const { installationId, account } = installation;
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  const sync = useMutation({
    mutationFn: () => sendJson('POST', `${path}/${installationId}/sync`),
    onSettled: readAgain,
  });
  return (
    <div className="rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <bdi className="min-w-0 grow font-medium">{account.login}</bdi>
        <Button reason={reason} disabled={sync.isPending} onClick={() => sync.mutate()}>
          Sync now
        </Button>
        <IconButton label={`Unlink ${account.login}`} reason={reason} onClick={() => setLeaving(true)}>
          <Unlink size={15} aria-hidden />
        </IconButton>
      </div>
      {sync.error && <FormError error={sync.error} />}
      {installation.isSuspended ? (
        <p className="mt-1 text-muted">Suspended at the forge. Members and webhooks stay unchanged.</p>
      ) : (
        <Facts
          path={`${path}/${installationId}/history`}
          installation={installation}
          reason={reason}
          onChange={readAgain}
        />
      )}
      {isLeaving && (
        <ConfirmDialog
          title={`Unlink ${account.login}?`}
          action="Unlink"
          onConfirm={() => remove(`${account.login} was unlinked`, String(installationId))}
          onClose={() => setLeaving(false)}
        >
          <p>
            Members added only through this organization lose access immediately, and its webhooks are
            removed. Manually assigned roles are kept.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Facts({
  path,
  installation: { sync, webhooks, history },
  reason,
  onChange,
}: {
  /** Of the history. */
  path: string;
  installation: LinkedInstallation;
  reason: string | undefined;
  onChange: () => Promise<unknown>;
}) {
  return (
    <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
      <Fact name="Members">
        <Members sync={sync} />
      </Fact>
      <Fact name="Webhooks">
        <Webhooks webhooks={webhooks} />
      </Fact>
      <Fact name="History">
        <History path={path} history={history} reason={reason} onChange={onChange} />
      </Fact>
    </dl>
  );
}

function Members({ sync }: Pick<LinkedInstallation, 'sync'>) {
  if (sync.error !== null) return <span className="text-failed">{sync.error}</span>;
  if (sync.state === 'waiting') return 'Sync pending.';
  if (sync.state === 'running') return `${sync.members} members synced so far…`;
  return (
    <>
      {sync.members} members, synced{' '}
      {sync.finishedAt !== null && <TimeAgo time={sync.finishedAt} isFocusable />}
    </>
  );
}

function Webhooks({
  webhooks: { state, repositories, provisioned, error },
}: Pick<LinkedInstallation, 'webhooks'>) {
  const count = `${provisioned} of ${formatCount(repositories, 'repository', 'repositories')}`;
  if (error !== null) {
    return (
      <>
        {repositories > 0 && `${count}. `}
        <span className="text-failed">{error}</span>
      </>
    );
  }
  return state === 'waiting' ? `${count} so far…` : count;
}
