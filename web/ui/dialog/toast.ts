import { Toast } from '@base-ui/react/toast';

/** Long enough to notice a mistake. */
const undoMs = 30_000;

export const toastManager = Toast.createToastManager();

/** Messages from before the toasts are loaded. Undefined afterwards. */
let waiting: { text: string; onUndo: (() => void) | undefined }[] | undefined = [];

/** Shows and announces a success for a moment, with a button that undoes it. Failures are shown where they happen. */
export function toast(text: string, onUndo?: () => void): void {
  if (waiting !== undefined) return void waiting.push({ text, onUndo });
  const id = toastManager.add({
    description: text,
    ...(onUndo && {
      timeout: undoMs,
      actionProps: {
        children: 'Undo',
        onClick: () => {
          toastManager.close(id);
          onUndo();
        },
      },
    }),
  });
}

/** Called once, when the manager's messages are rendered. */
export function showWaitingToasts(): void {
  const texts = waiting ?? [];
  waiting = undefined;
  for (const { text, onUndo } of texts) toast(text, onUndo);
}
