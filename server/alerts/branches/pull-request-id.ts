/** A closed pull request. */
export interface PullRequestId {
  integrationId: string;
  repository: string;
  number: number;
}
