/** SQL: the head commits of the pull requests with a number, as an array. */
export function headsOfPullRequests(integrationId: string, number: string): string {
  return `array(select p.head_sha from pull_requests p
    where p.integration_id = ${integrationId} and p.number = ${number} and p.head_sha is not null)`;
}

/** SQL: whether the run `r` is of the head commit of its repository's pull request. */
export function isHeadOfPullRequest(number: string): string {
  return `exists (select from pull_requests p
    where p.integration_id = r.integration_id and p.repository = r.repository
      and p.number = ${number} and p.head_sha = r.head_sha)`;
}
