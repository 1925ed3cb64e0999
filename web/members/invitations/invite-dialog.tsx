import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationDays, type CreatedInvitation } from '#contract/members/invitations.ts';
import type { Role } from '#contract/members/roles.ts';
import { sendJson } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { CheckField, FieldGroup, SelectField, TextField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { mailText } from './mail-text.ts';
import { assignableRoles, roleTexts } from '../member-rules.ts';
import { invitationsQuery } from '../members-queries.ts';

type Way = 'mail' | 'link';

/** Invites a person by mail or creates a link. */
export function InviteDialog({
  integrationId,
  onCreated,
  onClose,
}: {
  integrationId: string;
  onCreated: (invitation: CreatedInvitation) => void;
  onClose: () => void;
}) {
  const [way, setWay] = useState<Way>('mail');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const isByMail = way === 'mail';
  const { data, reset, ...invite } = useInvite(integrationId, onCreated);
  const choose = (chosen: Way): void => {
    setWay(chosen);
    // Links can be forwarded, so they cannot grant the admin role.
    if (chosen === 'link' && role === 'admin') setRole('member');
  };
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      {data ? (
        <Created
          invitation={data}
          onMore={() => {
            setEmail('');
            reset();
          }}
          onClose={onClose}
        />
      ) : (
        <Form
          submit={isByMail ? 'Send invitation' : 'Create link'}
          request={invite}
          onSubmit={() => invite.mutate({ email: isByMail ? email.trim() : null, role })}
          onCancel={onClose}
        >
          <WayFields way={way} onChoose={choose} />
          {isByMail && (
            <TextField
              name="email"
              label="E-mail address"
              type="email"
              required
              maxLength={254}
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          )}
          <RoleField role={role} isByMail={isByMail} onChange={setRole} />
        </Form>
      )}
    </Dialog>
  );
}

function useInvite(integrationId: string, onCreated: (invitation: CreatedInvitation) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (invitation: { email: string | null; role: Role }) =>
      sendJson<CreatedInvitation>('POST', `/api/integrations/${integrationId}/invitations`, invitation),
    onSuccess: (created) => {
      onCreated(created);
      void client.invalidateQueries({ queryKey: invitationsQuery(integrationId).queryKey });
    },
  });
}

function WayFields({ way, onChoose }: { way: Way; onChoose: (way: Way) => void }) {
  return (
    <FieldGroup label="Method">
      <CheckField
        type="radio"
        name="way"
        label="By mail"
        hint="Only a person who signs in with this address can accept."
        checked={way === 'mail'}
        onChange={() => onChoose('mail')}
      />
      <CheckField
        type="radio"
        name="way"
        label="By link"
        hint="Anyone with the link can accept it once, as member at most."
        checked={way === 'link'}
        onChange={() => onChoose('link')}
      />
    </FieldGroup>
  );
}

function RoleField({
  role,
  isByMail,
  onChange,
}: {
  role: Role;
  isByMail: boolean;
  onChange: (role: Role) => void;
}) {
  return (
    <SelectField
      name="role"
      label="Role"
      hint={`${roleTexts[role]}.`}
      value={role}
      options={assignableRoles.map((value) => ({
        value,
        label: value,
        disabled: !isByMail && value === 'admin',
      }))}
      onChange={({ target }) => onChange(target.value as Role)}
    />
  );
}

function Created({
  invitation: { email, mail, acceptUrl },
  onMore,
  onClose,
}: {
  invitation: CreatedInvitation;
  onMore: () => void;
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <output>
        {mail === 'none'
          ? 'The link is ready.'
          : mail === 'sent'
            ? `Sent to ${email}.`
            : mailText(mail, email)}
      </output>
      <p className="text-muted">
        The link is shown only once and is valid for {invitationDays} days. You can create a new link at any
        time.
      </p>
      <CopyText name="invitation link" text={acceptUrl} />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
        <Button onClick={onMore}>Invite another</Button>
      </div>
    </div>
  );
}
