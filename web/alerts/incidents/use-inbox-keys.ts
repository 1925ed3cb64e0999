import { stepWithin } from '../../ui/keyboard/step-through.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';

/** `j` and `k` move between rows, whose links have the keys as ids. The keys of `actions` act on the row that has the focus. */
export function useInboxKeys<Row extends { key: string }>(
  rows: readonly Row[],
  actions: Readonly<Record<string, (row: Row) => void>>,
): void {
  const focused = (): number => {
    const row = document.activeElement?.closest('tr');
    return rows.findIndex(({ key }) => row?.contains(document.getElementById(key)));
  };
  const move = (step: 1 | -1): void => {
    const row = rows[stepWithin(rows.length, focused(), step)];
    if (row !== undefined) document.getElementById(row.key)?.focus();
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(
      Object.entries(actions).map(([key, act]) => [
        key,
        () => {
          const row = rows[focused()];
          if (row !== undefined) act(row);
        },
      ]),
    ),
  });
}
