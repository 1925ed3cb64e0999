/** Faults that the product could have. `npm run truth:mutations` puts each of them into a copy and expects a difference from the model. */
export interface Mutation {
  name: string;
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  /** The kind of world in which it shows. */
  kind: string;
}

export const mutations: readonly Mutation[] = [
  {
    name: 'a run is named by what run-name sets',
    file: 'server/events/names/event-source.ts',
    from: `const name = maskedText(workflow['name'], maxLengths.name);`,
    to: `const name = maskedText(subject['name'], maxLengths.name);`,
    kind: 'forks',
  },
  {
    name: 'the branch of a fork counts as ours',
    file: 'server/events/types/workflow-run.ts',
    from: `run['head_repository'] === null || (headRepository !== undefined && headRepository !== repository['id'])`,
    to: `run['head_repository'] === null || (headRepository !== undefined && headRepository === null)`,
    kind: 'forks',
  },
  {
    name: 'the late completion of an earlier attempt has no effects',
    file: 'server/worker-effects.ts',
    from: `if (outcome === 'stale' && message.reason !== 'earlier_attempt_updated') return [];`,
    to: `if (outcome === 'stale') return [];`,
    kind: 'reruns',
  },
  {
    name: 'a run that waits for a person is not red',
    file: 'contract/runs/conclusions.ts',
    from: `  ...failedConclusions,\n  'action_required',\n] as const satisfies readonly Conclusion[];`,
    to: `  ...failedConclusions,\n] as const satisfies readonly Conclusion[];`,
    kind: 'forks',
  },
  {
    name: 'one of several commits is named',
    file: 'server/failures/blame/blame.ts',
    from: `if (others.length > 0) return nobody`,
    to: `if (others.length > 99) return nobody`,
    kind: 'pushes',
  },
  {
    name: 'a commit is named without a success before it',
    file: 'server/failures/blame/blame.ts',
    from: `if (lastGreen === null) return nobody('no_success_before');`,
    to: '',
    kind: 'schedules',
  },
  {
    name: 'jobs go on after their run ended',
    file: 'server/runs/read-run.ts',
    from: `if (own?.status !== 'completed' && next === undefined) return job;`,
    to: `return job;`,
    kind: 'reruns',
  },
  {
    name: 'runs older than the retention are stored',
    file: 'server/worker/store-events.ts',
    from: `keptSince === undefined || timeOf(event) >= keptSince`,
    to: `keptSince === undefined || timeOf(event) >= 0`,
    kind: 'history',
  },
  {
    name: 'failures of days ago are notified',
    file: 'server/alerts/evaluation/evaluate-rules.ts',
    from: `ruleId === null && at < now - policy.newsMs ? 'too_old' : undefined`,
    to: `ruleId === null && at < 0 ? 'too_old' : undefined`,
    kind: 'history',
  },
  {
    name: 'each test of the merge queue is a branch of its own',
    file: 'contract/runs/merge-group.ts',
    from: `return base === undefined ? undefined : { base, pullRequest: Number(number) };`,
    to: `return base === undefined || number !== '' ? undefined : { base, pullRequest: Number(number) };`,
    kind: 'merge queue',
  },
  {
    name: 'a tile is red since its newest failure',
    file: 'server/wallboard/tile.ts',
    from: `isFailed ? (streak?.since ?? last.createdAt) : null`,
    to: `isFailed ? last.createdAt : null`,
    kind: 'pushes',
  },
  {
    name: 'an incident stays open when the default branch changes',
    file: 'server/alerts/branches/close-ended-branches.ts',
    from: `for (const { repository, branch, ended_at: at } of left)`,
    to: `for (const { repository, branch, ended_at: at } of left.slice(left.length))`,
    kind: 'another default branch',
  },
  {
    name: 'an incident of a merge queue stays open when the base branch changes',
    file: 'server/events/record-events.ts',
    from: `insertBranchEnds(tx, stored.pull_request, changed.pull_request);`,
    to: `insertBranchEnds(tx, stored.pull_request, changed.pull_request.filter(({ state }) => state === 'closed'));`,
    kind: 'merge queue',
  },
  {
    name: 'the incident of a renamed fork keeps its earlier name',
    file: 'server/events/record-events.ts',
    from: `renameForks(tx, named.renamedForks);`,
    to: '',
    kind: 'renamed forks',
  },
  {
    name: 'a late event gives a renamed fork its earlier name',
    file: 'server/events/names/resolve-names.ts',
    from: `if (source.at < known.namedAt) return;`,
    to: '',
    kind: 'renamed forks',
  },
  {
    name: 'a superseded run is a failure',
    file: 'server/conclusions/conclusion-settler.ts',
    from: `conclusion === 'failure' || conclusion === 'cancelled'`,
    to: `conclusion === 'cancelled'`,
    kind: 'cancelled by newer pushes',
  },
  {
    name: 'a gate that fails after the cancellation is a failure',
    file: 'server/runs/objects/superseding-run.ts',
    from: `.started_at, '-infinity'))`,
    to: `.started_at - interval '1 hour', '-infinity'))`,
    kind: 'cancelled by newer pushes',
  },
  {
    name: 'a repository that is made again is named by its id',
    file: 'server/events/names/resolve-names.ts',
    from: `each.namedAt < one.namedAt,`,
    to: `each.namedAt < 0,`,
    kind: 'deletions',
  },
  {
    name: 'a pull request forgets whose the deleted fork was',
    file: 'server/runs/objects/pull-request.ts',
    from: `headRepository: hidden(fact(text)),`,
    to: `headRepository: hidden(newest(nullable(text))),`,
    kind: 'deleted forks',
  },
  {
    name: 'a branch of a fork that is not named is ours',
    file: 'server/events/types/workflow-run.ts',
    from: `? unknownFork`,
    to: `? null`,
    kind: 'deleted forks',
  },
  {
    name: 'retention removes nothing',
    file: 'server/retention/delete-old-runs.ts',
    from: `if (runIds.length === 0) return 0;`,
    to: `if (runIds.length >= 0) return 0;`,
    kind: 'history',
  },
  {
    name: 'a re-run counts as a first try',
    file: 'server/rollups/quantities.ts',
    from: `reruns: ({ attempt }) => Number(attempt > 1)`,
    to: `reruns: ({ attempt }) => Number(attempt > 2)`,
    kind: 'reruns',
  },
  {
    name: 'a merge group knows no earlier group of its pull request',
    file: 'server/failures/blame/streak-start-store.ts',
    from: "or a.is_group and ${branchOfRun('n')} = ${branchOfRun('a')})",
    to: `)`,
    kind: 'merge queue',
  },
  {
    name: 'the commit of a merge group is named',
    file: 'server/failures/blame/blame.ts',
    from: `if (isMergeGroup) return`,
    to: `if (isMergeGroup && others.length > 0) return`,
    kind: 'merge queue',
  },
  {
    name: 'merge groups of one pull request do not supersede each other',
    file: 'server/runs/objects/branch-of-run.ts',
    from: `regexp_replace(`,
    to: `concat(`,
    kind: 'broken batches',
  },
];
