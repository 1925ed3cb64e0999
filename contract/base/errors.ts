/** All error codes of the API with status and title. Codes are stable. The API reference at `/docs` lists them. */
export const errorCodes = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_json: { status: 400, title: 'The body is not JSON' },
  payload_too_complex: { status: 400, title: 'The body is nested too deeply or contains too many values' },
  report_unreadable: { status: 400, title: 'The test report cannot be read' },
  unsupported_event: { status: 400, title: 'The event type is not supported' },
  invalid_path: { status: 400, title: 'The path is not in canonical form' },
  ambiguous_credentials: { status: 400, title: 'The request has an API token and a session' },
  invalid_state: { status: 400, title: 'The sign-in response is not valid' },
  missing_code: { status: 400, title: 'The sign-in response contains no code' },
  sign_in_refused: { status: 400, title: 'The identity provider refused the sign-in' },
  redirect_not_allowed: { status: 400, title: 'The redirect URL is not allowed' },
  unauthenticated: { status: 401, title: 'Sign-in required' },
  invalid_token: { status: 401, title: 'The API token is not valid' },
  invalid_job_token: { status: 401, title: 'The OpenID token of the job is not accepted' },
  invalid_share_link: { status: 401, title: 'The share link is not valid' },
  missing_refresh_token: { status: 401, title: 'Sign-in required' },
  refresh_refused: { status: 401, title: 'Sign-in required' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  insufficient_role: { status: 403, title: 'Your role does not allow this' },
  insufficient_scope: { status: 403, title: 'The scope of the API token does not allow this' },
  token_not_allowed: { status: 403, title: 'API tokens cannot do this' },
  token_limit_reached: { status: 403, title: 'Too many API tokens' },
  share_link_limit_reached: { status: 403, title: 'Too many share links' },
  quarantine_limit_reached: { status: 403, title: 'Too many tests are in quarantine' },
  badge_limit_reached: { status: 403, title: 'Too many badges' },
  admin_not_manageable: { status: 403, title: 'Only the owner can manage admins' },
  owner_not_assignable: { status: 403, title: 'Ownership can only be transferred' },
  owner_not_removable: { status: 403, title: 'The owner cannot be changed or removed' },
  owner_cannot_leave: { status: 403, title: 'The owner cannot leave' },
  own_role_not_changeable: { status: 403, title: 'You cannot change your own role' },
  sign_in_not_bound: { status: 403, title: 'Sign-in was started in another browser' },
  integration_creation_restricted: { status: 403, title: 'You are not allowed to create integrations' },
  integration_limit_reached: { status: 403, title: 'You own too many integrations' },
  installation_not_administered: {
    status: 403,
    title: 'You do not administer this installation',
  },
  forge_address_refused: { status: 403, title: 'The address of the forge is not allowed' },
  origin_not_allowed: { status: 403, title: 'The origin is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  run_unknown: { status: 404, title: 'The run is not known' },
  method_not_allowed: { status: 405, title: 'The method is not allowed' },
  already_member: { status: 409, title: 'Already a member' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The current state does not allow this' },
  failure_not_specific: {
    status: 409,
    title: 'The failure names no test, file or target, so it cannot be silenced',
  },
  task_running: { status: 409, title: 'The task is running' },
  task_not_droppable: { status: 409, title: 'Tasks of this kind cannot be dropped' },
  test_broken: { status: 409, title: 'The test is broken, and not flaky' },
  test_not_flaky: { status: 409, title: 'The test is not flaky' },
  forge_not_connected: { status: 409, title: 'No forge connection covers this repository' },
  forge_refused: { status: 409, title: 'The forge refused' },
  forge_action_not_offered: { status: 409, title: 'The forge does not offer this action' },
  invitation_ended: { status: 410, title: 'The invitation is no longer valid' },
  log_expired: { status: 410, title: 'The forge no longer has the log' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  report_too_large: { status: 413, title: 'The test report is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  quota_exceeded: { status: 429, title: 'The quota of the day is used up' },
  sender_mail_limit: { status: 429, title: 'You sent too many invitations today' },
  recipient_mail_limit: { status: 429, title: 'Too many invitations to this address today' },
  deployment_mail_limit: { status: 429, title: 'Too many invitations were sent today' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Internal server error' },
  identity_provider_misconfigured: { status: 500, title: 'The identity provider rejected the OAuth client' },
  identity_provider_failed: { status: 502, title: 'The identity provider sent an invalid response' },
  identity_provider_unavailable: { status: 503, title: 'The identity provider is not available' },
  try_again: { status: 503, title: 'Temporarily unavailable' },
  storage_full: { status: 503, title: 'The disk of the server is full' },
  forge_app_not_configured: { status: 503, title: 'No forge application is configured' },
  forge_unavailable: { status: 503, title: 'The forge is not available or sent an invalid response' },
  forge_sign_in_not_configured: { status: 503, title: 'The sign-in through the forge is not configured' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** RFC 9457 body of every error answer. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  requestId: string;
  errors?: { field: string; message: string }[];
}
