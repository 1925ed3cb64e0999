import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ForgeConnectionBody, ForgeKind } from '#contract/integrations/forge-connection.ts';
import { sendJson } from '../api/client.ts';
import { toast } from '../ui/dialog/toast.ts';
import { SelectField, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';

export const forgeNames: Record<ForgeKind, string> = {
  github: 'GitHub',
  gitea: 'Gitea',
  forgejo: 'Forgejo',
};
const kinds = Object.keys(forgeNames) as ForgeKind[];

/** What the token must be allowed to do, in the words of the forge. */
const permissions: Record<ForgeKind, string> = {
  github:
    'Fine-grained: read Metadata, Checks and Pull requests, write Webhooks and Actions. Classic: repo and admin:repo_hook.',
  gitea: 'The token needs read:user and write:repository.',
  forgejo: 'The token needs read:user and write:repository.',
};

/** Saves an access token. The token is not kept in the page after that. */
export function TokenForm({
  path,
  reason,
  former,
  onSaved,
  onCancel,
}: {
  path: string;
  reason: string | undefined;
  /** The connection whose token is replaced. */
  former?: { forge: ForgeKind; url: string };
  onSaved: () => Promise<unknown>;
  onCancel?: (() => void) | undefined;
}) {
  const [forge, setForge] = useState<ForgeKind>(former?.forge ?? 'github');
  const [url, setUrl] = useState(former?.url ?? 'https://github.com');
  const [token, setToken] = useState('');
  const save = useMutation({
    mutationFn: () =>
      sendJson('PUT', path, { forge, url: url.trim(), token: token.trim() } satisfies ForgeConnectionBody),
    onSuccess: async () => {
      setToken('');
      toast('Access token saved');
      await onSaved();
    },
  });
  const choose = (kind: ForgeKind): void => {
    setForge(kind);
    if (kind === 'github') setUrl('https://github.com');
    else if (url === 'https://github.com') setUrl('');
  };
  return (
    <Form
      submit="Save token"
      variant="plain"
      isPending={save.isPending}
      error={save.error}
      reason={reason}
      onSubmit={() => save.mutate()}
      onCancel={onCancel}
    >
      <SelectField
        label="Forge"
        name="forge"
        value={forge}
        disabled={reason !== undefined}
        options={kinds.map((kind) => ({ value: kind, label: forgeNames[kind] }))}
        onChange={({ target }) => choose(target.value as ForgeKind)}
      />
      <TextField
        label="Address"
        name="url"
        type="url"
        placeholder="https://git.example.com"
        required
        maxLength={500}
        disabled={reason !== undefined}
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <TextField
        label="Access token"
        name="token"
        type="password"
        autoComplete="off"
        required
        maxLength={500}
        hint={permissions[forge]}
        disabled={reason !== undefined}
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}
