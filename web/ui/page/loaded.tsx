import type { ReactNode } from 'react';
import { Failure, FailureLine } from './message.tsx';
import { SkeletonRows } from '../table/skeleton.tsx';

/** What `useQuery` answers, as far as it is looked at here. */
export interface Reading<T> {
  data: T | undefined;
  error: { message: string; requestId?: string | undefined } | null;
  refetch: () => unknown;
}

/**
 * Shows what was read; before that where it will be; and why it could not be read. What was read once stays when
 * reading it again fails.
 */
export function Loaded<T>({
  reading,
  what,
  skeletonRows = 6,
  below,
  children,
}: {
  reading: Reading<T>;
  /** What is read, as in "The members could not be loaded": "members". */
  what: string;
  skeletonRows?: number;
  /** What stands under it. Hidden at first, as it would be pushed away by what is read while somebody looks at it. */
  below?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const { data, error, refetch } = reading;
  const again = (): void => void refetch();
  const isWaiting = data === undefined && error === null;
  return (
    <>
      {isWaiting && <SkeletonRows label={`Loading the ${what}`} count={skeletonRows} />}
      {data === undefined && error !== null && (
        <Failure title={`The ${what} could not be loaded`} error={error} onRetry={again} />
      )}
      {data !== undefined && error !== null && (
        <FailureLine title={`The ${what} may be out of date.`} error={error} onRetry={again} />
      )}
      {data !== undefined && children(data)}
      {below !== undefined && <div hidden={isWaiting}>{below}</div>}
    </>
  );
}
