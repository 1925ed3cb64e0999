import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { reloadIfAnswered } from '../../api/new-version.ts';
import { Failure, Message } from '../../ui/page/message.tsx';
import { useDocumentTitle } from '../../ui/page/page-header.tsx';

/** In place of a page, within what stands around it. */
export function NoSuchPage() {
  useDocumentTitle('No such page');
  return (
    <>
      <h1 className="sr-only">No such page</h1>
      <Message title="There is no such page">
        <p className="text-muted">The address is mistyped, or what it led to was deleted.</p>
        <Link to="/" className="text-accent underline">
          Go to the start
        </Link>
      </Message>
    </>
  );
}

/** A new version may have replaced the files of this one: loading the page again then helps. */
export function BrokenPage({ error }: ErrorComponentProps) {
  useDocumentTitle('This page broke');
  const shown = error instanceof Error ? error : new Error(String(error));
  return (
    <>
      <h1 className="sr-only">This page broke</h1>
      <Failure title="This page broke" error={shown} onRetry={() => void reloadIfAnswered()} />
    </>
  );
}

/** The same where nothing stands around. */
export function NotFound() {
  return (
    <main>
      <NoSuchPage />
    </main>
  );
}

export function Broken(props: ErrorComponentProps) {
  return (
    <main>
      <BrokenPage {...props} />
    </main>
  );
}
