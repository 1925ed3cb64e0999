import { AppError } from '#platform/runtime/app-error.ts';
import { makeSealedClaims } from '#platform/runtime/secrets/sealed-claims.ts';
import type { Actor } from '#server/members/locks/lock-member-role.ts';

interface SetupClaims {
  user: string;
  integration: string;
  [claim: string]: unknown;
}

/** Proves that the person who returns from installing the application started here, for this integration. */
export interface SetupProof {
  readonly lifetimeMs: number;
  make(actor: Actor): Promise<string>;
  /** @throws AppError `installation_not_administered` */
  check(proof: string, actor: Actor): Promise<void>;
}

const lifetimeSeconds = 3600;

export function makeSetupProof(masterKeys: readonly [Buffer, ...Buffer[]]): SetupProof {
  const sealed = makeSealedClaims<SetupClaims>(masterKeys, 'forge-app/setup', lifetimeSeconds);
  return {
    lifetimeMs: lifetimeSeconds * 1000,
    make: ({ integrationId, actorId }) => sealed.seal({ user: actorId, integration: integrationId }),
    check: async (proof, { integrationId, actorId }) => {
      const claims = await sealed.open(proof);
      if (claims?.user === actorId && claims.integration === integrationId) return;
      throw new AppError('installation_not_administered', {
        detail: 'The proof belongs to another person or integration, or is older than an hour. Start again.',
      });
    },
  };
}
