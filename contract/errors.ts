/** Every `code` that an error answer may carry, with its status and title. Codes are stable; see `/docs`. */
export const errorCodes = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_json: { status: 400, title: 'The body is not JSON' },
  unsupported_event: { status: 400, title: 'The event type is not supported' },
  invalid_path: { status: 400, title: 'The path is not in canonical form' },
  unauthenticated: { status: 401, title: 'Sign-in needed' },
  invalid_signature: { status: 401, title: 'The signature is not valid' },
  insufficient_role: { status: 403, title: 'Your role does not allow this' },
  origin_not_allowed: { status: 403, title: 'The origin is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  try_again: { status: 503, title: 'Try again shortly' },
  forge_app_not_configured: { status: 503, title: 'No forge application is configured' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** RFC 9457 body of every error answer. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  code: ErrorCode;
  requestId: string;
  errors?: { field: string; message: string }[];
}
