import {
  sampleIdsFrom,
  sampleOwner,
  sampleRepositoryNames,
} from '#server/sample-data/sample-repositories.ts';
import * as names from './names.ts';
import { account, organization, repository, type Account, type Repository } from '../payload/objects.ts';
import { createRandom, stableNumber, type Random } from '../random.ts';

/** The simulated organization. Random choices depend on the seed alone, ids and SHAs on the start time as well. */
export interface World {
  random: Random;
  repositories: readonly Repository[];
  people: readonly Account[];
  bots: readonly Account[];
  outsiders: readonly Account[];
  /** A random duration between two numbers of natural seconds, in milliseconds. */
  elapse(minSeconds: number, maxSeconds: number): number;
  /** Ascending, and unlikely to occur in another simulation. */
  nextId(): number;
  /** Random hexadecimal digits that are unlikely to occur in another simulation. */
  newHex(digits: number): string;
  /** Counts the runs of a workflow and the pull requests of a repository. */
  nextNumber(counter: string): number;
}

/** With a `timeScale` of 2 everything takes half of its natural time. The repositories and ids of samples are reserved for them. */
export function createWorld(seed: string, start: number, timeScale: number, isSample = false): World {
  const random = createRandom(seed);
  const unique = `${seed}/${start}`;
  const numbers = new Map<string, number>();
  const owner = account(isSample ? sampleOwner : organization.login, 'Organization');
  let id = (isSample ? sampleIdsFrom : 10_000_000_000) + stableNumber(unique, 0, 2 ** 32) * 100;
  return {
    random,
    repositories: sampleRepositoryNames.map((name) => repository(name, owner)),
    people: names.people.map((login) => account(login)),
    bots: names.bots.map((login) => account(login, 'Bot')),
    outsiders: names.outsiders.map((login) => account(login)),
    elapse: (minSeconds, maxSeconds) => (random.between(minSeconds, maxSeconds) * 1000) / timeScale,
    nextId: () => (id += random.int(1, 3)),
    newHex: createRandom(unique).hex,
    nextNumber: (counter) => {
      const number = (numbers.get(counter) ?? stableNumber(`${unique}/${counter}`, 100, 90_000)) + 1;
      numbers.set(counter, number);
      return number;
    },
  };
}
