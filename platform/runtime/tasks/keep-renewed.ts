/**
 * Renews a lease again and again. A renewal that fails is tried again after the same time. Call the returned function before the lease is
 * given up: it ends the renewals and waits for one that is in progress.
 */
export function keepRenewed(everyMs: number, renew: () => Promise<void>): () => Promise<void> {
  let current = Promise.resolve();
  let isEnded = false;
  let timer: NodeJS.Timeout;
  const plan = (): void => {
    timer = setTimeout(() => {
      current = renew()
        .catch(() => {})
        .then(() => {
          if (!isEnded) plan();
        });
    }, everyMs).unref();
  };
  plan();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await current;
  };
}
