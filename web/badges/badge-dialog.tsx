import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KnownWorkflow, KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { getJson, sendJson } from '../api/client.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { SelectField, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { useSave } from '../ui/use-save.ts';
import { badgesPath } from './badge-queries.ts';

/** Creates a badge for one of the workflows that ran lately. */
export function BadgeDialog({ integrationId, onClose }: { integrationId: string; onClose: () => void }) {
  const path = `/api/integrations/${integrationId}/notification-rules/known-workflows`;
  const known = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<KnownWorkflows>(path, signal),
  });
  return (
    <Dialog title="Create badge" onClose={onClose}>
      <Loaded reading={known} what="workflows" skeletonRows={2}>
        {({ items }) => {
          const named = items.flatMap(({ repository, workflow }) =>
            workflow === null ? [] : [{ repository, workflow }],
          );
          return named.length === 0 ? (
            <p>No workflow has run yet. A badge needs one with a name.</p>
          ) : (
            <BadgeForm integrationId={integrationId} workflows={named} onClose={onClose} />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

type NamedWorkflow = Pick<KnownWorkflow, 'repository'> & { workflow: string };

function BadgeForm({
  integrationId,
  workflows,
  onClose,
}: {
  integrationId: string;
  workflows: readonly NamedWorkflow[];
  onClose: () => void;
}) {
  const [index, setIndex] = useState('0');
  const [branch, setBranch] = useState('');
  const path = badgesPath(integrationId);
  const create = useSave({
    path,
    send: () =>
      sendJson('POST', path, {
        ...workflows[Number(index)],
        ...(branch.trim() === '' ? {} : { branch: branch.trim() }),
      }),
    done: 'Badge created',
    onSaved: onClose,
  });
  return (
    <Form submit="Create badge" request={create} onSubmit={() => create.mutate()} onCancel={onClose}>
      <SelectField
        name="workflow"
        label="Workflow"
        options={workflows.map(({ repository, workflow }, at) => ({
          value: String(at),
          label: `${repository}: ${workflow}`,
        }))}
        value={index}
        onChange={({ target }) => setIndex(target.value)}
      />
      <TextField
        name="branch"
        label="Branch"
        hint="Empty: the default branch."
        maxLength={255}
        value={branch}
        onChange={({ target }) => setBranch(target.value)}
      />
    </Form>
  );
}
