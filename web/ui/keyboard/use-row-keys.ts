import { useEffect, useRef, type RefObject } from 'react';
import { stepWithin } from './step-through.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** The address of the row that was opened last. */
let opened: string | undefined;

/**
 * For a list whose row links have `data-row`: `j` and `k` move the focus between them, and going back to the list returns it to the
 * link that was opened.
 */
export function useRowKeys(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null);
  const wanted = useRef(opened);
  const links = (): HTMLAnchorElement[] => [...(list.current?.querySelectorAll('a') ?? [])].filter(isRow);
  const move = (step: 1 | -1): void => {
    const all = links();
    const at = all.findIndex((link) => link === document.activeElement);
    all[stepWithin(all.length, at, step)]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  useEffect(() => {
    opened = undefined;
    const noteOpened = ({ target }: Event): void => {
      const link = target instanceof Element ? target.closest('a') : null;
      if (link !== null && isRow(link)) opened = link.href;
    };
    const shown = list.current;
    shown?.addEventListener('click', noteOpened);
    return () => shown?.removeEventListener('click', noteOpened);
  }, []);
  // The rows appear when they are loaded.
  useEffect(() => {
    const link = wanted.current && links().find(({ href }) => href === wanted.current);
    if (!link) return;
    wanted.current = undefined;
    if (document.activeElement === document.body) link.focus({ preventScroll: true });
  });
  return list;
}

const isRow = (link: HTMLAnchorElement): boolean => link.dataset['row'] !== undefined;
