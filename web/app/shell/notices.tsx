import { contact, useIsAway } from '../../api/contact/browser-contact.ts';
import { reloadIfAnswered, useReloadReason, type ReloadReason } from '../../api/parts/new-version.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/page/notice.tsx';
import { clockTime } from '../../ui/time/exact-time.ts';

const reloadTitles: Record<ReloadReason, string> = {
  'new-version': 'A new version is installed.',
  'broken-part': 'The page could not be loaded because the connection failed.',
};

/** Shown above everything: the server is unreachable, or the page must be reloaded. */
export function Notices() {
  const isAway = useIsAway();
  const reloadReason = useReloadReason();
  return (
    <output className="block">
      {isAway && (
        <Notice end={<Button onClick={() => void contact.check()}>Try again</Button>}>
          <strong className="font-semibold">
            Offline.{contact.heardAt !== undefined && ` Last update ${clockTime(contact.heardAt)}.`}
          </strong>{' '}
          <span className="text-muted">
            {navigator.onLine ? 'The server does not answer.' : 'This device has no network.'} This page
            continues when the connection is back.
          </span>
        </Notice>
      )}
      {reloadReason !== undefined && !isAway && (
        <Notice end={<Button onClick={() => void reloadIfAnswered()}>Reload</Button>}>
          <strong className="font-semibold">{reloadTitles[reloadReason]}</strong>{' '}
          <span className="text-muted">Reload to continue. Unsaved input will be lost: copy it first.</span>
        </Notice>
      )}
    </output>
  );
}
