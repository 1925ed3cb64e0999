import { Suspense, type ReactNode } from 'react';
import { lazyPart } from '../page/lazy-part.tsx';

const ConfirmForm = lazyPart('confirm-form', 'ConfirmForm', () => import('./confirm-form.tsx'));

export interface ConfirmProps {
  title: string;
  /** The verb on the button. */
  action: string;
  name?: string;
  variant?: 'danger' | 'primary';
  /** The text of the button that does nothing. */
  dismiss?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** The consequences. */
  children: ReactNode;
}

/**
 * Confirms an action that cannot be undone, or that affects others. With `name`, the person has to type the name. If the action fails, it
 * stays open with the error.
 */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <Suspense>
      <ConfirmForm {...props} />
    </Suspense>
  );
}
