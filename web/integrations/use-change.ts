import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Integration } from '#contract/integrations/integrations.ts';
import { sendJson, type Method } from '../api/client.ts';
import { toast } from '../ui/dialog/toast.ts';
import { changeIntegrations } from './integrations-query.ts';

/** Changes an integration and shows the returned state everywhere. */
export function useChange(integrationId: string, method: Method, rest: string, done: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: object) =>
      sendJson<Integration>(method, `/api/integrations/${integrationId}${rest}`, body),
    onSuccess: async (changed) => {
      await changeIntegrations(client, (all) =>
        all?.map((one) => (one.integrationId === integrationId ? changed : one)),
      );
      toast(done);
    },
  });
}
