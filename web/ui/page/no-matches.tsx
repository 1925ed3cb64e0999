import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Message } from './message.tsx';

/** Replaces a list in which the filters leave nothing. `what` is listed, for example `failures`. */
export function NoMatches({
  what,
  onClear,
  children,
}: {
  what: string;
  onClear: () => void;
  children?: ReactNode;
}) {
  return (
    <Message title={`No ${what} match these filters`}>
      {children}
      <Button onClick={onClear}>Clear filters</Button>
    </Message>
  );
}
