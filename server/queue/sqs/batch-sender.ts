import { sqsBatchBytes, sqsBatchMessages, sqsFlights } from '../policy.ts';
import type { SendOutcome } from '../queue.ts';
import { parcelBytes, type Parcel, type SendTogether } from './send.ts';

interface Waiting {
  parcel: Parcel;
  resolve(outcome: SendOutcome): void;
  reject(error: unknown): void;
}

export interface Outbox {
  send(parcel: Parcel): Promise<SendOutcome>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
}

/**
 * What comes together shares a call to Amazon SQS. Several calls are under way at once, and never two with the same group,
 * so that what is sent in order arrives in order.
 */
export function makeOutbox(sendTogether: SendTogether, onSending: (isSending: boolean) => void): Outbox {
  let waiting: Waiting[] = [];
  let isScheduled = false;
  const busy = new Set<string>();
  const flights = new Set<Promise<void>>();

  const takeFlight = (): Waiting[] => {
    const aboard: Waiting[] = [];
    const passed = new Set<string>();
    let bytes = 0;
    for (const one of waiting) {
      const { groupId } = one.parcel;
      if (aboard.length === sqsBatchMessages) break;
      if (busy.has(groupId) || passed.has(groupId)) continue;
      const size = parcelBytes(one.parcel);
      // One that does not fit waits, and so does what follows it in its group.
      if (aboard.length > 0 && bytes + size > sqsBatchBytes) passed.add(groupId);
      else {
        bytes += size;
        aboard.push(one);
      }
    }
    const isAboard = new Set(aboard);
    waiting = waiting.filter((one) => !isAboard.has(one));
    return aboard;
  };

  const fly = async (aboard: Waiting[]): Promise<void> => {
    try {
      const outcomes = await sendTogether(aboard.map(({ parcel }) => parcel));
      for (const [index, { resolve, reject }] of aboard.entries()) {
        const outcome = outcomes[index];
        if (typeof outcome === 'string') resolve(outcome);
        else reject(outcome);
      }
    } catch (error) {
      for (const { reject } of aboard) reject(error);
    }
  };

  const takeOff = (): void => {
    isScheduled = false;
    while (flights.size < sqsFlights) {
      const aboard = takeFlight();
      if (aboard.length === 0) break;
      const groups = aboard.map(({ parcel }) => parcel.groupId);
      for (const groupId of groups) busy.add(groupId);
      const flight = fly(aboard).then(() => {
        for (const groupId of groups) busy.delete(groupId);
        flights.delete(flight);
        takeOff();
      });
      flights.add(flight);
    }
    if (flights.size === 0) onSending(false);
  };

  return {
    send: (parcel) =>
      new Promise((resolve, reject) => {
        waiting.push({ parcel, resolve, reject });
        onSending(true);
        // After this turn of the loop: requests read in the same turn share the call.
        if (!isScheduled) setImmediate(takeOff);
        isScheduled = true;
      }),
    idle: async () => {
      while (waiting.length > 0 || flights.size > 0) {
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.all(flights);
      }
    },
  };
}
