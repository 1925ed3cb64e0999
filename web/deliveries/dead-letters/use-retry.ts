import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Redriven } from '#contract/deliveries/deliveries.ts';
import { sendJson } from '../../api/client.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { formatCount } from '../../ui/locale.ts';

/** Puts dead letters back in the queue. Without ids, all of them. */
export function useRetry(path: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (messageIds: string[] | undefined) =>
      sendJson<Redriven>('POST', `${path}/redrive`, messageIds === undefined ? {} : { messageIds }),
    onSuccess: ({ redriven }) => toast(`${formatCount(redriven, 'message')} queued again`),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
}
