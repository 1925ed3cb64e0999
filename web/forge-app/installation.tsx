import { useMutation, useQueryClient } from '@tanstack/react-query';
import Unlink from 'lucide-react/icons/unlink';
import { useState } from 'react';
import type { LinkedInstallation } from '#contract/integrations/forge-app.ts';
import { sendJson } from '../api/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { FormError } from '../ui/form/form.tsx';
import { formatCount } from '../ui/locale.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { History } from './history.tsx';
import { Fact } from '../ui/text/fact.tsx';

/** A linked organization: members, webhooks and history. */
export function Installation({
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
