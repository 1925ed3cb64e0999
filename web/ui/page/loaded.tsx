import { use, type ReactNode } from 'react';
import { useIsAway } from '../../api/contact/browser-contact.ts';
import { HasMargins } from './has-margins.ts';
import { Failure, FailureLine } from './message.tsx';
import { SkeletonRows } from '../table/skeleton.tsx';

/** The part of the `useQuery` result that is used here. */
export interface Reading<T> {
  data: T | undefined;
  error: { message: string; code?: string; requestId?: string | undefined } | null;
  isFetching?: boolean;
  refetch: () => unknown;
}

/** Shows the data, a skeleton while it loads, or the error. Loaded data stays when a refetch fails. */
export function Loaded<T>({
  reading,
  what,
  skeletonRows = 6,
  below,
  children,
}: {
  reading: Reading<T>;
  /** The plural noun in "The members could not be loaded". */
  what: string;
  skeletonRows?: number;
  /** Content below. Hidden while loading, because the data would push it down. */
  below?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const { data, error, isFetching = false, refetch } = reading;
  const hasMargins = use(HasMargins);
  const isWaiting = data === undefined && error === null;
  const isAway = useIsAway();
  // The notice about the connection says it without moving the page, until the page is up to date again.
  const isSaid = error?.code === 'unreachable' && (isAway || isFetching);
  return (
    <>
      {isWaiting && (
        <SkeletonRows label={`Loading the ${what}`} count={skeletonRows} hasMargins={hasMargins} />
      )}
      {data === undefined &&
        error !== null &&
        (hasMargins ? (
          <FailureLine
            title={`The ${what} could not be loaded.`}
            error={error}
            onRetry={refetch}
            hasMargins
          />
        ) : (
          <Failure title={`The ${what} could not be loaded`} error={error} onRetry={refetch} />
        ))}
      {data !== undefined && error !== null && !isSaid && (
        <FailureLine
          title={`The ${what} may be out of date.`}
          error={error}
          onRetry={refetch}
          hasMargins={hasMargins}
        />
      )}
      {data !== undefined && children(data)}
      {below !== undefined && <div hidden={isWaiting}>{below}</div>}
    </>
  );
}
