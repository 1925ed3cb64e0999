import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from './dialog/toast.ts';

/** What a form asks for. Afterwards it reads `path` again, which is the key of the query that shows it, says `done` and calls `onSaved`. */
export function useSave<Body = void>({
  path,
  send,
  done,
  onSaved,
}: {
  path: string;
  send: (body: Body) => Promise<unknown>;
  done: string;
  onSaved: () => void;
}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [path] });
      toast(done);
      onSaved();
    },
  });
}
