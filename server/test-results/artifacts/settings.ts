import { ReportArtifacts } from '#contract/tests/tests.ts';
import type { Database } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole } from '#server/members/locks/lock-member-role.ts';
import { route, type Route } from '#server/route.ts';
import { findPatterns, replacePatterns } from './check-store.ts';

const path = '/api/integrations/:integrationId/report-artifacts';

/** Which artifacts are read for reports of tests. */
export function artifactSettingRoutes({ db }: { db: Database }): Route[] {
  return [
    route('GET', path, {
      access: { role: 'viewer' },
      summary: 'Get the patterns of names of artifacts whose reports of tests are read',
      answer: { schema: ReportArtifacts },
      handle: async ({ params: { integrationId } }) => ({
        patterns: (await db.withScope({ integrationId }, (tx) => findPatterns(tx, integrationId))) ?? [],
      }),
    }),
    route('PUT', path, {
      access: { role: 'admin' },
      summary:
        'Change the patterns of names of artifacts whose reports of tests are read; none reads no artifact',
      body: ReportArtifacts,
      answer: { schema: ReportArtifacts },
      handle: async ({ actor, body }) => {
        const patterns = [...new Set(body.patterns.map((pattern) => pattern.trim()))];
        await withRole(db, actor, 'admin', async (tx) => {
          const former = await replacePatterns(tx, actor.integrationId, patterns);
          if (former === undefined || former.join('\n') === patterns.join('\n')) return;
          await addLogEntry(tx, {
            ...actor,
            type: 'integration.report_artifacts_changed',
            title:
              patterns.length === 0
                ? 'No artifact is read for reports of tests'
                : `Artifacts named ${patterns.join(', ')} are read for reports of tests`,
            details: { from: former, to: patterns },
          });
        });
        return { patterns };
      },
    }),
  ];
}
