import { useQuery } from '@tanstack/react-query';
import Bookmark from 'lucide-react/icons/bookmark';
import Pencil from 'lucide-react/icons/pencil';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import type { SavedView } from '#contract/runs/saved-views.ts';
import { clip } from '../ui/text/clip.ts';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { ChoiceMenu } from '../ui/menu/menu.tsx';
import type { MenuAction } from '../ui/menu/menu-popup.tsx';
import { PillText } from '../ui/menu/pill-text.tsx';
import { pill } from '../ui/menu/pill.ts';
import { isSameFilter } from './same-filter.ts';
import type { OpenDialog } from './view-dialog.tsx';
import { viewsQuery } from './views-query.ts';

type Filter = SavedView['filter'];

const ViewDialog = lazyPart('view-dialog', 'ViewDialog', () => import('./view-dialog.tsx'));

const all = '';

/** The saved views of a person: select, save, rename, delete. */
export function ViewMenu({
  integrationId,
  filter,
  onChoose,
}: {
  integrationId: string;
  filter: Filter;
  onChoose: (filter: Filter) => void;
}) {
  const [open, setOpen] = useState<OpenDialog>();
  const { data: views, error } = useQuery(viewsQuery(integrationId));
  const isFiltered = !isSameFilter(filter, {});
  const shown = views?.find((view) => isSameFilter(view.filter, filter));
  return (
    <>
      <ChoiceMenu
        label="Views"
        className={shown === undefined ? pill.open : pill.set}
        value={isFiltered ? (shown?.viewId ?? 'none of them') : all}
        groups={[
          [{ value: all, label: 'All runs' }],
          (views ?? []).map(({ viewId, name }) => ({ value: viewId, label: name })),
        ].filter((choices) => choices.length > 0)}
        actions={actionsFor(shown, isFiltered, setOpen)}
        note={error && `Your views could not be loaded. ${error.message}`}
        onChoose={(chosen) => onChoose(views?.find(({ viewId }) => viewId === chosen)?.filter ?? {})}
      >
        <Bookmark size={14} aria-hidden className="shrink-0" />
        {/* A name that is known later than the rest must not break the line of filters. */}
        <span className="inline-flex min-w-0 items-center gap-1.5 md:max-2xl:sr-only">
          {shown ? <PillText name="View" value={clip(shown.name, 60)} /> : 'Views'}
        </span>
      </ChoiceMenu>
      {open && (
        <ViewDialog
          integrationId={integrationId}
          filter={filter}
          open={open}
          views={views ?? []}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function actionsFor(
  shown: SavedView | undefined,
  isFiltered: boolean,
  open: (dialog: OpenDialog) => void,
): MenuAction[] {
  if (shown === undefined)
    return [
      {
        label: 'Save this view…',
        icon: <Plus size={14} aria-hidden />,
        reason: isFiltered ? undefined : 'Set a filter first: a view is a set of filters',
        onAct: () => open({ what: 'new' }),
      },
    ];
  return [
    {
      label: 'Rename this view…',
      icon: <Pencil size={14} aria-hidden />,
      onAct: () => open({ what: 'renaming', view: shown }),
    },
    {
      label: 'Delete this view…',
      icon: <Trash2 size={14} aria-hidden />,
      onAct: () => open({ what: 'deletion', view: shown }),
    },
  ];
}
