import { fullNameOf } from '#server/runs/names/stored-full-name.ts';

/** SQL: joins the connections `l` that see the repository of `row`, which has `integration_id` and `repository`. */
export const joinConnections = (row: string): string => `join linked_repositories l
  on l.integration_id = ${row}.integration_id and l.is_chosen
  and l.repository = ${fullNameOf(`${row}.integration_id`, `${row}.repository`)}`;

/** SQL: the key of the task of connection `l`, as `keyOfConnection`. */
export const keyOfJoined = `coalesce(l.installation_id::text, 'token')`;
