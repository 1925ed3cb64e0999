import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import MailOpen from 'lucide-react/icons/mail-open';
import MailX from 'lucide-react/icons/mail-x';
import { useState } from 'react';
import type { AcceptedInvitation, OfferedInvitation } from '#contract/members/invitations.ts';
import { sendJson } from '../../api/client.ts';
import { ApiError } from '../../api/problem.ts';
import { AccountLink } from '../../identity/account-link.tsx';
import { useUser } from '../../identity/use-user.ts';
import { Form } from '../../ui/form/form.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Message } from '../../ui/page/message.tsx';
import { PlainPage } from '../../ui/page/plain-page.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import { forgetInvitation, readInvitation } from './invitation-token.ts';
import { useAccept } from './use-accept.ts';
import { ExpiryDay } from './expiry-day.tsx';
import { roleTexts } from '../member-rules.ts';
import { Fact } from '../../ui/text/fact.tsx';

/** The target of an invitation link. Accepts only on request. */
export function AcceptPage() {
  const [token] = useState(readInvitation);
  return (
    <PlainPage title="Invitation to Forgewatch" end={<AccountLink />}>
      {token === undefined ? <NoToken /> : <Given token={token} />}
    </PlainPage>
  );
}

/** What is wrong with the link, and not with the connection. */
const lasting: ReadonlySet<string> = new Set(['not_found', 'invitation_ended', 'already_member']);

function Given({ token }: { token: string }) {
  const user = useUser();
  const offer = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => sendJson<OfferedInvitation>('POST', '/api/invitations/preview', { token }),
    // Reading is rate limited, and accepting tells what changed in the meantime.
    staleTime: Infinity,
  });
  const { error } = offer;
  if (error instanceof ApiError && lasting.has(error.code)) return <Useless error={error} />;
  return (
    <Loaded reading={user} what="account" skeletonRows={5}>
      {({ name, email }) => (
        <Loaded reading={offer} what="invitation" skeletonRows={5}>
          {(invitation) => <Accept token={token} invitation={invitation} who={email ?? name ?? 'yourself'} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Accept({ token, invitation, who }: { token: string; invitation: OfferedInvitation; who: string }) {
  const accept = useAccept(() => sendJson<AcceptedInvitation>('POST', '/api/invitations/accept', { token }), {
    onAccepted: forgetInvitation,
    replace: true,
  });
  return (
    <div className="mt-4 flex flex-col gap-6">
      <InvitationSummary invitation={invitation} who={who} />
      <Form
        submit="Accept invitation"
        request={accept}
        onSubmit={() => accept.mutate(undefined)}
        beside={
          <Link to="/" className="px-2 text-accent underline" onClick={forgetInvitation}>
            Not now
          </Link>
        }
      />
    </div>
  );
}

const titles: Partial<Record<ApiError['code'], string>> = {
  not_found: 'This link cannot be used',
  invitation_ended: 'The invitation has ended',
  already_member: 'You are already a member',
};

/** The invitation of this link cannot be accepted by this person. */
function Useless({ error: { code, message } }: { error: ApiError }) {
  return (
    <Message title={titles[code] ?? ''} icon={<MailX size={24} aria-hidden className="text-muted" />}>
      <p className="text-muted">
        {code === 'not_found' && (
          <>
            {message} If it is for another address of yours, <TextLink to="/account">sign out</TextLink>, open
            the link again and sign in with that one.
          </>
        )}
        {code === 'invitation_ended' &&
          'It was used or revoked, or it expired. Ask the person who invited you for a new one.'}
        {code === 'already_member' && 'Your role does not change. The link stays open for others.'}
      </p>
      <TextLink to="/" onClick={forgetInvitation}>
        Go to my integrations
      </TextLink>
    </Message>
  );
}

function NoToken() {
  return (
    <Message title="Incomplete link" icon={<MailOpen size={24} aria-hidden className="text-muted" />}>
      <p className="text-muted">
        Open the full invitation link from the mail. If you have already used it, go to your integrations.
      </p>
      <TextLink to="/">Go to my integrations</TextLink>
    </Message>
  );
}

/** Who invites to what, and what the person may do there. */
function InvitationSummary({
  invitation: { label, role, inviterName, expiresAt },
  who,
}: {
  invitation: OfferedInvitation;
  /** The signed-in person. */
  who: string;
}) {
  return (
    <>
      <p className="text-base">
        <bdi className="font-medium">{inviterName ?? 'A member'}</bdi> invites you to{' '}
        <strong className="font-semibold wrap-anywhere">
          <bdi>{label}</bdi>
        </strong>
        .
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
        <Fact name="Your role">
          <span className="capitalize">{role}</span>
          <span className="block text-muted">{roleTexts[role]}</span>
        </Fact>
        <Fact name="Signed in as">
          <bdi className="wrap-anywhere">{who}</bdi>
        </Fact>
        <Fact name="Open until">
          <ExpiryDay time={expiresAt} />
        </Fact>
      </dl>
    </>
  );
}
