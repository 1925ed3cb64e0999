/** More workflows are left out. */
export const mostWorkflows = 500;

/** SQL of a recursive query `keys`: walks the index from one workflow of the integration `$1` to the next. */
export const walk = (ofBranch: string): string => `
  (select w.workflow_key, 1 as n from workflow_runs w where w.integration_id = $1 and ${ofBranch}
   order by w.workflow_key limit 1)
  union all
  select (select w.workflow_key from workflow_runs w
          where w.integration_id = $1 and ${ofBranch} and w.workflow_key > k.workflow_key
          order by w.workflow_key limit 1), k.n + 1
  from keys k where k.workflow_key is not null and k.n < ${mostWorkflows}`;
