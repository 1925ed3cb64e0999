import { Link, useNavigate } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sendJson } from '../api/client.ts';
import { FormError } from '../ui/form.tsx';
import { PlainPage } from '../ui/plain-page.tsx';
import { toast } from '../ui/toast.tsx';
import { forgeAppPath } from './forge-app-section.tsx';
import { takeSetup } from './pending-setup.ts';

/** Where the forge leads back to from installing the application: links what was installed. */
export function InstalledPage({ installationId, proof }: { installationId: string; proof: string }) {
  const [setup] = useState(() => takeSetup(proof));
  const navigate = useNavigate();
  const hasBegun = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: (integrationId: string) =>
      sendJson('POST', forgeAppPath(integrationId), { installationId, proof }),
    onSuccess: (_, integrationId) => {
      toast('The organization is linked; its members are being read');
      return navigate({ to: '/integrations/$integrationId/settings', params: { integrationId } });
    },
  });
  useEffect(() => {
    if (setup === undefined || hasBegun.current) return;
    hasBegun.current = true;
    mutate(setup.integrationId);
  }, [setup, mutate]);
  return (
    <PlainPage title="Link an organization">
      {setup === undefined ? (
        <p>
          This was not begun in this browser, or something else was begun since. Open the settings of an
          integration and choose “Link an organization…”.
        </p>
      ) : error === null ? (
        <output className="text-muted">Asking the forge whether you administer it…</output>
      ) : (
        <FormError error={error} />
      )}
      <p>
        <Link to="/" className="text-accent underline">
          Go to the start
        </Link>
      </p>
    </PlainPage>
  );
}
