import { Incident, IncidentChange, IncidentPage, IncidentQuery } from '#contract/alerts/incidents.ts';
import { route, type Route } from '#server/route.ts';
import { changeIncident, type ChangeIncidentDeps } from './change-incident.ts';
import { readIncidents } from './reading/read-history.ts';

const base = '/api/integrations/:integrationId/incidents';

export function incidentRoutes(deps: ChangeIncidentDeps): Route[] {
  const { db, clock } = deps;
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List incidents, newest first',
      query: IncidentQuery,
      answer: { schema: IncidentPage },
      handle: ({ params: { integrationId }, query, caller: { userId } }) =>
        db.withScope({ integrationId }, (tx) => readIncidents(tx, { integrationId, userId }, query, clock())),
    }),
    route('PATCH', `${base}/:incidentId`, {
      access: { role: 'member' },
      summary: 'Acknowledge, assign, snooze, close or reopen an incident, or undo that',
      body: IncidentChange,
      errors: ['conflict'],
      answer: { schema: Incident },
      handle: ({ params, body, caller }) => changeIncident(deps, { ...params, actorId: caller.userId }, body),
    }),
  ];
}
