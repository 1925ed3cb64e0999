import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  maxChosenRepositories,
  type ForgeConnectionState,
  type ForgeRepositories,
} from '#contract/integrations/forge-connection.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { CheckField, FieldGroup, TextField } from '../ui/form/field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { matchingRepositories } from './matching-repositories.ts';

/** Chooses among the repositories that the token sees. */
export function RepositoryChoice({
  path,
  connection,
  onSaved,
  onClose,
}: {
  path: string;
  connection: NonNullable<ForgeConnectionState['connection']>;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}) {
  const listPath = `${path}/repositories`;
  const reading = useQuery(jsonQuery<ForgeRepositories>(listPath));
  const [chosen, setChosen] = useState<readonly string[]>(connection.repositories.map(({ name }) => name));
  const save = useMutation({
    mutationFn: () => sendJson('PUT', listPath, { repositories: chosen }),
    onSuccess: async () => {
      toast('Repositories saved');
      await onSaved();
      onClose();
    },
  });
  return (
    <Dialog title="Choose repositories" onClose={onClose}>
      <Loaded reading={reading} what="repositories">
        {({ repositories }) => (
          <Form
            submit="Save repositories"
            request={save}
            reason={
              chosen.length > maxChosenRepositories
                ? `Choose at most ${maxChosenRepositories} repositories`
                : undefined
            }
            onSubmit={() => save.mutate()}
            onCancel={onClose}
          >
            <RepositoryFields repositories={repositories} chosen={chosen} onChange={setChosen} />
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}

function RepositoryFields({
  repositories,
  chosen,
  onChange,
}: {
  repositories: ForgeRepositories['repositories'];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const [filter, setFilter] = useState('');
  return (
    <>
      <TextField
        label="Filter"
        name="filter"
        type="search"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <FieldGroup name="repositories" label={`${chosen.length} chosen`}>
        {matchingRepositories(repositories, filter).map(({ name, mayAdminister }) => (
          <CheckField
            key={name}
            label={<bdi className="break-all">{name}</bdi>}
            hint={mayAdminister ? undefined : 'The account of the token does not administer it.'}
            checked={chosen.includes(name)}
            disabled={!mayAdminister && !chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
        ))}
      </FieldGroup>
    </>
  );
}
