export interface PullRequestId {
  integrationId: string;
  repository: string;
  number: number;
}
