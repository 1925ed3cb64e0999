import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { LinkedInstallation } from '#contract/integrations/forge-app.ts';
import { sendJson } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/form/field.tsx';
import { FormError } from '../ui/form/form.tsx';
import { formatCount } from '../ui/locale.ts';
import { TimeAgo } from '../ui/time/time.tsx';

const spans = ['7', '30', '90'];

type Reading = NonNullable<LinkedInstallation['history']>;

/** Imports runs from before the link, with progress and a stop button. */
export function History({
  path,
  history,
  reason,
  onChange,
}: {
  path: string;
  history: LinkedInstallation['history'];
  reason: string | undefined;
  onChange: () => Promise<unknown>;
}) {
  const [days, setDays] = useState('30');
  const read = useMutation({
    mutationFn: () => sendJson('POST', path, { days: Number(days) }),
    onSettled: onChange,
  });
  const stop = useMutation({ mutationFn: () => sendJson('DELETE', path), onSettled: onChange });
  const isGoingOn = history !== null && !['done', 'stopped'].includes(history.state);
  const error = read.error ?? stop.error;
  return (
    <div className="flex flex-col gap-2">
      {history !== null && <Progress history={history} />}
      {isGoingOn ? (
        <div>
          <Button reason={reason} disabled={stop.isPending} onClick={() => stop.mutate()}>
            Stop import
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-end gap-2">
          <div className="w-32 pointer-coarse:w-40">
            <SelectField
              label="Start from"
              value={days}
              disabled={reason !== undefined}
              options={spans.map((value) => ({ value, label: `${value} days ago` }))}
              onChange={(event) => setDays(event.target.value)}
            />
          </div>
          <Button reason={reason} disabled={read.isPending} onClick={() => read.mutate()}>
            Import history
          </Button>
        </div>
      )}
      {error && <FormError error={error} />}
    </div>
  );
}

function Progress({ history }: { history: Reading }) {
  const id = useId();
  const { state, repositories, repositoriesRead, runs, finishedAt, error } = history;
  if (state === 'done' || state === 'stopped') {
    return (
      <>
        <p>
          {formatCount(runs, 'run')} from {formatCount(repositories, 'repository', 'repositories')},{' '}
          {state === 'done' ? 'imported' : 'stopped'}{' '}
          {finishedAt !== null && <TimeAgo time={finishedAt} isFocusable />}
        </p>
        {error !== null && <p className="text-failed">{error}</p>}
      </>
    );
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id}>
        {state === 'waiting'
          ? 'Import pending…'
          : `${formatCount(runs, 'run')} imported, ${repositoriesRead} of ${formatCount(repositories, 'repository', 'repositories')} finished`}
      </label>
      <progress
        id={id}
        className="h-1.5 w-full max-w-80 appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        max={Math.max(1, repositories)}
        value={state === 'waiting' ? undefined : repositoriesRead}
      />
      {error !== null && <p className="text-failed">{error}</p>}
    </div>
  );
}
