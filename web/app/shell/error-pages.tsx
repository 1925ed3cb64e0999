import { type ErrorComponentProps } from '@tanstack/react-router';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { reloadIfAnswered } from '../../api/parts/new-version.ts';
import { Button } from '../../ui/button.tsx';
import { Message } from '../../ui/page/message.tsx';
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
  return (
    <div role="alert">
      <h1 className="sr-only">Something went wrong</h1>
      <Message
        title="This page cannot be shown"
        icon={<CircleAlert size={22} aria-hidden className="text-failed" />}
      >
        <p className="text-muted">If trying again does not help, report this error to the operator.</p>
        <code className="font-mono text-xs wrap-anywhere select-all">
          {error instanceof Error ? error.message : String(error)}
        </code>
        <Button onClick={() => void reloadIfAnswered()}>Try again</Button>
        <TextLink to="/">Go to the start page</TextLink>
      </Message>
    </div>
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
