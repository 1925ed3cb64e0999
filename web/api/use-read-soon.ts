import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Reads queries again after a pause, once for all calls in it, because updates come in bursts. */
export function useReadSoon(queryKey: readonly string[], pauseMs: number): () => void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
    }, pauseMs);
  };
}
