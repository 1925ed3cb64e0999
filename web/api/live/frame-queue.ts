export interface FrameQueue<T> {
  push(item: T): void;
  /** Drops the waiting updates. */
  clear(): void;
}

/**
 * Delivers updates in order, once per frame, because rendering each update separately is slow. A hidden page has no
 * frames. If more than `limit` updates wait, all are dropped and `onOverflow` is called, which bounds memory.
 */
export function frameQueue<T>(options: {
  nextFrame(run: () => void): void;
  limit: number;
  onBatch(items: T[]): void;
  onOverflow(): void;
}): FrameQueue<T> {
  const { nextFrame, limit, onBatch, onOverflow } = options;
  let waiting: T[] = [];
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) onBatch(batch);
  };
  return {
    push: (item) => {
      waiting.push(item);
      if (waiting.length > limit) {
        waiting = [];
        onOverflow();
        return;
      }
      if (isScheduled) return;
      isScheduled = true;
      nextFrame(flush);
    },
    clear: () => {
      waiting = [];
    },
  };
}
