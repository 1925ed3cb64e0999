import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';

/** What a delivery id says about a delivery of sample data. */
export interface SampleDelivery {
  /** The removals of sample data that came before it. */
  generation: number;
  /** The id that a forge would have given. */
  forgeId: string;
}

const form = /^sample\.(\d{1,9})\.(.+)$/s;

/** Ids of sample deliveries begin with this. Ingestion refuses others that do. */
export const samplePrefix = 'sample.';

/** Undefined for a delivery of a forge. */
export function readSampleDelivery(deliveryId: string): SampleDelivery | undefined {
  if (!deliveryId.startsWith(samplePrefix)) return undefined;
  const [, generation, forgeId = ''] = form.exec(deliveryId) ?? [];
  return generation === undefined ? undefined : { generation: Number(generation), forgeId };
}

export function sampleDeliveryId({ generation, forgeId }: SampleDelivery): string {
  return `${samplePrefix}${generation}.${forgeId}`;
}

/** The header with the proof that this installation made the delivery. */
export const proofHeader = 'x-forgewatch-sample';

interface Proven {
  integrationId: string;
  deliveryId: string;
  body: Buffer;
}

/** Proves that a delivery is sample data. Only holders of the encryption key can do so; the webhook secret is not enough. */
export interface SampleProofs {
  proofOf(delivery: Proven): string;
  isProven(delivery: Proven, proof: unknown): boolean;
}

export function makeSampleProofs(masterKeys: readonly [Buffer, ...Buffer[]]): SampleProofs {
  const keys = masterKeys.map((key) => deriveKey(key, 'sample-data/delivery')) as [Buffer, ...Buffer[]];
  const sign = (key: Buffer, { integrationId, deliveryId, body }: Proven): string =>
    createHmac('sha256', key).update(`${integrationId}\n${deliveryId}\n`).update(body).digest('base64url');
  return {
    proofOf: (delivery) => sign(keys[0], delivery),
    isProven: (delivery, proof) => {
      const given = Buffer.from(typeof proof === 'string' ? proof : '');
      return keys.some((key) => {
        const expected = Buffer.from(sign(key, delivery));
        return expected.length === given.length && timingSafeEqual(expected, given);
      });
    },
  };
}
