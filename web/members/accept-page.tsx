import { Link } from '@tanstack/react-router';
import MailOpen from 'lucide-react/icons/mail-open';
import { useState } from 'react';
import type { AcceptedInvitation } from '#contract/members/invitations.ts';
import { sendJson } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import { AccountLink } from '../identity/account-link.tsx';
import { useUser } from '../identity/use-user.ts';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PlainPage } from '../ui/page/plain-page.tsx';
import { forgetInvitation, readInvitation } from './invitation-token.ts';
import { useAccept } from './use-accept.ts';
import { TextLink } from '../ui/text/text-link.tsx';

/** The target of an invitation link. Accepts only on request. */
export function AcceptPage() {
  const [token] = useState(readInvitation);
  const user = useUser();
  return (
    <PlainPage title="Invitation to Forgewatch" end={<AccountLink />}>
      {token === undefined ? (
        <NoToken />
      ) : (
        <Loaded reading={user} what="invitation" skeletonRows={3}>
          {({ name, email }) => <Accept token={token} who={email ?? name ?? 'yourself'} />}
        </Loaded>
      )}
    </PlainPage>
  );
}

function Accept({ token, who }: { token: string; who: string }) {
  const { mutate, isPending, error } = useAccept(
    () => sendJson<AcceptedInvitation>('POST', '/api/invitations/accept', { token }),
    { onAccepted: forgetInvitation, replace: true },
  );
  return (
    <div className="mt-4 flex flex-col gap-4">
      <p>
        You are invited to see the workflow runs of a team. You are signed in as{' '}
        <strong>
          <bdi>{who}</bdi>
        </strong>
        . An invitation by mail works only for the address it was sent to.
      </p>
      <Form
        submit="Accept invitation"
        isPending={isPending}
        error={error}
        onSubmit={() => mutate(undefined)}
        beside={
          <Link to="/" className="px-2 text-accent underline" onClick={forgetInvitation}>
            Not now
          </Link>
        }
      />
      {error instanceof ApiError && error.code === 'not_found' && (
        <p className="text-muted">
          Is it for another address of yours? <TextLink to="/account">Sign out</TextLink>, open the link again
          and sign in with that one.
        </p>
      )}
    </div>
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
