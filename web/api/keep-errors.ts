import type { Query, QueryCache } from '@tanstack/react-query';

/**
 * Keeps the error of a shown query without data while it is fetched again. TanStack Query removes the error, so a page would
 * show its placeholder between two failures.
 */
export function keepErrors(cache: QueryCache): void {
  const errors = new WeakMap<Query, Error | null>();
  cache.subscribe((event) => {
    const { query } = event;
    // A page that is opened later shows its placeholder first.
    if (query.getObserversCount() === 0) errors.delete(query);
    else if (event.type === 'updated') {
      const error = errors.get(query);
      if (event.action.type === 'fetch' && query.state.data === undefined && error)
        query.setState({ error, status: 'error' });
      else errors.set(query, query.state.error);
    }
  });
}
