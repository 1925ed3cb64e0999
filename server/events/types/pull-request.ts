import { storableText } from '#platform/database/rows/storable-text.ts';
import { fields, type Fields } from '#platform/runtime/json-fields.ts';
import {
  forkId,
  login,
  maskedText,
  maxLengths,
  requireFields,
  requireId,
  requireText,
  textList,
  type Origin,
} from '../parsing/payload-fields.ts';
import { timeMs } from '#platform/runtime/times.ts';
import { storedPullRequests, type PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { updateStaleRules, updateVersion } from '#server/runs/staleness.ts';
import { eventType } from './event-type.ts';

function parsePullRequest(payload: Fields, { integrationId, deliveredAt }: Origin): PullRequestRow {
  const pull = requireFields(payload['pull_request'], 'pull_request');
  const repository = requireFields(payload['repository'], 'repository');
  const head = fields(pull['head']);
  const updatedAt = timeMs(pull['updated_at']);
  return {
    integrationId,
    repository: requireText(repository['full_name'], 'repository.full_name', maxLengths.name),
    number: requireId(pull['number'] ?? payload['number'], 'pull_request.number'),
    version: updateVersion(updatedAt, deliveredAt),
    title: maskedText(pull['title'], maxLengths.title),
    state: storableText(pull['state'], maxLengths.conclusion),
    draft: pull['draft'] === true,
    merged: pull['merged'] === true,
    author: login(pull['user']),
    labels: textList(pull['labels'], 100, (label) => storableText(fields(label)['name'], maxLengths.name)),
    headBranch: storableText(head['ref'], maxLengths.name),
    headSha: storableText(head['sha'], maxLengths.name),
    headRepository: storableText(fields(head['repo'])['full_name'], maxLengths.name),
    forkId: forkId(head['repo'], repository),
    baseBranch: storableText(fields(pull['base'])['ref'], maxLengths.name),
    url: storableText(pull['html_url'], maxLengths.url),
    createdAt: timeMs(pull['created_at']),
    updatedAt,
    closedAt: timeMs(pull['closed_at']),
    mergedAt: timeMs(pull['merged_at']),
    // Before the merge it is the commit of a trial.
    mergeSha: pull['merged'] === true ? storableText(pull['merge_commit_sha'], maxLengths.name) : null,
    olderFacts: null,
  };
}

export const pullRequest = eventType({
  code: 2,
  object: storedPullRequests,
  parse: parsePullRequest,
  staleRules: updateStaleRules,
});
