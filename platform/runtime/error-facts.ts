interface ErrorFacts {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorFacts;
}

/** A chain of causes may lead back to itself. */
const mostCauses = 5;

/**
 * What the log tells of an error, and nothing else that hangs on it: one of the database carries its connection with the
 * key that cancels statements, and may quote rows.
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
