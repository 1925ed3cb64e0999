import Lock from 'lucide-react/icons/lock';
import { useUser } from '../identity/use-user.ts';
import { Message } from '../ui/page/message.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { TextLink } from '../ui/text/text-link.tsx';

/** In place of a page of an integration. */
export function NoAccess() {
  return (
    <>
      <PageHeader title={<PageTitle>No access</PageTitle>} end={null} />
      <NoAccessMessage />
    </>
  );
}

/** The server does not reveal whether an integration exists to people without access. */
export function NoAccessMessage() {
  const { data: user } = useUser();
  const name = user?.email ?? user?.name;
  return (
    <Message
      title="You have no access to this integration"
      icon={<Lock size={24} aria-hidden className="text-muted" />}
    >
      <p className="text-muted">
        It was deleted, or you are not a member of it. One of its admins can invite you
        {name ? (
          <>
            {' '}
            as <bdi>{name}</bdi>
          </>
        ) : null}
        .
      </p>
      <TextLink to="/">Go to my integrations</TextLink>
    </Message>
  );
}
