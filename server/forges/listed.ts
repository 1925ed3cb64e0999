import { fields, isFields, type Fields } from '#platform/runtime/json-fields.ts';
import type { ForgeArtifact, PullRequestPage, RunPage } from './port.ts';

/** Objects without the fields that are read are left out: one of them must not block the others. */

export function listedRuns(list: unknown): RunPage['runs'] {
  return listed(list).filter(
    (run): run is Fields & { id: number; created_at: string } =>
      typeof run['id'] === 'number' && typeof run['created_at'] === 'string',
  );
}

export function listedPullRequests(list: unknown): PullRequestPage['pullRequests'] {
  return listed(list).filter(
    (pull): pull is Fields & { updated_at: string; merged_at: string | null } =>
      typeof pull['updated_at'] === 'string',
  );
}

export function listed(list: unknown): Fields[] {
  return Array.isArray(list) ? list.filter(isFields) : [];
}

/** The part of artifacts that GitHub, Gitea and Forgejo share. */
export function listedArtifacts(list: readonly Fields[]): ForgeArtifact[] {
  return list.flatMap(
    ({ id, name, size_in_bytes: size, expired, created_at: createdAt, workflow_run: run }) => {
      if (typeof id !== 'number' || typeof name !== 'string') return [];
      const at = new Date(typeof createdAt === 'string' ? createdAt : NaN);
      const { id: runId } = fields(run);
      return {
        id,
        name: name.slice(0, 500),
        size: typeof size === 'number' ? size : null,
        isExpired: expired === true,
        createdAt: Number.isNaN(at.getTime()) ? null : at,
        runId: typeof runId === 'number' ? runId : null,
      };
    },
  );
}
