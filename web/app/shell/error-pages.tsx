import { type ErrorComponentProps } from '@tanstack/react-router';
import { reloadIfAnswered } from '../../api/parts/new-version.ts';
import { Failure, Message } from '../../ui/page/message.tsx';
import { useDocumentTitle } from '../../ui/page/page-header.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';

/** Shown in place of a page, inside the layout. */
export function MissingPage() {
  useDocumentTitle('Page not found');
  return (
    <>
      <h1 className="sr-only">Page not found</h1>
      <Message title="Page not found">
        <p className="text-muted">The address is wrong, or the page was deleted.</p>
        <TextLink to="/">Go to the start page</TextLink>
      </Message>
    </>
  );
}

/** A new version may have replaced the files of this one. Reloading fixes that. */
export function BrokenPage({ error }: ErrorComponentProps) {
  useDocumentTitle('Something went wrong');
  const shown = error instanceof Error ? error : new Error(String(error));
  return (
    <>
      <h1 className="sr-only">Something went wrong</h1>
      <Failure title="Something went wrong" error={shown} onRetry={() => void reloadIfAnswered()} />
    </>
  );
}

/** The same outside the layout. */
export function NotFound() {
  return (
    <main>
      <MissingPage />
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
