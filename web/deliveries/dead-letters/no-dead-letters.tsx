import { Message } from '../../ui/page/message.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';

/** Explains why the list is empty, or why one dead letter is not there. */
export function NoDeadLetters({
  integrationId,
  messageId,
}: {
  integrationId: string;
  messageId: string | undefined;
}) {
  if (messageId === undefined)
    return (
      <Message title="No dead letters">
        <p className="text-muted">
          Deliveries that could not be processed appear here. You can retry or drop them.
        </p>
      </Message>
    );
  return (
    <Message title="No such dead letter">
      <p className="text-muted">It was retried or dropped, or it is too old.</p>
      <p className="flex flex-wrap justify-center gap-x-6 gap-y-2">
        <TextLink
          to="/integrations/$integrationId/deliveries"
          params={{ integrationId }}
          search={{ open: messageId }}
        >
          Open its delivery
        </TextLink>
        <AllDeadLetters integrationId={integrationId} />
      </p>
    </Message>
  );
}

export function AllDeadLetters({ integrationId }: { integrationId: string }) {
  return (
    <TextLink to="/integrations/$integrationId/dead-letters" params={{ integrationId }} search={{}}>
      All dead letters
    </TextLink>
  );
}
