export interface FrameQueue<T> {
  push(item: T): void;
  /** Forgets what waits. */
  clear(): void;
}

/**
 * Hands over what arrived, in order, once per frame: applying updates one by one costs a multiple. A hidden page has no
 * frames; when more waits than `limit` it is dropped as a whole and `onOverflow` is told, so that memory stays bounded.
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
