import { useMutation } from '@tanstack/react-query';
import type { SampleTraffic } from '#contract/integrations/integrations.ts';
import { sendJson } from '../../api/client.ts';
import { useConfig } from '../../api/config.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { FormError } from '../../ui/form/form.tsx';
import { useRoleReason } from '../use-integration.ts';

/** Sample traffic before a forge is connected: a button in the demo, else a command. */
export function TrySampleTraffic({ integrationId }: { integrationId: string }) {
  const isDemo = useConfig()?.demo === true;
  const text = 'Realistic events, correctly signed, as the forge would send them.';
  if (isDemo)
    return (
      <>
        <p className="mb-2 text-muted">{text}</p>
        <SendSampleTraffic integrationId={integrationId} />
      </>
    );
  return (
    <>
      <p className="mb-2 text-muted">{text} Run this command on the server:</p>
      <CopyText name="simulate command" text={`npx forgewatch simulate --integration ${integrationId}`} />
    </>
  );
}

function SendSampleTraffic({ integrationId }: { integrationId: string }) {
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () => sendJson<SampleTraffic>('POST', `/api/integrations/${integrationId}/sample-traffic`),
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button
        variant="primary"
        reason={useRoleReason(integrationId, 'admin')}
        disabled={isPending}
        aria-busy={isPending}
        onClick={() => mutate()}
      >
        Send sample traffic
      </Button>
      <output className="text-muted">
        {data && `Sending ${data.events} events over ${data.seconds} seconds.`}
      </output>
      {error && <FormError error={error} />}
    </div>
  );
}
