import { useRouter } from '@tanstack/react-router';

/** Closes what a list opened: goes back to the list, or calls `leave` when the page was opened by its address. */
export function useClose(leave: () => void): () => void {
  const { history } = useRouter();
  return () => {
    if (history.location.state.isFromList && history.canGoBack()) history.back();
    else leave();
  };
}
