import { lazyPart } from '../../ui/page/lazy-part.tsx';

/** Loaded when somebody closes an incident: the lists need no dialog before. */
export const LazyCloseDialog = lazyPart(
  'close-dialog',
  async () => (await import('./close-dialog.tsx')).CloseDialog,
);
