import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerAnswer, OwnerBody, OwnerQuery } from '#contract/alerts/workflow-owners.ts';
import { sendJson } from '../api/client.ts';
import { membersQuery } from '../members/members-queries.ts';
import { personName } from '../members/person-name.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { SelectField, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { formatCount } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';

const nobody = 'nobody';
const address = 'address';

interface Draft {
  /** A user, `nobody` or `address`. */
  chosen: string;
  email: string;
  ofRepository: boolean;
}

interface Props {
  integrationId: string;
  place: OwnerQuery;
  known: OwnerAnswer;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}

/** Sets who is responsible for a workflow, or for all of its repository. */
export function OwnerDialog({ integrationId, place, known, onSaved, onClose }: Props) {
  const { owner, ofRepository, suggestion } = known;
  const [draft, setDraft] = useState<Draft>({
    chosen: owner?.userId ?? (owner === null ? nobody : address),
    email: owner?.email ?? '',
    ofRepository,
  });
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const save = useMutation({
    mutationFn: async () => {
      await sendJson('PUT', `/api/integrations/${integrationId}/workflow-owner`, bodyOf(place, draft));
      await onSaved();
    },
    onSuccess: () => {
      toast('Owner saved');
      onClose();
    },
  });
  return (
    <Dialog title={`Owner of ${clip(place.workflow, 80)}`} onClose={onClose}>
      <Form submit="Save owner" request={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <p className="text-muted">
          Incidents show the owner, who finds them under “Mine” and on Home. Rules can notify the owner.
        </p>
        <OwnerFields integrationId={integrationId} draft={draft} onChange={change} />
        {suggestion !== null && suggestion.userId !== draft.chosen && (
          <p className="flex flex-wrap items-center gap-2">
            <span>
              <bdi>{clip(suggestion.name ?? 'A member', 80)}</bdi> acknowledged{' '}
              {formatCount(suggestion.acknowledged, 'incident')} and fixed {suggestion.fixed} in 90 days.
            </span>
            <Button onClick={() => change({ chosen: suggestion.userId })}>Choose</Button>
          </p>
        )}
        <SelectField
          name="workflow"
          label="Of"
          options={[
            { value: 'workflow', label: 'This workflow' },
            { value: 'repository', label: `All workflows of ${clip(place.repository, 80)} without an owner` },
          ]}
          value={draft.ofRepository ? 'repository' : 'workflow'}
          onChange={({ target }) => change({ ofRepository: target.value === 'repository' })}
        />
      </Form>
    </Dialog>
  );
}

function OwnerFields({
  integrationId,
  draft: { chosen, email },
  onChange,
}: {
  integrationId: string;
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}) {
  const { data: members = [] } = useQuery(membersQuery(integrationId));
  return (
    <>
      <SelectField
        name="owner.userId"
        label="Owner"
        options={[
          { value: nobody, label: 'Nobody' },
          ...members.map(({ user }) => ({ value: user.userId, label: personName(user) })),
          { value: address, label: 'A mail address' },
        ]}
        value={chosen}
        onChange={({ target }) => onChange({ chosen: target.value })}
      />
      {chosen === address && (
        <TextField
          name="owner.email"
          label="Mail address"
          autoComplete="on"
          type="email"
          required
          maxLength={254}
          value={email}
          onChange={({ target }) => onChange({ email: target.value })}
        />
      )}
    </>
  );
}

function bodyOf({ repository, workflow }: OwnerQuery, { chosen, email, ofRepository }: Draft): OwnerBody {
  const owner = chosen === nobody ? null : chosen === address ? { email: email.trim() } : { userId: chosen };
  return { repository, workflow: ofRepository ? '' : workflow, owner };
}
