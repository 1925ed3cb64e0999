import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '#contract/members/identity.ts';
import {
  mostPersonalMailsPerHour,
  type PersonalNotifications as Settings,
  type PersonalNotificationsBody,
} from '#contract/members/personal-notifications.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { IntegrationChoice } from '../integrations/integration-choice.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { CheckField, FieldGroup } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';

const path = '/api/user/notifications';

/** Mails about the runs that the person started. */
export function PersonalNotifications({ user }: { user: User }) {
  const settings = useQuery(jsonQuery<Settings>(path));
  return (
    <Section title="Mails about my runs" note={noteFor(user)}>
      <Loaded reading={settings} what="mail settings" skeletonRows={2}>
        {(saved) => <SettingsForm saved={saved} user={user} />}
      </Loaded>
    </Section>
  );
}

function noteFor({ forgeLogin, email }: User): string {
  if (forgeLogin === null) return 'Your identity provider does not say which forge account is yours.';
  const limit = `At most ${mostPersonalMailsPerHour} an hour.`;
  return `For runs that ${forgeLogin} starts, to ${email ?? 'your address'}. ${limit}`;
}

function SettingsForm({ saved, user: { memberships } }: { saved: Settings; user: User }) {
  const client = useQueryClient();
  const [changed, setChanged] = useState<Partial<PersonalNotificationsBody>>({});
  const { enabled, integrationIds } = { ...saved, ...changed };
  const save = useMutation({
    mutationFn: (body: PersonalNotificationsBody) => sendJson<Settings>('PUT', path, body),
    onSuccess: (settings) => {
      client.setQueryData([path], settings);
      setChanged({});
      toast('Mail settings saved');
    },
  });
  return (
    <Form
      submit="Save mail settings"
      request={save}
      onSubmit={() => save.mutate({ enabled, integrationIds })}
    >
      <FieldGroup label="Mail me" name="enabled">
        <CheckField
          label="When a run that I started fails, and when its branch is green again"
          hint={
            saved.email === null
              ? 'The event log of the integration records each mail.'
              : `Mails go to ${saved.email}. The event log of the integration records each one.`
          }
          checked={enabled}
          onChange={({ target }) => setChanged({ ...changed, enabled: target.checked })}
        />
      </FieldGroup>
      {enabled && memberships.length > 1 && (
        <IntegrationChoice
          memberships={memberships}
          chosen={integrationIds}
          onChange={(chosen) => setChanged({ ...changed, integrationIds: chosen })}
        />
      )}
    </Form>
  );
}
