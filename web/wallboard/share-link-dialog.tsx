import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedShareLink } from '#contract/integrations/wallboard.ts';
import { sendJson } from '../api/client.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { ShownOnce } from '../ui/dialog/shown-once.tsx';
import { TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { NameField } from '../ui/form/name-field.tsx';
import { shareLinksPath, shareLinksQuery } from './share-link-queries.ts';

/** Creates a share link and shows its address once. */
export function ShareLinkDialog({ integrationId, onClose }: { integrationId: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const [repository, setRepository] = useState('');
  const [workflow, setWorkflow] = useState('');
  const client = useQueryClient();
  const { data, ...create } = useMutation({
    mutationFn: () =>
      sendJson<CreatedShareLink>('POST', shareLinksPath(integrationId), {
        name: name.trim(),
        filter: { ...given('repository', repository), ...given('workflow', workflow) },
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: shareLinksQuery(integrationId).queryKey }),
  });
  return (
    <Dialog
      title="Create share link"
      leaving={data === undefined && !create.isPending ? 'asks' : 'barred'}
      onClose={onClose}
    >
      {data === undefined ? (
        <Form submit="Create share link" request={create} onSubmit={() => create.mutate()} onCancel={onClose}>
          <NameField hint="Where the screen is." value={name} onChange={setName} />
          <TextField
            name="repository"
            label="Repositories"
            hint="With commas between them. Empty: all."
            maxLength={1000}
            value={repository}
            onChange={({ target }) => setRepository(target.value)}
          />
          <TextField
            name="workflow"
            label="Workflows"
            hint="With commas between them. Empty: all."
            maxLength={1000}
            value={workflow}
            onChange={({ target }) => setWorkflow(target.value)}
          />
        </Form>
      ) : (
        <ShownOnce done="Share link created." name="share link" text={data.url} onClose={onClose}>
          Everybody who has it sees the wallboard until you revoke it.
        </ShownOnce>
      )}
    </Dialog>
  );
}

function given(name: string, text: string): Record<string, string> {
  const value = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(',');
  return value === '' ? {} : { [name]: value };
}
