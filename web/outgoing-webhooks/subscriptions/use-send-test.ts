import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sendJson } from '../../api/client.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { receiverPath, subscriptionsPath } from '../webhook-queries.ts';

/** Sends a test to a subscription. Its delivery log shows the result. */
export function useSendTest(integrationId: string, subscriptionId: string) {
  const client = useQueryClient();
  const path = subscriptionsPath(integrationId);
  return useMutation({
    mutationFn: () => sendJson('POST', `${path}/${encodeURIComponent(subscriptionId)}/test`),
    onSuccess: async () => {
      toast('Test queued. The delivery log shows its result.');
      await Promise.all([
        client.invalidateQueries({ queryKey: [path] }),
        client.invalidateQueries({ queryKey: [`${receiverPath(integrationId, subscriptionId)}/webhooks`] }),
      ]);
    },
  });
}
