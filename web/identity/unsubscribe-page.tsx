import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import MailX from 'lucide-react/icons/mail-x';
import { useState } from 'react';
import { sendJson } from '../api/client.ts';
import { Form } from '../ui/form/form.tsx';
import { Message } from '../ui/page/message.tsx';
import { PlainPage } from '../ui/page/plain-page.tsx';

/** The target of the link in a mail. Needs no session, and changes something only on request: programs follow links, too. */
export function UnsubscribePage() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  const stop = useMutation({
    mutationFn: () => sendJson('POST', `/api/unsubscribe?token=${encodeURIComponent(token ?? '')}`),
  });
  if (token === null || stop.isSuccess)
    return (
      <PlainPage title="Mails about your runs">
        <Message
          title={token === null ? 'Incomplete link' : 'The mails are off'}
          icon={<MailX size={24} aria-hidden className="text-muted" />}
        >
          <p className="text-muted">
            {token === null
              ? 'Open the whole link from the mail.'
              : 'Forgewatch sends you no more mails about runs that you start. Notification rules of a team may still mail you.'}
          </p>
          <Link to="/account" className="text-accent underline">
            Go to my account
          </Link>
        </Message>
      </PlainPage>
    );
  return (
    <PlainPage title="Mails about your runs">
      <div className="mt-4 flex flex-col gap-4">
        <p>Stop all mails about runs that you start? You can turn them on again on your account page.</p>
        <Form submit="Stop these mails" request={stop} onSubmit={() => stop.mutate()} />
      </div>
    </PlainPage>
  );
}
