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

const githubUrl = 'https://github.com';

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
  const [draft, setDraft] = useState<ForgeConnectionBody>({
    forge: former?.forge ?? 'github',
    url: former?.url ?? githubUrl,
    token: '',
  });
  const change = (changed: Partial<ForgeConnectionBody>) => setDraft((all) => ({ ...all, ...changed }));
  const save = useMutation({
    mutationFn: () => sendJson('PUT', path, { ...draft, url: draft.url.trim(), token: draft.token.trim() }),
    onSuccess: async () => {
      change({ token: '' });
      toast('Access token saved');
      await onSaved();
    },
  });
  return (
    <Form
      submit="Save token"
      variant="plain"
      request={save}
      reason={reason}
      onSubmit={() => save.mutate()}
      onCancel={onCancel}
    >
      <TokenFields draft={draft} isDisabled={reason !== undefined} onChange={change} />
      {reason && <p className="text-muted">{reason}.</p>}
    </Form>
  );
}

function TokenFields({
  draft,
  isDisabled,
  onChange,
}: {
  draft: ForgeConnectionBody;
  isDisabled: boolean;
  onChange: (changed: Partial<ForgeConnectionBody>) => void;
}) {
  const { forge, url, token } = draft;
  return (
    <>
      <SelectField
        label="Forge"
        name="forge"
        value={forge}
        disabled={isDisabled}
        options={kinds.map((kind) => ({ value: kind, label: forgeNames[kind] }))}
        onChange={({ target }) => onChange(ofKind(target.value as ForgeKind, url))}
      />
      <TextField
        label="Address"
        autoComplete="on"
        name="url"
        type="url"
        placeholder="https://git.example.com"
        required
        maxLength={500}
        disabled={isDisabled}
        value={url}
        onChange={({ target }) => onChange({ url: target.value })}
      />
      <TextField
        label="Access token"
        name="token"
        type="password"
        required
        maxLength={500}
        hint={permissions[forge]}
        disabled={isDisabled}
        value={token}
        onChange={({ target }) => onChange({ token: target.value })}
      />
    </>
  );
}

/** The address of GitHub is known, and that of another forge is not GitHub's. */
function ofKind(forge: ForgeKind, url: string) {
  if (forge === 'github') return { forge, url: githubUrl };
  return { forge, url: url === githubUrl ? '' : url };
}
