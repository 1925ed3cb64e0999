import { lazyPart } from '../page/lazy-part.tsx';

/**
 * Confirms an action that cannot be undone, or that affects others. With `name`, the person has to type the name. If the action fails, it
 * stays open with the error.
 */
export const ConfirmDialog = lazyPart('confirm-form', 'ConfirmForm', () => import('./confirm-form.tsx'));
