import { Toast } from '@base-ui/react/toast';
import X from 'lucide-react/icons/x';
import { useEffect } from 'react';
import { Button, IconButton } from '../button.tsx';
import { showWaitingToasts, toastManager } from './toast.ts';

/** Long enough to read. The pointer or the focus keeps a toast open. The page shows the same information. */
const shownMs = 6000;

/** Rendered once, above the notices below the page. The live region always exists, so that screen readers announce its changes. */
export function Toasts() {
  useEffect(showWaitingToasts, []);
  return (
    <Toast.Provider toastManager={toastManager} timeout={shownMs}>
      <Toast.Viewport
        aria-label="Messages"
        className="pointer-events-none absolute inset-x-4 bottom-4 z-60 flex flex-col-reverse items-center gap-2"
      >
        <ToastList />
      </Toast.Viewport>
    </Toast.Provider>
  );
}

function ToastList() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // The default role is `dialog`, but the page stays in use.
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a toast is no group of fields
      role="group"
      aria-modal={undefined}
      className="pointer-events-auto flex max-w-full items-center gap-2 rounded-lg border border-line-strong bg-raised py-1.5 pr-1.5 pl-3 shadow-float data-limited:hidden"
    >
      <Toast.Description className="min-w-0 break-words" />
      <Toast.Action render={<Button />} />
      <Toast.Close aria-hidden={false} render={<IconButton label="Dismiss" />}>
        <X size={15} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
