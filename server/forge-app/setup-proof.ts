import { AppError } from '#platform/runtime/app-error.ts';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import { makeSealedClaims } from '#platform/runtime/secrets/sealed-claims.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';

interface Begun {
  user: string;
  integration: string;
  [claim: string]: unknown;
}

/** Shows that the very person who comes back from installing the application began it here, for this integration. */
export interface SetupProof {
  readonly lifetimeMs: number;
  make(actor: Actor): Promise<string>;
  /** @throws AppError `installation_not_administered` */
  check(proof: string, actor: Actor): Promise<void>;
}

const lifetimeSeconds = 3600;

export function makeSetupProof(masterKeys: readonly [Buffer, ...Buffer[]]): SetupProof {
  const keys = masterKeys.map((key) => deriveKey(key, 'forge-app/setup')) as [Buffer, ...Buffer[]];
  const sealed = makeSealedClaims<Begun>(keys, lifetimeSeconds);
  return {
    lifetimeMs: lifetimeSeconds * 1000,
    make: ({ integrationId, actorId }) => sealed.seal({ user: actorId, integration: integrationId }),
    check: async (proof, { integrationId, actorId }) => {
      const begun = await sealed.open(proof);
      if (begun?.user === actorId && begun.integration === integrationId) return;
      throw new AppError('installation_not_administered', {
        detail: 'The proof is not yours, not of this integration, or older than an hour. Begin again.',
      });
    },
  };
}
