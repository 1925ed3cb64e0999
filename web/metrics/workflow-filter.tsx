import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FilterMenu } from '../ui/filter-menu.tsx';
import { clip } from '../ui/clip.ts';
import { lookedAt, workflowNamesQuery } from '../monitoring/workflow-names.ts';

/** Offers the workflows of the newest runs; an address may name any other. */
export function WorkflowFilter({
  integrationId,
  value,
  onChoose,
}: {
  integrationId: string;
  value: string | undefined;
  onChoose: (workflow: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const { data: names } = useQuery({
    ...workflowNamesQuery(integrationId),
    enabled: isOpen,
  });
  const known = new Set([...(value === undefined ? [] : [value]), ...(names ?? [])]);
  return (
    <FilterMenu
      name="Workflow"
      value={value}
      groups={[[...known].map((name) => ({ value: name, label: clip(name, 100) }))]}
      onChoose={onChoose}
      onOpenChange={setOpen}
      note={names && `Seen in the newest ${lookedAt} runs`}
    />
  );
}
