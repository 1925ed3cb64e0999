import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  value: string;
  label: string;
  content: ReactNode;
}

/** Tabs; arrow keys switch. */
export function Tabs({ label, initial, tabs }: { label: string; initial: string; tabs: readonly Tab[] }) {
  return (
    <BaseTabs.Root defaultValue={initial}>
      <BaseTabs.List aria-label={label} className="flex gap-4 border-b border-line">
        {tabs.map(({ value, label: name }) => (
          <BaseTabs.Tab
            key={value}
            value={value}
            className="-mb-px border-b-2 border-transparent py-1.5 text-muted hover:text-text data-active:border-accent data-active:font-semibold data-active:text-text pointer-coarse:py-2.5"
          >
            {name}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ value, content }) => (
        <BaseTabs.Panel key={value} value={value} className="pt-3 outline-offset-4">
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
