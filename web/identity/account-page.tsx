import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { User } from '#contract/members/identity.ts';
import {
  mostPersonalMailsPerHour,
  type PersonalNotifications as Settings,
  type PersonalNotificationsBody,
} from '#contract/members/personal-notifications.ts';
import { PersonalTokens } from '../api-tokens/personal-tokens.tsx';
import { OfferedInvitations } from '../members/invitations/offered-invitations.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField, FieldGroup } from '../ui/form/field.tsx';
import { FormError, Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { PlainPage } from '../ui/page/plain-page.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { Fact } from '../ui/text/fact.tsx';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { IntegrationChoice } from '../integrations/integration-choice.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { signOut } from './sign-out.ts';
import { useUser } from './use-user.ts';

/** Profile, invitations, integrations, mails, API tokens and sign-out. */
export function AccountPage() {
  const user = useUser();
  return (
    <PlainPage title="Account" end={<TextLink to="/">My integrations</TextLink>}>
      <Session />
      <Loaded reading={user} what="account">
        {(one) => (
          <>
            <Profile user={one} />
            <OfferedInvitations isShownEmpty />
            <Memberships user={one} />
            <PersonalNotifications user={one} />
            <PersonalTokens memberships={one.memberships} />
          </>
        )}
      </Loaded>
    </PlainPage>
  );
}

function Profile({ user: { name, email, forgeLogin, picture } }: { user: User }) {
  return (
    <Section title="Profile" note="Managed by your identity provider.">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        <Fact name="Name">
          <span className="flex items-center gap-2">
            <Avatar name={name ?? '?'} picture={picture} />
            <bdi>{name ?? 'Not provided'}</bdi>
          </span>
        </Fact>
        <Fact name="E-mail">
          <bdi className="break-all">{email ?? 'Not provided'}</bdi>
        </Fact>
        <Fact name="Login at the forge">
          <bdi>{forgeLogin ?? 'Not provided'}</bdi>
        </Fact>
      </dl>
    </Section>
  );
}

function Memberships({ user: { memberships, mayCreateIntegrations: mayCreate } }: { user: User }) {
  return (
    <Section
      title="My integrations"
      end={mayCreate && <TextLink to="/integrations/new">Create an integration</TextLink>}
    >
      {memberships.length === 0 ? (
        <p className="text-muted">
          {mayCreate
            ? 'No integrations. Create one or accept an invitation.'
            : 'No integrations. Accept an invitation.'}
        </p>
      ) : (
        <ul>
          {memberships.map(({ integrationId, label, role }) => (
            <li
              key={integrationId}
              className="flex items-center justify-between gap-4 border-t border-line py-2 first:border-t-0"
            >
              <Link
                to="/integrations/$integrationId/overview"
                params={{ integrationId }}
                className="min-w-0 truncate text-accent underline"
              >
                <bdi>{label}</bdi>
              </Link>
              <span className="text-muted">{role}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Shown above the loaded data, so that the buttons do not move and work when nothing loads. */
function Session() {
  const { mutate, isPending, error } = useMutation({ mutationFn: signOut });
  const [revokesTokens, setRevokesTokens] = useState(false);
  return (
    <Section
      title="Session"
      note="Signing out everywhere also ends sessions in other browsers and on other devices."
    >
      <div className="flex flex-wrap gap-2">
        <Button disabled={isPending} onClick={() => mutate({ everywhere: false, revokesTokens: false })}>
          Sign out
        </Button>
        <Button
          disabled={isPending}
          variant="danger"
          onClick={() => mutate({ everywhere: true, revokesTokens })}
        >
          Sign out everywhere
        </Button>
      </div>
      <div className="mt-2">
        <CheckField
          label="When I sign out everywhere, also revoke my API tokens"
          hint="Otherwise programs that use them go on working."
          checked={revokesTokens}
          onChange={({ target }) => setRevokesTokens(target.checked)}
        />
      </div>
      {error !== null && (
        <div className="mt-3">
          <FormError error={error} />
        </div>
      )}
    </Section>
  );
}

const path = '/api/user/notifications';

/** Mails about the runs that the person started. */
function PersonalNotifications({ user }: { user: User }) {
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
