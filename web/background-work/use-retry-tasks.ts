import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TasksRetried } from '#contract/integrations/tasks.ts';
import { sendJson } from '../api/client.ts';
import { toast } from '../ui/dialog/toast.ts';
import { formatCount } from '../ui/locale.ts';

/** Makes tasks due now. Without ids, all that fail. */
export function useRetryTasks(path: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (taskIds: string[] | undefined) =>
      sendJson<TasksRetried>('POST', `${path}/retry`, taskIds === undefined ? {} : { taskIds }),
    onSuccess: ({ retried }) =>
      toast(retried === 0 ? 'Nothing to retry: it runs already' : `${formatCount(retried, 'task')} due now`),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
}
