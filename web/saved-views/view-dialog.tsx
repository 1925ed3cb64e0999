import { useState } from 'react';
import type { SavedView } from '#contract/runs/saved-views.ts';
import { sendJson } from '../api/client.ts';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { useSave } from '../ui/use-save.ts';
import { viewsPath } from './views-query.ts';

type Filter = SavedView['filter'];

/** The open dialog: name a new view, rename one or delete one. */
export type OpenDialog = { what: 'new' } | { what: 'renaming' | 'deletion'; view: SavedView };

interface DialogProps {
  integrationId: string;
  /** The current filter of the list. */
  filter: Filter;
  views: readonly SavedView[];
  onClose: () => void;
}

/** Loaded on demand, because the run list is the first page that people see. */
export function ViewDialog({ open, ...props }: DialogProps & { open: OpenDialog }) {
  if (open.what === 'new') return <NameView {...props} renamed={undefined} />;
  if (open.what === 'renaming') return <NameView {...props} renamed={open.view} />;
  return <DeleteView {...props} view={open.view} />;
}

/** Names or renames a view. An existing name replaces the filters of that view. */
function NameView({
  integrationId,
  filter,
  renamed,
  views,
  onClose,
}: DialogProps & { renamed: SavedView | undefined }) {
  const [name, setName] = useState(renamed?.name ?? '');
  const path = viewsPath(integrationId);
  const wanted = name.trim().toLowerCase();
  const sameName = views.find((view) => view.name.toLowerCase() === wanted);
  const changed = renamed ?? sameName;
  const save = useSave({
    path,
    send: () =>
      changed === undefined
        ? sendJson<SavedView>('POST', path, { name, filter })
        : sendJson<SavedView>('PUT', `${path}/${changed.viewId}`, { name, filter }),
    done: renamed === undefined ? 'View saved' : 'View renamed',
    onSaved: onClose,
  });
  const replaces = renamed === undefined && sameName !== undefined;
  return (
    <Dialog title={renamed === undefined ? 'Save this view' : 'Rename this view'} onClose={onClose}>
      <Form
        submit={renamed === undefined ? (replaces ? 'Replace' : 'Save') : 'Rename'}
        request={save}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name"
          required
          maxLength={60}
          placeholder="Failures on main"
          hint={
            replaces
              ? 'A view with this name exists. Its filters are replaced.'
              : 'Visible only to you, in this integration.'
          }
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </Form>
    </Dialog>
  );
}

function DeleteView({
  integrationId,
  view: { viewId, name },
  onClose,
}: Omit<DialogProps, 'filter' | 'views'> & { view: SavedView }) {
  const remove = useRemove(viewsPath(integrationId));
  return (
    <ConfirmDialog
      title={`Delete the view “${name}”?`}
      action="Delete"
      onConfirm={() => remove('View deleted', viewId)}
      onClose={onClose}
    >
      <p>The current filters stay active, so you can save them again.</p>
    </ConfirmDialog>
  );
}
