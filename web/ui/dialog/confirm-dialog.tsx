import { Suspense } from 'react';
import { lazyPart } from '../page/lazy-part.tsx';
import type { ConfirmProps } from './confirm-form.tsx';

const ConfirmForm = lazyPart('confirm-form', 'ConfirmForm', () => import('./confirm-form.tsx'));

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
