import type { StreamPosition } from '#contract/monitoring.ts';
import type { Cursors, UpdateMessage } from '#contract/realtime.ts';

interface Position extends StreamPosition {
  /** Updates after this one were all seen, up to `seq`. */
  from: number;
  /** While missed updates are being replayed: where the replay reaches at least. */
  replayTo?: number;
}

/**
 * Where this client is in the stream of each integration, so that nothing is applied twice, out of order or after a gap
 * unnoticed. `gap` means: apply it, and read again what is on screen.
 */
export class StreamPositions {
  readonly #positions = new Map<string, Position>();

  /** The server's positions at connect: what to ask it to replay, and which streams cannot be continued. */
  connected(cursors: Cursors): { resume: Cursors; lost: string[] } {
    const resume: Cursors = {};
    const lost: string[] = [];
    for (const [integrationId, cursor] of Object.entries(cursors)) {
      const known = this.#positions.get(integrationId);
      if (known?.epoch === cursor.epoch && known.seq < cursor.seq) {
        known.replayTo = cursor.seq;
        resume[integrationId] = { epoch: known.epoch, seq: known.seq };
      } else {
        if (known !== undefined && known.epoch !== cursor.epoch) lost.push(integrationId);
        this.#positions.set(integrationId, { ...cursor, from: cursor.seq });
      }
    }
    return { resume, lost };
  }

  verdict({
    integrationId,
    epoch,
    seq,
  }: Pick<UpdateMessage, 'integrationId' | 'epoch' | 'seq'>): 'apply' | 'ignore' | 'gap' {
    const known = this.#positions.get(integrationId);
    if (known === undefined || known.epoch !== epoch) {
      this.#positions.set(integrationId, { epoch, seq, from: seq - 1 });
      return known === undefined ? 'apply' : 'gap';
    }
    if (seq <= known.seq) return 'ignore';
    if (seq > known.seq + 1) {
      // It overtook the replay, which will bring it again in its place.
      if (known.replayTo !== undefined) return 'ignore';
      this.#positions.set(integrationId, { epoch, seq, from: seq - 1 });
      return 'gap';
    }
    known.seq = seq;
    if (known.replayTo !== undefined && seq >= known.replayTo) delete known.replayTo;
    return 'apply';
  }

  /**
   * Tells where a list was read. False when updates between the list and the first one seen here are missing, so that
   * it has to be read again.
   */
  isComplete(integrationId: string, { epoch, seq }: StreamPosition): boolean {
    const known = this.#positions.get(integrationId);
    if (known === undefined || known.epoch !== epoch) {
      this.#positions.set(integrationId, { epoch, seq, from: seq });
      return true;
    }
    return seq >= known.from;
  }

  /** After `resync`: what is read next says where the stream is. */
  forget(integrationId: string): void {
    this.#positions.delete(integrationId);
  }

  /** A closed connection only goes on for the streams that somebody still follows. */
  keepOnly(integrationIds: ReadonlySet<string>): void {
    for (const id of this.#positions.keys()) if (!integrationIds.has(id)) this.#positions.delete(id);
  }

  /** The streams whose replay has not come to its end. */
  replaying(): string[] {
    return [...this.#positions].flatMap(([id, { replayTo }]) => (replayTo === undefined ? [] : [id]));
  }
}
