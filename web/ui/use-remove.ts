import { useQueryClient } from '@tanstack/react-query';
import { sendJson } from '../api/client.ts';
import { toast } from './dialog/toast.ts';

/**
 * Deletes what is at `path`, or one item of that list, says `done` and reads the path again. The path is the key of the query
 * that shows it.
 */
export function useRemove(path: string) {
  const client = useQueryClient();
  return async (done: string, itemId?: string): Promise<void> => {
    await sendJson('DELETE', itemId === undefined ? path : `${path}/${itemId}`);
    toast(done);
    await client.invalidateQueries({ queryKey: [path] });
  };
}
