import { Toast } from '@base-ui/react/toast';

export const toastManager = Toast.createToastManager();

/** Messages from before the toasts are loaded. Undefined afterwards. */
let waiting: string[] | undefined = [];

/** Shows and announces a success for a moment. Failures are shown where they happen. */
export function toast(text: string): void {
  if (waiting === undefined) toastManager.add({ description: text });
  else waiting.push(text);
}

/** Called once, when the manager's messages are rendered. */
export function showWaitingToasts(): void {
  const texts = waiting ?? [];
  waiting = undefined;
  texts.forEach(toast);
}
