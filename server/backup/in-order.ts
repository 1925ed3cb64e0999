import type { StoredTable } from './backup-store.ts';

/** Orders tables so that each follows those that its rows refer to. */
export function inOrder(
  tables: readonly StoredTable[],
  references: readonly { from: string; to: string }[],
): StoredTable[] {
  const byName = new Map(tables.map((table) => [table.table, table]));
  const ordered = new Set<StoredTable>();
  const add = (table: StoredTable, path: readonly string[]): void => {
    if (path.includes(table.table)) throw new Error(`Tables refer to each other: ${path.join(', ')}`);
    for (const { from, to } of references) {
      const referenced = byName.get(to);
      if (from === table.table && to !== from && referenced !== undefined)
        add(referenced, [...path, table.table]);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table, []);
  return [...ordered];
}
