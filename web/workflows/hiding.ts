import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { HiddenWorkflow, HideWorkflowBody } from '#contract/runs/hidden-workflows.ts';
import { getJson, sendJson } from '../api/client.ts';
import { toast } from '../ui/dialog/toast.ts';

const hiddenPath = (integrationId: string): string => `/api/integrations/${integrationId}/hidden-workflows`;

export function hiddenQuery(integrationId: string) {
  const path = hiddenPath(integrationId);
  return queryOptions({
    queryKey: [path],
    queryFn: async ({ signal }) => (await getJson<{ items: HiddenWorkflow[] }>(path, signal)).items,
  });
}

/** Hides workflows and shows them again. Everything that shows their state is read again. */
export function useHiding(integrationId: string) {
  const client = useQueryClient();
  const path = hiddenPath(integrationId);
  const readAgain = (done: string) => {
    toast(done);
    return client.invalidateQueries();
  };
  const show = useMutation({
    mutationFn: ({ hiddenWorkflowId }: HiddenWorkflow) => sendJson('DELETE', `${path}/${hiddenWorkflowId}`),
    onSuccess: () => readAgain('Workflow shown again'),
  });
  const hide = async (name: HideWorkflowBody): Promise<void> => {
    await sendJson('POST', path, name);
    await readAgain('Workflow hidden');
  };
  return { hide, show };
}
