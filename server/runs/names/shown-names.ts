import type { Tx } from '#platform/database/database.ts';
import { listRenamed, type RenamedRow } from './name-store.ts';

/** All names that a repository and a workflow have and had, for patterns. */
export interface PlaceNames {
  repository: readonly string[];
  workflow: readonly string[];
}

interface Renamed {
  shown: string;
  names: readonly string[];
}

/**
 * What is shown for stored names: rows keep the first name of a repository or workflow (docs/decisions/0024-names-stand-for-ids.md).
 * Most integrations have renamed nothing, and then nothing is done.
 */
export class ShownNames {
  readonly #renamed = new Map<string, Renamed>();

  constructor(rows: readonly RenamedRow[]) {
    for (const { integrationId, repository, workflow, shown, earlier } of rows)
      this.#renamed.set(keyOf(integrationId, repository, workflow), {
        shown,
        names: [...new Set([shown, workflow ?? repository, ...earlier])],
      });
  }

  get isEmpty(): boolean {
    return this.#renamed.size === 0;
  }

  repository(integrationId: string, repository: string): string {
    return this.#renamed.get(keyOf(integrationId, repository, null))?.shown ?? repository;
  }

  workflow(integrationId: string, repository: string, workflow: string): string {
    return this.#renamed.get(keyOf(integrationId, repository, workflow))?.shown ?? workflow;
  }

  /** Adds all their names to places with other ones. */
  withNames<Place extends { repository: string; workflow: string | null }>(
    integrationId: string,
    places: readonly Place[],
  ): (Place & { names?: PlaceNames })[] {
    if (this.isEmpty) return [...places];
    return places.map((place) => {
      const { repository, workflow } = place;
      const ofRepository = this.#renamed.get(keyOf(integrationId, repository, null));
      const ofWorkflow = this.#renamed.get(keyOf(integrationId, repository, workflow ?? ''));
      if (ofRepository === undefined && ofWorkflow === undefined) return place;
      return {
        ...place,
        names: {
          repository: ofRepository?.names ?? [repository],
          workflow: ofWorkflow?.names ?? (workflow === null ? [] : [workflow]),
        },
      };
    });
  }

  /**
   * A copy of a JSON value with the names for display in its fields `repository`, `headRepository`, `workflow` and `workflowName`. A
   * workflow belongs to the repository of the same object or of one around it, and so does the integration.
   */
  show<Value>(integrationId: string, value: Value): Value {
    return this.isEmpty ? value : (this.#shown(value, { integrationId, repository: undefined }) as Value);
  }

  #shown(value: unknown, around: { integrationId: string; repository: string | undefined }): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#shown(each, around));
    if (!isPlain(value)) return value;
    const own = {
      integrationId:
        typeof value['integrationId'] === 'string' ? value['integrationId'] : around.integrationId,
      repository: typeof value['repository'] === 'string' ? value['repository'] : around.repository,
    };
    const shown: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(value)) {
      if (name === 'repository' && Array.isArray(each))
        shown[name] = each.map((value) => this.#shownFacet(value, own.integrationId));
      else if (typeof each !== 'string') shown[name] = this.#shown(each, own);
      else if (name === 'repository' || name === 'headRepository')
        shown[name] = this.repository(own.integrationId, each);
      else if ((name === 'workflow' || name === 'workflowName') && own.repository !== undefined)
        shown[name] = this.workflow(own.integrationId, own.repository, each);
      else shown[name] = each;
    }
    return shown;
  }

  /** A repository as a value that lists can be filtered by, with the number of its rows. */
  #shownFacet(facet: unknown, integrationId: string): unknown {
    if (!isPlain(facet) || typeof facet['value'] !== 'string') return facet;
    return { ...facet, value: this.repository(integrationId, facet['value']) };
  }
}

/** Of integrations that the transaction may read. */
export async function readShownNames(tx: Tx, integrationIds: readonly string[]): Promise<ShownNames> {
  return new ShownNames(await listRenamed(tx, integrationIds));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const keyOf = (integrationId: string, repository: string, workflow: string | null): string =>
  JSON.stringify([integrationId, repository, workflow]);
