import { createDeck, createRandom, hash32, type Random } from '../random.ts';
import {
  account,
  organization,
  type Account,
  type ForgeUrls,
  type Organization,
} from '../payload/account.ts';
import type { Mix, RunOutcome, Scenario } from './mix.ts';
import * as names from './names.ts';
import { repository, type Repository } from '../payload/repository.ts';
import { workflow, type Workflow, type WorkflowKey } from './workflows.ts';

type IdKind = 'run' | 'job' | 'checkSuite' | 'pullRequest' | 'review' | 'deployment';

/** The simulated organization and the random choices of scenarios. They depend only on the seed. */
export interface World {
  random: Random;
  mix: Mix;
  urls: ForgeUrls;
  organization: Organization;
  repositories: readonly Repository[];
  people: readonly Account[];
  bots: readonly Account[];
  outsiders: readonly Account[];
  drawScenario: () => Scenario;
  drawOutcome: () => RunOutcome;
  workflow(repository: Repository, key: WorkflowKey): Workflow;
  /** A random duration between two numbers of natural seconds, in milliseconds of lifecycle time. */
  elapse(minSeconds: number, maxSeconds: number): number;
  /** Ids ascend in the order of creation. */
  nextId(kind: IdKind): number;
  /** Counts the runs of a workflow and the pull requests of a repository. */
  nextNumber(counter: string): number;
}

interface WorldOptions {
  seed: string | number;
  startAt: number;
  timeScale: number;
  repositories: number;
  urls: ForgeUrls;
  mix: Mix;
}

export function createWorld({ seed, startAt, timeScale, repositories, urls, mix }: WorldOptions): World {
  const random = createRandom(seed);
  const owner = account(urls, names.organizationLogin, 'Organization');
  const workflows = new Map<string, Workflow>();
  return {
    random,
    mix,
    urls,
    organization: organization(urls, names.organizationLogin),
    repositories: repositoryNames(repositories).map((name) => repository(urls, owner, name)),
    people: names.people.map((login) => account(urls, login, 'User')),
    bots: names.bots.map((login) => account(urls, login, 'Bot')),
    outsiders: names.outsiders.map((login) => account(urls, login, 'User')),
    drawScenario: createDeck(random, mix.scenarios),
    drawOutcome: createDeck(random, mix.outcomes),
    workflow: (repository, key) => {
      const name = `${repository.full.full_name}/${key}`;
      const known = workflows.get(name) ?? workflow(urls, repository, key);
      workflows.set(name, known);
      return known;
    },
    elapse: (minSeconds, maxSeconds) => (random.between(minSeconds, maxSeconds) * 1000) / timeScale,
    nextId: idCounter(random, `${seed}/${startAt}`),
    nextNumber: numberCounter(`${seed}/${startAt}`),
  };
}

function repositoryNames(count: number): string[] {
  const known = names.repositoryNames;
  return Array.from({ length: count }, (_, index) => {
    const round = Math.floor(index / known.length);
    const name = known[index % known.length] as string;
    return round === 0 ? name : `${name}-${round + 1}`;
  });
}

/**
 * Seed and start time select a range among 4 * 10^11 ids, so that two simulations of one integration are unlikely to share
 * run ids.
 */
function idCounter(random: Random, label: string): World['nextId'] {
  const base = 10_000_000_000 + hash32(label) * 100;
  const last = new Map<IdKind, number>();
  return (kind) => {
    const id = (last.get(kind) ?? base) + random.int(1, 3);
    last.set(kind, id);
    return id;
  };
}

function numberCounter(label: string): World['nextNumber'] {
  const last = new Map<string, number>();
  return (counter) => {
    const number = (last.get(counter) ?? 100 + (hash32(`${label}/${counter}`) % 90_000)) + 1;
    last.set(counter, number);
    return number;
  };
}
