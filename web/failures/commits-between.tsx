import { lazyPart } from '../ui/page/lazy-part.tsx';

/** Loaded when a page has a red run. */
export const CommitsBetween = lazyPart('commit-range', 'CommitRange', () => import('./commit-range.tsx'));
