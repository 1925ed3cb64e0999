import type { StreamPosition } from '#contract/runs/runs.ts';
import type { Cursors, UpdateMessage } from '#contract/runs/realtime.ts';

interface Position extends StreamPosition {
  /** All updates up to `seq` were received. */
  from: number;
  /** Where a running replay ends at least. */
  replayTo?: number;
}

/**
 * The position of this client in the stream of each integration. It detects duplicates, reordering and gaps. `gap`
 * means: apply the update and reload the visible data.
 */
export class StreamPositions {
  readonly #positions = new Map<string, Position>();

  /** Compares the server's positions at connect: which streams to replay, and which cannot be continued. */
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
      // The update overtook the replay, which will deliver it again in order.
      if (known.replayTo !== undefined) return 'ignore';
      this.#positions.set(integrationId, { epoch, seq, from: seq - 1 });
      return 'gap';
    }
    known.seq = seq;
    if (known.replayTo !== undefined && seq >= known.replayTo) delete known.replayTo;
    return 'apply';
  }

  /**
   * Records the position at which a list was read. False when updates between the list and the first received update
   * are missing, so the list has to be read again.
   */
  isComplete(integrationId: string, { epoch, seq }: StreamPosition): boolean {
    const known = this.#positions.get(integrationId);
    if (known === undefined || known.epoch !== epoch) {
      this.#positions.set(integrationId, { epoch, seq, from: seq });
      return true;
    }
    return seq >= known.from;
  }

  /** After `resync`, the next read sets the position. */
  forget(integrationId: string): void {
    this.#positions.delete(integrationId);
  }

  /** After a reconnect, only followed streams continue. */
  keepOnly(integrationIds: ReadonlySet<string>): void {
    for (const id of this.#positions.keys()) if (!integrationIds.has(id)) this.#positions.delete(id);
  }

  /** The streams whose replay has not finished. */
  replaying(): string[] {
    return [...this.#positions].flatMap(([id, { replayTo }]) => (replayTo === undefined ? [] : [id]));
  }
}
