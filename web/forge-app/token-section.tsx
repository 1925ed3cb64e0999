import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ForgeConnectionState } from '#contract/integrations/forge-connection.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { formatCount } from '../ui/locale.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { Fact } from '../ui/text/fact.tsx';
import { TokenForm, forgeNames } from './token-form.tsx';
import { History } from './history.tsx';

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

const RepositoryChoice = lazyPart(
  'repository-choice',
  'RepositoryChoice',
  () => import('./repository-choice.tsx'),
);

const Dialog = lazyPart('dialog', 'Dialog', () => import('../ui/dialog/dialog.tsx'));

type Connected = NonNullable<ForgeConnectionState['connection']>;
type OpenDialogName = 'choose' | 'remove' | 'replace' | undefined;

/** A saved access token: account, expiry, repositories, webhooks and history. */
function Connection({
  path,
  connection,
  reason,
  onChange,
}: {
  path: string;
  connection: Connected;
  reason: string | undefined;
  onChange: () => Promise<unknown>;
}) {
  const [open, setOpen] = useState<OpenDialogName>();
  const { forge, url, account, permissions, history } = connection;
  return (
    <div className="rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 grow">
          <bdi className="font-medium">{account}</bdi>{' '}
          <span className="text-muted">at {forgeNames[forge]},</span>{' '}
          <bdi className="break-all text-muted">{url}</bdi>
        </p>
        <Button reason={reason} onClick={() => setOpen('replace')}>
          Replace token…
        </Button>
        <Button reason={reason} onClick={() => setOpen('remove')}>
          Remove token
        </Button>
      </div>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        <Fact name="Token">
          <Expiry connection={connection} />
          {permissions.length > 0 && (
            <span className="text-muted"> Permissions: {permissions.join(', ')}</span>
          )}
        </Fact>
        <Fact name="Repositories" className="flex flex-col items-start gap-2">
          <Repositories connection={connection} />
          <Button reason={reason} onClick={() => setOpen('choose')}>
            Choose repositories…
          </Button>
        </Fact>
        <Fact name="History">
          <History path={`${path}/history`} history={history} reason={reason} onChange={onChange} />
        </Fact>
      </dl>
      <OpenDialog
        open={open}
        path={path}
        connection={connection}
        onChange={onChange}
        onClose={() => setOpen(undefined)}
      />
    </div>
  );
}

function OpenDialog({
  open,
  path,
  connection,
  onChange,
  onClose,
}: {
  open: OpenDialogName;
  path: string;
  connection: Connected;
  onChange: () => Promise<unknown>;
  onClose: () => void;
}) {
  const remove = useRemove(path);
  return (
    <>
      {open === 'replace' && (
        <Dialog title="Replace the access token" onClose={onClose}>
          <TokenForm
            path={path}
            reason={undefined}
            former={connection}
            onSaved={async () => {
              onClose();
              await onChange();
            }}
            onCancel={onClose}
          />
        </Dialog>
      )}
      {open === 'choose' && (
        <RepositoryChoice path={path} connection={connection} onSaved={onChange} onClose={onClose} />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title="Remove the access token?"
          action="Remove token"
          onConfirm={() => remove('Access token removed')}
          onClose={onClose}
        >
          <p>Its webhooks are removed. Runs that were read stay.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Expiry({ connection: { expiresAt, savedAt } }: { connection: Connected }) {
  return (
    <>
      Saved <TimeAgo time={savedAt} isFocusable />
      {expiresAt === null ? (
        '. The forge does not say when it expires.'
      ) : (
        <>
          , expires <TimeAgo time={expiresAt} isFocusable />.
        </>
      )}
    </>
  );
}

function Repositories({ connection: { repositories, webhooks } }: { connection: Connected }) {
  if (repositories.length === 0) return <p className="text-muted">None chosen.</p>;
  const { provisioned, state, error } = webhooks;
  return (
    <>
      <p>
        Webhooks in {provisioned} of {formatCount(repositories.length, 'repository', 'repositories')}
        {state === 'waiting' && ' so far…'}
      </p>
      {error !== null && <p className="text-failed">{error}</p>}
      <ul className="w-full">
        {repositories.map(({ name, error: refusal }) => (
          <li key={name} className="min-w-0 break-all">
            <bdi>{name}</bdi>
            {refusal !== null && refusal !== error && <span className="text-failed"> – {refusal}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
