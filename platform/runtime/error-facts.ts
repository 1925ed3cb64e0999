interface ErrorFacts {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorFacts;
}

/** Limit, because a chain of causes may be circular. */
const mostCauses = 5;

/**
 * The fields of an error that are logged. Other properties are left out: database errors carry the connection with its
 * cancel key, and may quote rows.
 */
export function errorFacts(error: unknown, causes = mostCauses): unknown {
  return error instanceof Error ? factsOf(error, causes) : error;
}

function factsOf(error: Error, causes: number): ErrorFacts {
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause instanceof Error && causes > 0 ? { cause: factsOf(error.cause, causes - 1) } : {}),
  };
}
