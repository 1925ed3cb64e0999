import {
  newShareLink,
  viewBody,
  newView,
  newLoggedJob,
  newRun,
  newPullRequest,
  newQuarantinedTest,
  newFailureGroup,
  newFlakyTest,
  newTest,
  testReport,
  newBadge,
  newHidden,
} from '../route-objects.ts';
import { after, inPath, nothing, one, type Examples } from './example.ts';

/** Calls about runs, what is computed from them, and saved views. */
export const runExamples: Examples = {
  'GET /api/search/runs': nothing,
  'GET /api/home': nothing,
  [`GET ${one}/workflows`]: after(newRun),
  [`GET ${one}/workflows/facets`]: nothing,
  [`GET ${one}/workflows/count`]: nothing,
  [`GET ${one}/jobs`]: nothing,
  [`GET ${one}/workflow-steps`]: () => ({ query: { repository: 'acme/site', workflow: 'CI' } }),
  [`GET ${one}/workflows/:runId`]: inPath('runId', newRun),
  [`GET ${one}/workflows/:runId/failures`]: inPath('runId', newRun),
  [`GET ${one}/workflows/:runId/commits`]: inPath('runId', newRun),
  [`GET ${one}/pull-requests`]: after(newPullRequest),
  [`GET ${one}/pull-requests/mine`]: nothing,
  [`GET ${one}/pull-requests/:number`]: inPath('number', newPullRequest),
  [`POST ${one}/test-reports`]: async (world) => ({ query: { run: await newRun(world) }, body: testReport }),
  [`GET ${one}/tests`]: after(newTest),
  [`GET ${one}/tests/facets`]: nothing,
  [`GET ${one}/tests/:testId`]: inPath('testId', newTest),
  [`PUT ${one}/tests/:testId/quarantine`]: async (world) => ({
    params: { testId: await newFlakyTest(world) },
    body: { reason: 'Race', ownerId: world.team.owner.userId },
  }),
  [`DELETE ${one}/tests/:testId/quarantine`]: inPath('testId', newQuarantinedTest),
  [`GET ${one}/quarantine.json`]: after(newQuarantinedTest),
  [`GET ${one}/quarantine.txt`]: after(newQuarantinedTest),
  [`GET ${one}/workflows/:runId/tests`]: inPath('runId', newRun),
  [`GET ${one}/failure-groups`]: after(newFailureGroup),
  [`GET ${one}/failure-groups/:groupId`]: inPath('groupId', newFailureGroup),
  [`PATCH ${one}/failure-groups/:groupId`]: inPath('groupId', newFailureGroup, { status: 'acknowledged' }),
  [`GET ${one}/workflows/:runId/actions`]: inPath('runId', newRun),
  // The answer is that no connection covers the repository; the role does not stand in the way.
  [`POST ${one}/workflows/:runId/rerun`]: inPath('runId', newRun, { scope: 'all' }),
  [`POST ${one}/workflows/:runId/cancel`]: inPath('runId', newRun),
  // The answer is that no connection covers the repository; the role does not stand in the way.
  [`GET ${one}/workflows/:runId/jobs/:jobId/log`]: newLoggedJob,
  [`GET ${one}/workflows/:runId/jobs/:jobId/log/lines`]: newLoggedJob,
  [`GET ${one}/workflows/:runId/jobs/:jobId/log/search`]: async (world) => ({
    ...(await newLoggedJob(world)),
    query: { q: 'error' },
  }),
  [`GET ${one}/workflows/:runId/jobs/:jobId/log/text`]: newLoggedJob,
  [`GET ${one}/log-access`]: nothing,
  [`PUT ${one}/log-access`]: () => ({ body: { role: 'member' } }),
  [`GET ${one}/wallboard`]: nothing,
  [`GET ${one}/share-links`]: nothing,
  [`POST ${one}/share-links`]: () => ({ body: { name: 'Office', filter: {} } }),
  [`DELETE ${one}/share-links/:linkId`]: inPath('linkId', newShareLink),
  [`GET ${one}/badges`]: nothing,
  [`POST ${one}/badges`]: async (world) => {
    await newRun(world);
    return { body: { repository: 'acme/site', workflow: 'CI' } };
  },
  [`DELETE ${one}/badges/:badgeId`]: inPath('badgeId', newBadge),
  [`GET ${one}/hidden-workflows`]: after(newHidden),
  [`POST ${one}/hidden-workflows`]: async (world) => {
    await newRun(world);
    return { body: { repository: 'acme/site', workflow: 'CI' } };
  },
  [`DELETE ${one}/hidden-workflows/:hiddenWorkflowId`]: inPath('hiddenWorkflowId', newHidden),
  [`GET ${one}/workflow-owners`]: nothing,
  [`GET ${one}/workflow-owner`]: () => ({ query: { repository: 'acme/site', workflow: 'CI' } }),
  [`PUT ${one}/workflow-owner`]: () => ({
    body: { repository: 'acme/site', workflow: 'CI', owner: { email: 'team@example.com' } },
  }),
  [`GET ${one}/cctray.xml`]: nothing,
  [`GET ${one}/metrics.txt`]: nothing,
  [`GET ${one}/incidents.atom`]: nothing,
  [`GET ${one}/overview`]: nothing,
  [`GET ${one}/metrics`]: nothing,
  [`GET ${one}/what-changed`]: nothing,
  [`GET ${one}/health`]: nothing,
  [`GET ${one}/saved-views`]: after(newView),
  [`POST ${one}/saved-views`]: () => ({ body: viewBody('New') }),
  [`PUT ${one}/saved-views/:viewId`]: inPath('viewId', newView, viewBody('Renamed')),
  [`DELETE ${one}/saved-views/:viewId`]: inPath('viewId', newView),
};
