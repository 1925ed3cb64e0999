import { useNavigate } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sendJson } from '../api/client.ts';
import { useIntegration } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { Form, FormError } from '../ui/form/form.tsx';
import { PlainPage } from '../ui/page/plain-page.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { forgeAppPath } from './forge-app-section.tsx';
import { readSetup, type PendingSetup } from './pending-setup.ts';
import { TextLink } from '../ui/text/text-link.tsx';

/** The page to which the forge redirects after an installation. Links the installation. */
export function InstalledPage({
  installationId,
  proof,
}: {
  /** Missing while the installation waits for approval at the forge. */
  installationId: string | undefined;
  /** Present after a new installation, missing after a change of an existing one. */
  proof: string | undefined;
}) {
  const [setup] = useState(() => readSetup(proof));
  return (
    <PlainPage title="Link an organization">
      {installationId === undefined ? (
        <p className="mt-3">
          The application is not installed yet. After an administrator of the organization approves it at the
          forge, open the settings of the integration and choose “Link an organization…”.
        </p>
      ) : setup === undefined ? (
        <p className="mt-3">
          This link was started in another browser or has been superseded. Open the settings of an integration
          and choose “Link an organization…”.
        </p>
      ) : (
        <div className="mt-3">
          <Linking installationId={installationId} setup={setup} isSure={proof !== undefined} />
        </div>
      )}
      <p className="mt-3">
        {setup === undefined ? (
          <TextLink to="/">Go to the start page</TextLink>
        ) : (
          <TextLink
            to="/integrations/$integrationId/settings"
            params={{ integrationId: setup.integrationId }}
          >
            Go to the settings
          </TextLink>
        )}
      </p>
    </PlainPage>
  );
}

/** Without the proof, another site may have chosen the installation, so the person has to confirm. */
function Linking({
  installationId,
  setup: { integrationId, proof },
  isSure,
}: {
  installationId: string;
  setup: PendingSetup;
  isSure: boolean;
}) {
  const navigate = useNavigate();
  const hasBegun = useRef(false);
  const label = useIntegration(integrationId)?.label ?? 'the integration';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => sendJson('POST', forgeAppPath(integrationId), { installationId, proof }),
    onSuccess: () => {
      toast('Organization linked. Member sync started');
      return navigate({ to: '/integrations/$integrationId/settings', params: { integrationId } });
    },
  });
  useEffect(() => {
    if (!isSure || hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [isSure, mutate]);
  if (!isSure)
    return (
      <Form submit="Link organization" request={{ isPending, error }} onSubmit={() => mutate()}>
        <p>
          You returned from installation {installationId} at the forge. Link its organization to{' '}
          <bdi>{label}</bdi>?
        </p>
      </Form>
    );
  if (error !== null)
    return (
      <>
        <FormError error={error} />
        <Button className="mt-3" onClick={() => mutate()}>
          Try again
        </Button>
      </>
    );
  return <output className="text-muted">Checking at the forge that you administer the organization…</output>;
}
