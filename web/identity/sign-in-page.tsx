import { useMutation, useQuery } from '@tanstack/react-query';
import Activity from 'lucide-react/icons/activity';
import CircleAlert from 'lucide-react/icons/circle-alert';
import type { PublicConfig } from '#contract/members/identity.ts';
import { contact } from '../api/contact/browser-contact.ts';
import { session } from '../api/session/browser-session.ts';
import { configQuery } from '../api/config.ts';
import { retryAfter, unreachable } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { FormError } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { useDocumentTitle } from '../ui/page/page-header.tsx';
import { ThemeSwitch } from '../ui/theme/theme-switch.tsx';
import { beginSignIn, canSignIn } from './begin-sign-in.ts';
import { signInFailure } from './sign-in-failures.ts';
import { userQuery } from './use-user.ts';

const askEveryMs = 3000;

/** The sign-in page. `error` is the code of the last failure, `to` the requested page. */
export function SignInPage({ error, to = '/' }: { error: string | undefined; to: string | undefined }) {
  useDocumentTitle('Sign in');
  // A successful response means that the person is signed in, and the app continues. A failure is shown first.
  useQuery({ ...userQuery, enabled: error === undefined && session.state === 'unknown' });
  const reading = useQuery({
    ...configQuery,
    // The identity provider may still be starting.
    refetchInterval: ({ state }) =>
      retryAfter(state.error) ?? (state.data?.authorizeUrl === null && askEveryMs),
  });
  return (
    <main className="flex min-h-full flex-col items-center justify-center gap-6 px-5 py-14">
      <div className="flex w-full max-w-sm flex-col gap-5">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <Activity size={20} aria-hidden className="text-accent" />
          Sign in to Forgewatch
        </h1>
        {error !== undefined && <LastFailure code={error} />}
        <Loaded reading={reading} what="sign-in" skeletonRows={2}>
          {(config) => <SignInForm config={config} to={to} />}
        </Loaded>
      </div>
      <ThemeSwitch />
    </main>
  );
}

function LastFailure({ code }: { code: string }) {
  const { title, advice } = signInFailure(code);
  return (
    <div role="alert" className="flex items-start gap-2 border-l-2 border-failed py-1 pl-3">
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-failed" />
      <div>
        <p className="font-semibold">{title}</p>
        <p className="text-muted">{advice}</p>
      </div>
    </div>
  );
}

function SignInForm({ config: { authorizeUrl, publicUrl, demo }, to }: { config: PublicConfig; to: string }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (url: string) => {
      // Offline, the browser would replace this page with its own error page.
      if (!(await contact.check())) throw unreachable();
      await beginSignIn(url, to);
    },
  });
  if (!canSignIn()) return <NotSecure publicUrl={publicUrl} />;
  if (authorizeUrl === null) {
    return (
      <output className="text-muted">
        The identity provider does not answer yet. This page continues automatically.
      </output>
    );
  }
  return (
    <>
      <Button
        variant="primary"
        className="h-9"
        aria-busy={isPending}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the only thing to do on this page
        autoFocus
        onClick={() => mutate(authorizeUrl)}
      >
        {isPending ? 'Going to the sign-in…' : demo ? 'Sign in to the demo' : 'Sign in'}
      </Button>
      {error !== null && <FormError error={error} />}
      <p className="text-muted">
        {demo ? (
          <>
            No identity provider is configured. The demo sign-in uses the key in the URL that{' '}
            <code>npm start</code> printed.
          </>
        ) : (
          'After signing in, you return to the page you opened.'
        )}
      </p>
    </>
  );
}

function NotSecure({ publicUrl }: { publicUrl: string }) {
  return (
    <p role="alert">
      Sign-in requires HTTPS, except on localhost. Open{' '}
      <a href={publicUrl} className="break-all text-accent underline">
        {publicUrl}
      </a>
      .
    </p>
  );
}
