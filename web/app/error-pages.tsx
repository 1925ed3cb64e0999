import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { Failure, Message } from '../ui/message.tsx';
import { useDocumentTitle } from '../ui/page-header.tsx';

export function NotFound() {
  useDocumentTitle('No such page');
  return (
    <main>
      <h1 className="sr-only">Forgewatch</h1>
      <Message title="There is no such page">
        <p className="text-muted">The address is mistyped, or what it led to was deleted.</p>
        <Link to="/" className="text-accent underline">
          Go to the start
        </Link>
      </Message>
    </main>
  );
}

/** A new version may have replaced the files of this one: loading the page again then helps. */
export function Broken({ error }: ErrorComponentProps) {
  useDocumentTitle('This page broke');
  const shown = error instanceof Error ? error : new Error(String(error));
  return (
    <main>
      <h1 className="sr-only">Forgewatch</h1>
      <Failure title="This page broke" error={shown} onRetry={() => location.reload()} />
    </main>
  );
}
