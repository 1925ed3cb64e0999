import { AppError } from '#platform/runtime/app-error.ts';

/** `done`, or the code of the refusal. Anything else fails the test. */
export const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    },
  );
